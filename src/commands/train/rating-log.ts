import { ActionWorths } from '../../events/action-worths.js';
import {
  ExposureColumns,
  HAS_PROPENSITIES,
  InteractionColumns,
  NAMES_EXPOSURE,
  RANDOMIZED,
} from '../../events/columns.js';
import type { Interner } from '../../state/ids/interner.js';
import type { Ratings } from './rating-rows.js';
import { groupedBy } from './rating-rows.js';

/** Propensities that were logged with exposures, by list id and item. */
class LoggedPropensities {
  readonly #rows = new Map<number, Map<number, number>>();

  constructor(private readonly exposures: ExposureColumns) {
    for (let row = 0; row < exposures.length; row++) {
      const high = exposures.idHigh[row];
      const lows = this.#rows.get(high) ?? new Map<number, number>();
      if (lows.size === 0) {
        this.#rows.set(high, lows);
      }
      lows.set(exposures.idLow[row], row);
    }
  }

  /**
   * Look up a logged propensity. @returns P of the item in the list; NaN if there is no such list,
   * or the item is not in it
   */
  of(idHigh: number, idLow: number, item: number): number {
    const row = this.#rows.get(idHigh)?.get(idLow);
    if (row === undefined) return Number.NaN;
    const { listStart, items, propensities } = this.exposures;
    for (let at = listStart[row]; at < listStart[row + 1]; at++) {
      if (items[at] === item) return propensities[at];
    }
    return Number.NaN;
  }
}

/** Ratings from events; users and items are numbered in the code-point order of their ids. */
export interface RatingData {
  /**
   * Ratings outside randomised traffic, ordered by user, then by item. If there are none, those of
   * randomised traffic.
   */
  readonly ratings: Ratings;
  readonly users: readonly string[];
  readonly items: readonly string[];
  /**
   * Values of the ratings in randomised traffic, one per user-item pair; empty if `ratings` has
   * these ratings.
   */
  readonly randomised: Float64Array;
  /**
   * Compute P of each rating as logged; NaN if the event is not attributed to a list with a
   * propensity.
   */
  readonly logged: () => Float64Array;
  /** Event time of the newest event, ms. */
  readonly newestMs: number;
}

export interface RatingIds {
  readonly users: Interner;
  readonly items: Interner;
}

/**
 * Collects interactions as ratings. If a user interacted with an item several times, the newest
 * interaction counts.
 */
export class RatingLog {
  readonly #worths: ActionWorths;
  readonly #interactions = new InteractionColumns();
  readonly #exposures = new ExposureColumns();
  #newestMs = Number.NEGATIVE_INFINITY;

  /** @param actions rewards of actions; an action with reward 0 is not a rating */
  constructor(
    private readonly ids: RatingIds,
    actions: Readonly<Record<string, number>>,
  ) {
    this.#worths = new ActionWorths(actions);
  }

  take(interactions: InteractionColumns, exposures: ExposureColumns): void {
    this.#interactions.addRows(
      interactions,
      rowsOf(interactions.length, (row) => this.#isWorthwhile(interactions.action[row])),
    );
    this.#exposures.addRows(
      exposures,
      rowsOf(exposures.length, (row) => (exposures.flags[row] & HAS_PROPENSITIES) !== 0),
    );
    for (const { length, ts } of [interactions, exposures]) {
      for (let row = 0; row < length; row++) {
        if (ts[row] > this.#newestMs) {
          this.#newestMs = ts[row];
        }
      }
    }
  }

  /** Build the ratings from all events added so far. */
  data(): RatingData {
    const events = this.#interactions;
    const seen = new Uint8Array(this.ids.users.size);
    for (let row = 0; row < events.length; row++) {
      seen[events.user[row]] = 1;
    }
    const users = denseById(this.ids.users, (user) => seen[user] === 1);
    const items = denseById(this.ids.items);
    const isRandom = (row: number) => (events.flags[row] & RANDOMIZED) !== 0;
    const newest = (rows: Int32Array) =>
      newestOfPairs(events, rows, users.numberOf, items.numberOf);
    const random = newest(rowsOf(events.length, isRandom));
    const others = newest(rowsOf(events.length, (row) => !isRandom(row)));
    // Randomised ratings are set aside to compute propensities, unless there are no others.
    const [chosen, aside] = others.length > 0 ? [others, random] : [random, others];
    return {
      ratings: {
        users: users.texts.length,
        items: items.texts.length,
        user: chosen.map((row) => users.numberOf[events.user[row]]),
        item: chosen.map((row) => items.numberOf[events.item[row]]),
        rating: Float64Array.from(chosen, (row) => events.value[row]),
      },
      users: users.texts,
      items: items.texts,
      randomised: Float64Array.from(aside, (row) => events.value[row]),
      logged: () => this.#logged(chosen),
      newestMs: this.#newestMs,
    };
  }

  #isWorthwhile(action: number): boolean {
    return this.#worths.worths[this.#worths.classOf(action)] > 0;
  }

  #logged(rows: Int32Array): Float64Array {
    const lists = new LoggedPropensities(this.#exposures);
    const { flags, exposureHigh, exposureLow, item } = this.#interactions;
    return Float64Array.from(rows, (row) =>
      (flags[row] & NAMES_EXPOSURE) === 0
        ? Number.NaN
        : lists.of(exposureHigh[row], exposureLow[row], item[row]),
    );
  }
}

function rowsOf(length: number, isKept: (row: number) => boolean): Int32Array {
  const rows = new Int32Array(length);
  let kept = 0;
  for (let row = 0; row < length; row++) {
    if (isKept(row)) {
      rows[kept++] = row;
    }
  }
  return rows.slice(0, kept);
}

/**
 * Find the row of the newest event of each user and item. Among events with the same time, the last
 * one counts.
 */
function newestOfPairs(
  { user, item, ts }: InteractionColumns,
  rows: Int32Array,
  userNumber: Int32Array,
  itemNumber: Int32Array,
): Int32Array {
  const numbers = rows.map((row) => userNumber[user[row]]);
  const users = userNumber.reduce((most, number) => Math.max(most, number + 1), 0);
  const { start, order } = groupedBy(numbers, users);
  const kept = new Int32Array(rows.length);
  let length = 0;
  for (let u = 0; u < users; u++) {
    const newest = new Map<number, number>();
    for (let at = start[u]; at < start[u + 1]; at++) {
      const row = rows[order[at]];
      const number = itemNumber[item[row]];
      const before = newest.get(number);
      if (before === undefined || ts[row] >= ts[before]) {
        newest.set(number, row);
      }
    }
    const pairs = [...newest].sort(([a], [b]) => a - b);
    for (const [, row] of pairs) {
      kept[length++] = row;
    }
  }
  return kept.slice(0, length);
}

/**
 * Ids in code-point order. For each interned id there is its position in that order; −1 if the id
 * is left out.
 */
interface DenseIds {
  readonly texts: readonly string[];
  readonly numberOf: Int32Array;
}

/**
 * Number ids in code-point order, so that numbers, and ties by number, do not depend on the order
 * of events.
 */
function denseById(ids: Interner, isKept: (id: number) => boolean = () => true): DenseIds {
  const kept = Int32Array.from({ length: ids.size }, (_, id) => id).filter(isKept);
  kept.sort((a, b) => ids.compare(a, b));
  const numberOf = new Int32Array(ids.size).fill(-1);
  kept.forEach((id, place) => {
    numberOf[id] = place;
  });
  return {
    texts: Array.from(kept, (id) => ids.text(id)),
    numberOf,
  };
}
