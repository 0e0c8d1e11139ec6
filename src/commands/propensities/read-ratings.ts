import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { type InteractionColumns, RANDOMIZED } from '../../events/columns.js';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import { faultyOf, noEvents } from '../files/no-events.js';
import { EventReader } from '../files/read-events.js';
import { decoderOptions } from '../service/monitor-options.js';

export interface RatingFiles {
  readonly config: Config;
  readonly events: readonly string[];
  /**
   * Event files in which all ratings are of randomly drawn items, even if the events have no
   * `randomized` flag.
   */
  readonly randomized: readonly string[];
  readonly maxFaults: number;
}

/**
 * Read ratings from event files: the value of each interaction. Users and items come from all
 * events.
 *
 * @param known ids in tables of features, which are added to those of events
 * @throws UnskewError EVENTS without ratings that users chose to give; otherwise as `EventReader`.
 */
export async function readRatings(
  { config, events, randomized, maxFaults }: RatingFiles,
  known: {
    readonly users: readonly string[];
    readonly items: readonly string[];
  },
  io: CommandIo,
): Promise<RatingSample> {
  const users = new Interner();
  const items = new Interner();
  const outcomes = new Outcomes();
  const reader = new EventReader({
    decoder: decoderOptions(config),
    maxEventBytes: config.events.maxBytes,
    ids: {
      items,
      models: new Interner(),
    },
    users,
    maxFaults,
    io,
  });
  const chosen: ReadRating[] = [];
  const random: ReadRating[] = [];
  let sound = 0;
  await reader.read(events, outcomes, (interactions, exposures) => {
    sound += interactions.length + exposures.length;
    take(interactions, (flags) => ((flags & RANDOMIZED) === 0 ? chosen : random));
  });
  if (sound === 0) {
    const { ignored } = outcomes;
    throw noEvents(events, {
      faulty: faultyOf(outcomes),
      ignored,
      first: reader.faults.first,
    });
  }
  await reader.read(randomized, outcomes, (interactions) => take(interactions, () => random));
  if (chosen.length === 0) {
    throw new UnskewError(
      'EVENTS',
      `${events.join(', ')}: all ratings are from randomised traffic; add ratings that users chose to give, because propensities are learned from these`,
    );
  }
  const user = numbered(users, known.users);
  const item = numbered(items, known.items);
  const renumbered = (ratings: readonly ReadRating[]) =>
    firstOfEachPair(
      ratings.map((each) => ({
        ...each,
        user: user.numbers[each.user],
        item: item.numbers[each.item],
      })),
    );
  return {
    users: user.ids,
    items: item.ids,
    chosen: renumbered(chosen),
    random: renumbered(random),
    newestTs: [...chosen, ...random].reduce((newest, { ts }) => Math.max(newest, ts), 0),
  };
}

function take(columns: InteractionColumns, sideOf: (flags: number) => ReadRating[]): void {
  for (let r = 0; r < columns.length; r++) {
    sideOf(columns.flags[r]).push({
      user: columns.user[r],
      item: columns.item[r],
      ts: columns.ts[r],
      rating: columns.value[r],
    });
  }
}

/** Sort all ids, and map the number of each interned id to its index in that order. */
function numbered(table: Interner, known: readonly string[]) {
  const own = Array.from({ length: table.size }, (_, number) => table.text(number));
  const ids = [...new Set([...own, ...known])].sort((a, b) => (a < b ? -1 : 1));
  const places = new Map(ids.map((id, place) => [id, place]));
  return {
    ids,
    numbers: Int32Array.from(own, (id) => places.get(id)!),
  };
}

/** Ratings as columns, one per (user, item) pair; users and items are indices of sorted ids. */
export interface RatingColumns {
  readonly user: Int32Array;
  readonly item: Int32Array;
  readonly rating: Float64Array;
}

/** Ratings that users chose to give, and ratings of randomly drawn items. */
export interface RatingSample {
  /** Ids sorted by code units, so that no result depends on the order of events. */
  readonly users: readonly string[];
  readonly items: readonly string[];
  readonly chosen: RatingColumns;
  readonly random: RatingColumns;
  /** Event time of the newest rating, ms. */
  readonly newestTs: number;
}

/** A rating as read, before only the first of each (user, item) pair is kept. */
export interface ReadRating {
  readonly user: number;
  readonly item: number;
  readonly ts: number;
  readonly rating: number;
}

/**
 * Keep the first rating of each (user, item) pair. Of two ratings at the same time, the lower one
 * is kept.
 */
export function firstOfEachPair(ratings: readonly ReadRating[]): RatingColumns {
  const sorted = [...ratings].sort(
    (a, b) => a.user - b.user || a.item - b.item || a.ts - b.ts || a.rating - b.rating,
  );
  const first = sorted.filter(
    ({ user, item }, r) => r === 0 || user !== sorted[r - 1].user || item !== sorted[r - 1].item,
  );
  return {
    user: Int32Array.from(first, ({ user }) => user),
    item: Int32Array.from(first, ({ item }) => item),
    rating: Float64Array.from(first, ({ rating }) => rating),
  };
}
