import { UNKNOWN_ITEM, UNUSABLE, type WindowRequests } from '../../state/requests/pane-requests.js';
import { predictedReward } from './predicted-rewards.js';
import { isLogged } from './request-shares.js';

/** r̂ of each item row of a pane's requests. */
export type PredictedRows = ReadonlyMap<WindowRequests, Float64Array>;

/**
 * Predict the reward of each item of each request if it is examined, from other users.
 *
 * Users are divided into two halves by their clusters; r̂ of an item in a request of one half is
 * `predictedReward` over the other half's requests that arms served, from all stored panes with
 * complete items. So r̂ depends neither on the request's arm nor on its rewards, and a doubly
 * robust estimate with it is unbiased. r̂ is constant within a window; one that learned over time
 * would vary within arms, and so would the residuals from their means. If the other half has no
 * requests, r̂ = 0, and doubly robust equals ips.
 *
 * **Source**: cross-fitting (Chernozhukov et al., The Econometrics Journal 21, 2018).
 *
 * @param theta by rank.
 * @returns by pane and row; 8 bytes per row, and 32 per item during the computation. O(rows).
 */
export function rewardsByHalves(
  panes: readonly WindowRequests[],
  theta: ArrayLike<number>,
): PredictedRows {
  // Rewards of a logger's lists do not belong to an arm.
  return predictedByHalves(panes, [theta, theta], (pane, q) => !isLogged(pane, q));
}

/**
 * Predict the rewards of items in some requests. Predictions for one half of the users come from
 * the requests of the other half.
 *
 * @param looks `[half][rank]`: examination probability, for predictions in this half of the users.
 * @param isOf selects the requests.
 */
export function predictedByHalves(
  panes: readonly WindowRequests[],
  looks: readonly [ArrayLike<number>, ArrayLike<number>],
  isOf: (pane: WindowRequests, q: number) => boolean,
): PredictedRows {
  const items = itemsBelow(panes);
  const halves = looks.map((own) => new KnownRewards(own, items));
  eachRequest(panes, isOf, (pane, q) => halves[1 - halfOf(pane, q)].learn(pane, q));
  const found = new Map<WindowRequests, Float64Array>();
  for (const pane of panes) {
    const rows = new Float64Array(pane.items.length);
    eachRequest([pane], isOf, (_, q) => halves[halfOf(pane, q)].predict(pane, q, rows));
    found.set(pane, rows);
  }
  return found;
}

/** The half that the user of a request belongs to. */
export function halfOf({ cluster }: WindowRequests, q: number): 0 | 1 {
  return (cluster[q] & 1) as 0 | 1;
}

/** Call a function for some requests of all panes. */
export function eachRequest(
  panes: readonly WindowRequests[],
  isOf: (pane: WindowRequests, q: number) => boolean,
  visit: (pane: WindowRequests, q: number) => void,
): void {
  for (const pane of panes) {
    for (let q = 0; q < pane.length; q++) {
      if (isOf(pane, q)) {
        visit(pane, q);
      }
    }
  }
}

/** Upper bound (exclusive) of the item numbers in the panes. */
function itemsBelow(panes: readonly WindowRequests[]): number {
  let most = UNKNOWN_ITEM;
  for (const { items } of panes) {
    for (let row = 0; row < items.length; row++) {
      most = Math.max(most, items.item[row]);
    }
  }
  return most + 1;
}

/** Rewards and examinations of items over some users' requests. */
class KnownRewards {
  readonly #theta: ArrayLike<number>;
  /** By item: Σ of its rewards. */
  readonly #rewards: Float64Array;
  /** By item: Σ θ over the positions at which it was shown. */
  readonly #looks: Float64Array;
  /** Σ of rewards and Σ θ over all shown rows, including rows of unknown items. */
  #allRewards = 0;
  #allLooks = 0;

  constructor(theta: ArrayLike<number>, items: number) {
    this.#theta = theta;
    this.#rewards = new Float64Array(items);
    this.#looks = new Float64Array(items);
  }

  /** Add the served list of a request and its rewards. */
  learn({ served, depth, listedLevel, firstItem, items }: WindowRequests, q: number): void {
    const ranks = items.ranks[served[q]];
    // A list without items has no column of ranks.
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

  /** Predict the rewards of a request's items; r₀ for an item that was never shown. */
  predict({ firstItem, items }: WindowRequests, q: number, into: Float64Array): void {
    const common = this.#allLooks > 0 ? this.#allRewards / this.#allLooks : 0;
    for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
      const item = items.item[row];
      const isKnown = item !== UNKNOWN_ITEM;
      const rewards = isKnown ? this.#rewards[item] : 0;
      const looks = isKnown ? this.#looks[item] : 0;
      into[row] = predictedReward(rewards, looks, common);
    }
  }
}
