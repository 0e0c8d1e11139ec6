import { SHARE_ROUNDING } from '../../../state/requests/pane-requests.js';
import type { ServedLog } from './served-log.js';

/** Number of bands of shares, each a tenth wide, within which shares are compared with the served arms. */
export const SHARE_BANDS = 10;

/**
 * Sums for arms if each request has its own shares s.
 *
 * Values by arm and cluster have index arm · clusters + cluster, by arm and band of shares arm ·
 * `SHARE_BANDS` + band. 8 bytes per number, 5 · clusters + 33 numbers per arm.
 */
export class OwnShareSums {
  readonly shape: {
    readonly arms: number;
    readonly clusters: number;
  };
  /** By arm and cluster: requests with s > 0 for the arm. */
  readonly possible: Float64Array;
  /** By arm and cluster: Σ 1{a} / s, 1{a} = 1 for requests that the arm served. */
  readonly weights: Float64Array;
  /** By arm and cluster: Σ 1{a} c / s, c the reward. */
  readonly weighted: Float64Array;
  /** By arm and cluster: Σ (1{a} − s), requests served beyond those expected. */
  readonly excess: Float64Array;
  /** By arm and cluster: Σ s (1 − s), the variance of `excess`. */
  readonly spread: Float64Array;
  /** By arm: Σ c / s, weighted rewards of its items. */
  readonly rowWeights: Float64Array;
  /** By arm: Σ (c / s)², squared weighted rewards of its items. */
  readonly rowSquares: Float64Array;
  /** By arm: the largest weighted reward c / s of an item. */
  readonly largest: Float64Array;
  /** By arm and band of its share: number of requests that the arm served. */
  readonly observed: Float64Array;
  /** By arm and band of its share: Σ s, the expected number. */
  readonly expected: Float64Array;
  /** By arm and band of its share: Σ s (1 − s), the variance of the number. */
  readonly variance: Float64Array;
  /** Number of requests whose shares do not sum to 1. */
  partial = 0;
  /** Number of requests served by an arm with share 0. */
  impossible = 0;

  constructor(shape: OwnShareSums['shape']) {
    const { arms, clusters } = shape;
    this.shape = shape;
    const column = (length: number) => new Float64Array(length);
    this.possible = column(arms * clusters);
    this.weights = column(arms * clusters);
    this.weighted = column(arms * clusters);
    this.excess = column(arms * clusters);
    this.spread = column(arms * clusters);
    this.rowWeights = column(arms);
    this.rowSquares = column(arms);
    this.largest = column(arms);
    this.observed = column(arms * SHARE_BANDS);
    this.expected = column(arms * SHARE_BANDS);
    this.variance = column(arms * SHARE_BANDS);
  }
}

/**
 * Sum a log whose requests have their own shares. O(requests · arms + rows).
 *
 * @param share of the requests. @param ranks number of examined ranks; lower items have no reward.
 */
export function sumOwnShares(
  { requests, items, arms, clusters }: ServedLog,
  share: ArrayLike<number>,
  ranks: number,
): OwnShareSums {
  const sums = new OwnShareSums({
    arms: arms.length,
    clusters,
  });
  for (let q = 0; q < requests.length; q++) {
    addRequest(sums, requests, share, q);
  }
  for (let row = 0; row < items.length; row++) {
    const reward = items.reward[row];
    if (reward === 0) continue;
    const q = items.request[row];
    const arm = requests.arm[q];
    const own = share[q * arms.length + arm];
    if (items.ranks[arms[arm].list][row] >= ranks || !(own > 0)) continue;
    const weighted = reward / own;
    sums.weighted[arm * clusters + requests.cluster[q]] += weighted;
    sums.rowWeights[arm] += weighted;
    sums.rowSquares[arm] += weighted * weighted;
    if (weighted > sums.largest[arm]) {
      sums.largest[arm] = weighted;
    }
  }
  return sums;
}

function addRequest(
  sums: OwnShareSums,
  { arm, cluster }: ServedLog['requests'],
  share: ArrayLike<number>,
  q: number,
): void {
  const { arms, clusters } = sums.shape;
  let whole = 0;
  for (let a = 0; a < arms; a++) {
    const own = share[q * arms + a];
    const isServed = arm[q] === a ? 1 : 0;
    const at = a * clusters + cluster[q];
    const band = a * SHARE_BANDS + Math.min(SHARE_BANDS - 1, Math.floor(own * SHARE_BANDS));
    whole += own;
    sums.excess[at] += isServed - own;
    sums.spread[at] += own * (1 - own);
    sums.observed[band] += isServed;
    sums.expected[band] += own;
    sums.variance[band] += own * (1 - own);
    if (!(own > 0)) {
      sums.impossible += isServed;
      continue;
    }
    sums.possible[at]++;
    sums.weights[at] += isServed / own;
  }
  if (!(Math.abs(whole - 1) <= SHARE_ROUNDING)) {
    sums.partial++;
  }
}
