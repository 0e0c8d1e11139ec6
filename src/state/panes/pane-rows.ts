import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter, Column } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { type RowCauses, readCauses, takenCauses, writeCauses } from './row-causes.js';
import { type RowRatings, readRatings, takenRatings, writeRatings } from './row-ratings.js';
import { type RowSegments, readSegments, takenSegments, writeSegments } from './row-segments.js';

/**
 * The interactions of one closed pane, in order of event time, each with the rank of its item in
 * every model's list. Windows consist of these rows. 9 bytes per row, 4 for each model, 4 for
 * propensities if logged, 4 for causes if determined, 2 for each segment dimension, and ratings as
 * in `RowRatings`. Immutable.
 */
export interface PaneRows {
  /** Number of the pane, which covers pane · tick ≤ ts < (pane + 1) · tick. */
  readonly pane: number;
  readonly length: number;
  readonly user: Int32Array;
  readonly item: Int32Array;
  /** Flags of the event, including POSITIVE. */
  readonly flags: Uint8Array;
  /** Logged propensity of the item, 0 if it has none; undefined if no row has one. */
  readonly propensity: Float32Array | undefined;
  /** Which lists drove the interactions; undefined if rows do not record their causes. */
  readonly causes?: RowCauses | undefined;
  /** Ratings and their predictions; undefined if no row is rated. */
  readonly ratings?: RowRatings | undefined;
  /** Segment codes of the rows; undefined without segment dimensions. */
  readonly segments?: RowSegments | undefined;
  /**
   * By model: ranks of the rows, as in `WindowPart.ranks`. Undefined if the model has no list so
   * far, so that every rank is `UNRANKED`.
   */
  readonly ranks: readonly (Uint16Array | undefined)[];
  readonly lists: readonly (Uint16Array | undefined)[];
}

const NO_PROPENSITIES = new Float32Array(0);
/** Marker in a checkpoint after the models' numbers: causes follow. */
const CAUSES_FOLLOW = -1;
/** Marker in a checkpoint before `CAUSES_FOLLOW`: ratings follow. */
const RATINGS_FOLLOW = -2;
/** Marker in a checkpoint before `RATINGS_FOLLOW`: segments follow. */
const SEGMENTS_FOLLOW = -3;

/** A pane without rows. */
export function noRows(pane: number): PaneRows {
  return {
    pane,
    length: 0,
    user: new Int32Array(0),
    item: new Int32Array(0),
    flags: new Uint8Array(0),
    propensity: undefined,
    ranks: [],
    lists: [],
  };
}

/** Keep the rows of some users; returns `rows` itself if it has no others. */
export function retainedRows(rows: PaneRows, isKept: (user: number) => boolean): PaneRows {
  const { length, user, propensity, causes, ratings, segments } = rows;
  const kept = new Int32Array(length);
  let size = 0;
  for (let r = 0; r < length; r++) {
    if (isKept(user[r])) {
      kept[size++] = r;
    }
  }
  if (size === length) return rows;
  const places = kept.subarray(0, size);
  const column = (from: Uint16Array | undefined) =>
    from && taken(from, places, new Uint16Array(size));
  return {
    pane: rows.pane,
    length: size,
    user: taken(user, places, new Int32Array(size)),
    item: taken(rows.item, places, new Int32Array(size)),
    flags: taken(rows.flags, places, new Uint8Array(size)),
    propensity: propensity && taken(propensity, places, new Float32Array(size)),
    ...(causes && { causes: takenCauses(causes, places) }),
    ...(ratings && { ratings: takenRatings(ratings, places) }),
    ...(segments && { segments: takenSegments(segments, places) }),
    ranks: rows.ranks.map(column),
    lists: rows.lists.map(column),
  };
}

function taken<T extends Column>(from: T, places: Int32Array, into: T): T {
  for (let at = 0; at < places.length; at++) {
    into[at] = from[places[at]];
  }
  return into;
}

/** Write in the format of `readRows`. Yields regularly. */
export function* writeRows(
  to: BinaryWriter,
  rows: PaneRows,
  ids: Dictionaries,
): Generator<void, void> {
  const { pane, length, user, item, flags, propensity, ranks, lists } = rows;
  const { causes, ratings, segments } = rows;
  to.number(pane);
  to.column(user, length);
  yield* ids.items.write(to, item, length);
  to.column(flags, length);
  to.column(propensity?.subarray(0, length) ?? NO_PROPENSITIES);
  const ranked = [...ranks.keys()].filter((model) => ranks[model] !== undefined);
  const ranking = ranked.map((model) => ids.models.place(model));
  if (segments !== undefined) {
    ranking.push(SEGMENTS_FOLLOW);
  }
  if (ratings !== undefined) {
    ranking.push(RATINGS_FOLLOW);
  }
  if (causes !== undefined) {
    ranking.push(CAUSES_FOLLOW);
  }
  to.column(Int32Array.from(ranking));
  for (const model of ranked) {
    to.column(ranks[model]!, length);
    to.column(lists[model]!, length);
  }
  if (segments !== undefined) {
    writeSegments(to, segments, length);
  }
  if (ratings !== undefined) {
    writeRatings(to, ratings, ids);
  }
  if (causes !== undefined) {
    writeCauses(to, causes, ids);
  }
  to.cut();
  yield;
}

export function readRows(from: BinaryReader, places: Places): PaneRows {
  const pane = from.number();
  const user = from.int32();
  const item = places.items.column(from);
  const flags = from.uint8();
  const logged = from.float32();
  const propensity = logged.length === 0 ? undefined : logged;
  const ranks: (Uint16Array | undefined)[] = [];
  const lists: (Uint16Array | undefined)[] = [];
  const ranking = from.int32();
  for (const place of ranking) {
    if (place < 0) break;
    const model = places.models.id(place);
    while (ranks.length < model) {
      ranks.push(undefined);
      lists.push(undefined);
    }
    ranks[model] = from.uint16();
    lists[model] = from.uint16();
  }
  const segments = ranking.includes(SEGMENTS_FOLLOW) ? readSegments(from) : undefined;
  const ratings = ranking.includes(RATINGS_FOLLOW) ? readRatings(from, places) : undefined;
  const causes = ranking.includes(CAUSES_FOLLOW) ? readCauses(from, places) : undefined;
  return {
    pane,
    length: user.length,
    user,
    item,
    flags,
    propensity,
    ranks,
    lists,
    ...(causes && { causes }),
    ...(ratings && { ratings }),
    ...(segments && { segments }),
  };
}
