import { PROPENSITY_KINDS } from '../../../events/field.js';
import { NOT_IN_LIST } from '../../../state/panes/window-part.js';
import type { WindowRequests } from '../../../state/requests/pane-requests.js';
import { runOf } from '../../../state/requests/request-kinds.js';
import { type ExpectedLists, expectGains, shownEnd, type Target } from './expected-gains.js';
import { ItemSlopes } from './item-slopes.js';
import { LoggedSums, type LoggedUnit } from './logged-sums.js';
import type { UserClusters } from './user-clusters.js';
import { LOGGED_UNITS } from './value-by-propensities.js';
import { weighLists } from './weigh-lists.js';

/**
 * Sums over requests that other models served with logged propensities and that have a list of the
 * target, for each unit that the propensities allow.
 *
 * The target's probability of the shown item is 1 if its own list has the item at this position,
 * otherwise 0. For `item` propensities it is θ of the item's rank in the target's list. For a list
 * randomised from M candidates it is 1 / M (`slot`), 1 / (M − k) after k items above
 * (`conditional`), or Σ θ / M over the positions that the list fills (`item`).
 *
 * If a request lacks the items that were not shown, q̂ = 0, and doubly robust equals ips. For item
 * propensities the expected reward of the target's list is summed at the first position.
 */
export class TargetSums {
  readonly units: ReadonlyMap<LoggedUnit, LoggedSums>;
  /** Number of requests in the sums: those with a list of the target. */
  requests = 0;
  /**
   * Number of requests that other models served with this kind of propensities, with or without a
   * list of the target.
   */
  served = 0;
  /** Columns of the models that served the requests in the sums. */
  readonly loggers = new Set<number>();
  /** Whether the target itself served requests with this kind of propensities. */
  isLogger = false;
  /** Derivatives of the sums by log θ; for item propensities only. */
  readonly slopes: ItemSlopes | undefined;
  readonly #target: Target;
  readonly #code: number;
  readonly #users: UserClusters;
  readonly #places: number;

  /** @param places length of the longest list. */
  constructor(target: Target, places: number, users: UserClusters) {
    this.#users = users;
    this.#places = places;
    this.#target = target;
    this.slopes = target.propensityOf === 'item' ? new ItemSlopes(target, places) : undefined;
    this.#code = 1 + PROPENSITY_KINDS.indexOf(target.propensityOf);
    this.units = new Map(
      LOGGED_UNITS[target.propensityOf].map((unit) => [
        unit,
        new LoggedSums(places, users.clusters),
      ]),
    );
  }

  /** @param requests of the pane that have logged propensities, by index. */
  add(pane: WindowRequests, requests: Int32Array): void {
    const { column } = this.#target;
    const isListed = new Set(pane.kinds.runs.filter(({ models }) => models.includes(column)));
    const own: number[] = [];
    for (const q of requests) {
      if (pane.logged!.kind[q] !== this.#code) continue;
      if (pane.served[q] === column) {
        this.isLogger = true;
        continue;
      }
      this.served++;
      if (!isListed.has(runOf(pane.kinds, pane.kind[q]))) continue;
      own.push(q);
      this.loggers.add(pane.served[q]);
    }
    if (own.length === 0) return;
    this.requests += own.length;
    const lists = this.#listsOf(pane, own);
    const { shrinkage } = this.#target;
    const weights = shrinkage === undefined ? {} : { shrinkage };
    for (const [unit, sums] of this.units) {
      const expected = unit === 'list' ? lists.expectedAlone : lists.expected;
      weighLists(
        {
          ...lists,
          expected,
        },
        unit,
        weights,
        sums,
      );
    }
  }

  #listsOf(pane: WindowRequests, own: readonly number[]): ExpectedLists {
    const { firstItem, items, logged } = pane;
    const { propensityOf } = this.#target;
    const clusters = this.#users.of.get(pane)!;
    const ends = own.map((q) => shownEnd(pane, q));
    const length = own.reduce((sum, q, n) => sum + ends[n] - firstItem[q], 0);
    const columns = {
      request: new Int32Array(length),
      rank: new Int32Array(length),
      reward: new Float64Array(length),
      propensity: new Float64Array(length),
      target: new Float64Array(length),
      predicted: new Float64Array(length),
      expected: new Float64Array(length),
      // Without the effect of items above.
      expectedAlone: new Float64Array(length),
    };
    const lists = {
      ...columns,
      requests: own.length,
      length,
      propensityOf,
      theta: this.#target.theta,
      cluster: own.map((q) => clusters[q]),
      clusters: this.#users.clusters,
      places: this.#places,
    };
    let at = 0;
    for (const [n, q] of own.entries()) {
      const first = firstItem[q];
      if (ends[n] === first) continue;
      const top = items.ranks[pane.served[q]]![first];
      const chanceAt = this.#chances(pane, q, top);
      const shown = {
        pane,
        q,
        first,
        end: ends[n],
        at,
        top,
      };
      expectGains(this.#target, shown, columns);
      for (let row = first; row < ends[n]; row++) {
        columns.request[at] = n;
        // For propensities per item, the rank is the position on the page; otherwise that in the list.
        columns.rank[at] = row - first + (propensityOf === 'item' ? top : 0);
        columns.reward[at] = items.reward[row];
        columns.propensity[at] = logged!.propensity[row];
        columns.target[at++] = chanceAt(row - first, row);
      }
      this.slopes?.add(shown, lists);
    }
    return lists;
  }

  /**
   * Return a function that gives the target's probability of an item, from its position on the page
   * and its row in the pane.
   * @param top rank of the page's first position in the served list.
   */
  #chances(
    { drawn, items }: WindowRequests,
    q: number,
    top: number,
  ): (place: number, row: number) => number {
    const { column, propensityOf, theta } = this.#target;
    const candidates = drawn?.model[q] === column ? drawn.candidates[q] : 0;
    if (candidates > 0) {
      const { start, end } = drawn!;
      if (propensityOf === 'slot') return () => 1 / candidates;
      if (propensityOf === 'conditional') return (place) => 1 / Math.max(1, candidates - place);
      let seen = 0;
      for (let k = start[q]; k < end[q]; k++) {
        seen += theta[k] ?? 0;
      }
      return () => seen / candidates;
    }
    const ranks = items.ranks[column];
    if (propensityOf !== 'item') return (place, row) => (ranks?.[row] === top + place ? 1 : 0);
    return (_, row) => {
      const rank = ranks?.[row] ?? NOT_IN_LIST;
      return rank === NOT_IN_LIST ? 0 : (theta[rank] ?? 0);
    };
  }
}
