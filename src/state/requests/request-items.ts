import { NOT_IN_LIST } from '../panes/window-part.js';
import type { OpenRequest, RequestList } from './open-request.js';
import type { RequestItems } from './pane-requests.js';

/** Maximum number of visible positions; lower positions are ignored. */
const MOST_PLACES = 50;

/** Rows between two yields. */
const SLICE = 8192;

/** Builds the item rows of requests. */
export class RequestItemsBuilder {
  /** Largest number of visible positions of a request so far. */
  places = 0;
  readonly #item: number[] = [];
  readonly #reward: number[] = [];
  readonly #ranks: (number[] | undefined)[] = [];
  /** By item: the item's row in the current request. */
  readonly #rows = new Map<number, number>();

  get length(): number {
    return this.#reward.length;
  }

  /**
   * Add a row for each visible item of a request's lists. Unless `isListed`, only items with a
   * reward get a row.
   */
  add(request: OpenRequest, isListed: boolean): void {
    const { lists, served } = request;
    const places = visiblePlaces(request);
    this.places = Math.max(this.places, places);
    this.#rows.clear();
    const own = lists.find(({ model }) => model === served!.model)!;
    for (let at = 0; at < seenOf(own, places); at++) {
      const reward = served!.rewards[at];
      if (!isListed && reward === 0) continue;
      const row = this.#rowOf(own.items[at]);
      // An item that occurs twice is rewarded at its first position.
      if (reward !== 0) {
        this.#reward[row] = reward;
      }
    }
    for (const list of lists) {
      this.#rank(list, places, isListed);
    }
  }

  /**
   * Add the shown items of a request, a row per position from the top, with their ranks in all
   * lists. If `isWhole`, the other visible items of the lists follow.
   *
   * @returns number of rows of shown items.
   */
  addServed(request: OpenRequest, isWhole: boolean): number {
    const { lists, served } = request;
    const places = visiblePlaces(request);
    this.places = Math.max(this.places, places);
    this.#rows.clear();
    const own = lists.find(({ model }) => model === served!.model)!;
    const seen = seenOf(own, places);
    for (let at = 0; at < seen; at++) {
      const row = this.#reward.push(served!.rewards[at]) - 1;
      this.#item.push(own.items[at]);
      if (!this.#rows.has(own.items[at])) {
        this.#rows.set(own.items[at], row);
      }
    }
    for (const list of lists) {
      this.#rank(list, places, isWhole);
    }
    return seen;
  }

  /** Return the rows. Yields between slices of rows. */
  *build(): Generator<void, RequestItems> {
    const { length } = this;
    const item = new Int32Array(length);
    const reward = new Float64Array(length);
    const ranks = this.#ranks.map((column) => column && new Uint16Array(length));
    for (let from = 0; from < length; from += SLICE) {
      const end = Math.min(from + SLICE, length);
      for (let row = from; row < end; row++) {
        item[row] = this.#item[row];
        reward[row] = this.#reward[row];
      }
      for (const [model, column] of this.#ranks.entries()) {
        if (column === undefined) continue;
        const full = ranks[model]!;
        for (let row = from; row < end; row++) {
          full[row] = column[row] ?? NOT_IN_LIST;
        }
      }
      yield;
    }
    return {
      length,
      item,
      reward,
      ranks,
    };
  }

  #rank(list: RequestList, places: number, isListed: boolean): void {
    const seen = seenOf(list, places);
    for (let at = 0; at < seen; at++) {
      const item = list.items[at];
      if (!isListed && !this.#rows.has(item)) continue;
      const row = this.#rowOf(item);
      this.#columnOf(list.model)[row] = list.firstRank + at;
    }
  }

  #rowOf(item: number): number {
    let row = this.#rows.get(item);
    if (row === undefined) {
      row = this.#reward.push(0) - 1;
      this.#item.push(item);
      this.#rows.set(item, row);
    }
    return row;
  }

  #columnOf(model: number): number[] {
    while (this.#ranks.length <= model) {
      this.#ranks.push(undefined);
    }
    this.#ranks[model] ??= [];
    return this.#ranks[model];
  }
}

/**
 * Number of visible positions of a request's page, at most 50. The page ends at the lowest visible
 * position of any list that was served or could have been served.
 */
export function visiblePlaces({ lists, served }: OpenRequest): number {
  const arms = lists.filter(({ model, share }) => share > 0 || model === served!.model);
  const ends = arms.map(({ firstRank, depth, items }) => firstRank + (depth || items.length));
  return Math.min(MOST_PLACES, Math.max(...ends));
}

/** Number of visible items of a list within the first `places` positions of the page. */
export function seenOf({ firstRank, depth, items }: RequestList, places: number): number {
  const seen = depth === 0 ? items.length : Math.min(depth, items.length);
  return Math.max(0, Math.min(seen, places - firstRank));
}
