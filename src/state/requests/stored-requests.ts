import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { readSegments, writeSegments } from '../panes/row-segments.js';
import {
  type DrawnLists,
  type PaneRequests,
  UNKNOWN_ITEM,
  withRequestModels,
} from './pane-requests.js';
import { type RequestModels, requestKinds, runsOf, shareIn } from './request-kinds.js';

/** Kinds of requests handled between two yields. */
const SLICE = 1024;

/**
 * Markers in a checkpoint beside the numbers of the ranked models. Each marker means that an
 * optional part follows the ranks.
 */
const DRAWN_FOLLOW = -1;
const LOGGED_FOLLOW = -2;
const ITEMS_FOLLOW = -3;
/** Marker: `LoggedRequests.wholeLevel` follows the propensities. */
const WHOLE_FOLLOWS = -4;
/**
 * Markers: the users' earlier interactions (`PaneRequests.history`) and the segments follow the
 * items, in this order.
 */
const HISTORY_FOLLOWS = -5;
const SEGMENTS_FOLLOW = -6;

/** Write in the format of `readRequests`. */
export function* writeRequests(
  to: BinaryWriter,
  requests: PaneRequests,
  ids: Dictionaries,
): Generator<void, void> {
  const placed = withRequestModels(requests, (model) => ids.models.place(model));
  const { pane, level, listedLevel, places, items } = placed;
  for (const each of [pane, level, listedLevel, places]) {
    to.number(each);
  }
  to.column(placed.user);
  to.column(placed.ts);
  to.column(placed.depth);
  to.column(placed.served);
  to.column(placed.kind);
  to.column(placed.firstItem);
  to.number(placed.kinds.length);
  for (const { run, end } of runsOf(placed.kinds)) {
    const models = Int32Array.from(run.models);
    for (let kind = run.firstKind; kind < end; kind++) {
      to.column(models);
      to.column(Float64Array.from(models, (_, n) => shareIn(placed.kinds, run, kind, n)));
      if (kind % SLICE === SLICE - 1) {
        yield;
      }
    }
  }
  to.column(items.reward);
  const ranked = [...items.ranks.keys()].filter((model) => items.ranks[model] !== undefined);
  const { drawn, logged, history, segments } = placed;
  const hasItems = !items.item.includes(UNKNOWN_ITEM);
  const follow = [
    ...(drawn ? [DRAWN_FOLLOW] : []),
    ...(logged ? [LOGGED_FOLLOW] : []),
    ...(logged && logged.wholeLevel < Number.POSITIVE_INFINITY ? [WHOLE_FOLLOWS] : []),
    ...(hasItems ? [ITEMS_FOLLOW] : []),
    ...(history ? [HISTORY_FOLLOWS] : []),
    ...(segments ? [SEGMENTS_FOLLOW] : []),
  ];
  to.column(Int32Array.from([...ranked, ...follow]));
  for (const model of ranked) {
    to.column(items.ranks[model]!);
  }
  if (drawn !== undefined) {
    for (const each of [drawn.model, drawn.candidates, drawn.start, drawn.end]) {
      to.column(each);
    }
  }
  if (logged !== undefined) {
    for (const each of [logged.kind, logged.propensity]) {
      to.column(each);
    }
    if (follow.includes(WHOLE_FOLLOWS)) {
      to.number(logged.wholeLevel);
    }
  }
  if (hasItems) {
    yield* ids.items.write(to, items.item);
  }
  if (history !== undefined) {
    to.column(history);
  }
  if (segments !== undefined) {
    writeSegments(to, segments, placed.length);
  }
}

export function readRequests(from: BinaryReader, { models, items }: Places): PaneRequests {
  const [pane, level, listedLevel, places] = [0, 0, 0, 0].map(() => from.number());
  const user = from.int32();
  const ts = from.float64();
  const depth = from.uint8();
  const served = from.uint16();
  const kind = from.int32();
  const firstItem = from.int32();
  const kinds = requestKinds(storedKinds(from));
  const reward = from.float64();
  const ranks: (Uint16Array | undefined)[] = [];
  let drawn: DrawnLists | undefined;
  const ranked = from.int32();
  for (const model of ranked) {
    if (model < 0) break;
    while (ranks.length < model) {
      ranks.push(undefined);
    }
    ranks[model] = from.uint16();
  }
  if (ranked.includes(DRAWN_FOLLOW)) {
    const model = from.uint16();
    const candidates = from.int32();
    drawn = {
      model,
      candidates,
      start: from.uint8(),
      end: from.uint8(),
    };
  }
  const logged = ranked.includes(LOGGED_FOLLOW)
    ? {
        kind: from.uint8(),
        propensity: from.float32(),
        wholeLevel: ranked.includes(WHOLE_FOLLOWS) ? from.number() : Number.POSITIVE_INFINITY,
      }
    : undefined;
  const item = ranked.includes(ITEMS_FOLLOW)
    ? items.column(from)
    : new Int32Array(reward.length).fill(UNKNOWN_ITEM);
  const history = ranked.includes(HISTORY_FOLLOWS) ? from.uint8() : undefined;
  const segments = ranked.includes(SEGMENTS_FOLLOW) ? readSegments(from) : undefined;
  const written: PaneRequests = {
    pane,
    level,
    listedLevel,
    places,
    length: user.length,
    user,
    ts,
    depth,
    served,
    kind,
    firstItem,
    kinds,
    items: {
      length: reward.length,
      item,
      reward,
      ranks,
    },
    drawn,
    logged,
    history,
    segments,
  };
  return withRequestModels(written, (place) => models.id(place));
}

function* storedKinds(from: BinaryReader): Generator<RequestModels> {
  for (let left = from.count(); left > 0; left--) {
    yield {
      models: [...from.int32()],
      shares: [...from.float64()],
    };
  }
}
