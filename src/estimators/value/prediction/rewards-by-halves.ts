import { UNKNOWN_ITEM, UNUSABLE } from '../../../state/requests/pane-requests.js';
import type { WindowRequests } from '../../../state/requests/window-requests.js';
import { inSlices } from '../../slices.js';
import { predictedReward } from './predicted-rewards.js';

/** Requests between two yields, with all their items. */
const SLICE = 1024;

/** r̂ of each item row of a pane's requests. */
export type PredictedRows = ReadonlyMap<WindowRequests, Float64Array>;

/**
 * The reward that is expected of each item of each request if it is looked at, from other users.
 *
 * Users are divided into two halves by their clusters; r̂ of an item in a request of one half is
 * `predictedReward` over the requests of the other that arms served: of all panes that are kept, those
 * of which all items are there. So r̂ follows neither the arm that was drawn for the request nor what came of it,
 * and a doubly robust estimate with it is unbiased. It is the same all through a window: one that
 * learned as time goes on would vary within arms, and residuals from their means with it. Where the
 * other half has no requests r̂ = 0, and doubly robust is ips.
 *
 * **Source**: cross-fitting (Chernozhukov et al., The Econometrics Journal 21, 2018).
 *
 * @param panes of all partitions. @param theta by rank.
 * @returns by pane and row; 8 bytes a row, and 32 an item while it is made. Yields now and then. O(rows).
 */
export function* rewardsByHalves(
  panes: readonly WindowRequests[],
  theta: ArrayLike<number>,
): Generator<void, PredictedRows> {
  const items = yield* itemsBelow(panes);
  const halves = [new KnownRewards(theta, items), new KnownRewards(theta, items)];
  for (const pane of panes) {
    yield* inSlices(
      pane.length,
      (from, to) => {
        for (let q = from; q < to; q++) {
          // What a logger's lists earned is no arm's reward.
          const isLogged = pane.logged !== undefined && pane.logged.kind[q] > 0;
          if (!isLogged) halves[pane.cluster[q] & 1].learn(pane, q);
        }
      },
      SLICE,
    );
  }
  const found = new Map<WindowRequests, Float64Array>();
  for (const pane of panes) {
    const own = new Float64Array(pane.items.length);
    found.set(pane, own);
    yield* inSlices(
      pane.length,
      (from, to) => {
        for (let q = from; q < to; q++) halves[1 - (pane.cluster[q] & 1)].predict(pane, q, own);
      },
      SLICE,
    );
  }
  return found;
}

/** No item of the panes has this number or a larger one. */
export function* itemsBelow(panes: readonly WindowRequests[]): Generator<void, number> {
  let most = UNKNOWN_ITEM;
  for (const { items } of panes) {
    yield* inSlices(items.length, (from, to) => {
      for (let row = from; row < to; row++) most = Math.max(most, items.item[row]);
    });
  }
  return most + 1;
}

/** What some users' requests say of items. */
export class KnownRewards {
  readonly #theta: ArrayLike<number>;
  /** By item. */
  readonly #rewards: Float64Array;
  readonly #looks: Float64Array;
  #allRewards = 0;
  #allLooks = 0;

  constructor(theta: ArrayLike<number>, items: number) {
    this.#theta = theta;
    this.#rewards = new Float64Array(items);
    this.#looks = new Float64Array(items);
  }

  /** Takes in what came of the list that was served. */
  learn({ served, depth, listedLevel, firstItem, items }: WindowRequests, q: number): void {
    const ranks = items.ranks[served[q]];
    // Of a list without items there is no column.
    if (served[q] === UNUSABLE || ranks === undefined || depth[q] < listedLevel) return;
    for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
      const look = this.#theta[ranks[row]] ?? 0;
      if (look === 0) continue;
      const item = items.item[row];
      this.#allRewards += items.reward[row];
      this.#allLooks += look;
      if (item === UNKNOWN_ITEM) continue;
      this.#rewards[item] += items.reward[row];
      this.#looks[item] += look;
    }
  }

  /** Of an item that is not known it is r₀, as of one that was never shown. */
  predict({ firstItem, items }: WindowRequests, q: number, into: Float64Array): void {
    const common = this.#allLooks > 0 ? this.#allRewards / this.#allLooks : 0;
    for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
      const item = items.item[row];
      const isKnown = item !== UNKNOWN_ITEM;
      const [rewards, looks] = isKnown ? [this.#rewards[item], this.#looks[item]] : [0, 0];
      into[row] = predictedReward(rewards, looks, common);
    }
  }
}
