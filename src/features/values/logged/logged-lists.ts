import { UnskewError } from '../../../errors.js';
import type { PropensityOf } from '../../../events/field.js';

export type { PropensityOf } from '../../../events/field.js';

/** Positions of lists drawn by a logger. One entry per position, by request and then by rank. */
export interface LoggedLists {
  /** Number of requests, with and without rewards. */
  readonly requests: number;
  /** By request: index of the user, or of the hash group of users, below `clusters`. */
  readonly cluster: ArrayLike<number>;
  readonly clusters: number;
  /** K, the length of the longest list. */
  readonly places: number;
  readonly length: number;
  /** By position: index of its request. */
  readonly request: ArrayLike<number>;
  /** By position: its 0-based rank. */
  readonly rank: ArrayLike<number>;
  /** By position: reward of the first action on its item. */
  readonly reward: ArrayLike<number>;
  /**
   * By position: the logger's probability of the shown item, in (0, 1]. `slot`: that the item is at
   * this rank. `conditional`: that the item is at this rank, given the items above. `item`: that
   * the item is examined, Σ_k θ_k times the probability of rank k.
   */
  readonly propensity: ArrayLike<number>;
  readonly propensityOf: PropensityOf;
  /**
   * By position: the target's probability of the shown item, of the same kind as `propensity`. For
   * a deterministic list it is 0 or 1, and for `item` θ of the item's rank in the list. Without it
   * the target cannot be evaluated.
   */
  readonly target?: ArrayLike<number>;
  /** By position: q̂, the predicted reward of the shown item. */
  readonly predicted?: ArrayLike<number>;
  /** By position: expected reward of the item that the target shows there. */
  readonly expected?: ArrayLike<number>;
  /** θ by rank; for `item` propensities only. */
  readonly theta?: ArrayLike<number>;
}

/** Logged lists with the target's probabilities. */
export interface TargetedLists extends LoggedLists {
  readonly target: ArrayLike<number>;
}

/**
 * Check the columns of logged lists. @throws UnskewError USAGE for inconsistent columns, positions
 * out of order, or invalid probabilities.
 */
export function checkLists(log: LoggedLists): void {
  const { requests, cluster, clusters, length, propensityOf, theta, predicted, expected } = log;
  if (propensityOf === 'item' && (theta?.length ?? 0) < log.places) {
    fail(
      `propensities of items need θ, the examination probability, of all ${log.places} positions`,
    );
  }
  if ((predicted === undefined) !== (expected === undefined)) {
    fail(
      'predicted rewards of logged items and expected rewards of the target must be given together',
    );
  }
  for (let q = 0; q < requests; q++) {
    if (cluster[q] >= 0 && cluster[q] < clusters) continue;
    fail(`the cluster of request ${q} must be below ${clusters}, not ${cluster[q]}`);
  }
  for (let i = 0; i < length; i++) {
    checkPlace(log, i);
  }
}

function checkPlace(log: LoggedLists, i: number): void {
  const { requests, places, request, rank, propensity, target, propensityOf } = log;
  const isFirst = i === 0 || request[i] !== request[i - 1];
  if (rank[i] !== (isFirst ? 0 : rank[i - 1] + 1) || (i > 0 && request[i] < request[i - 1])) {
    fail(`row ${i} is out of order: sort rows by request, then by rank, which starts at 0`);
  }
  if (!(request[i] >= 0 && request[i] < requests && rank[i] < places)) {
    fail(
      `row ${i} has rank ${rank[i]} of request ${request[i]}, but there are ${requests} requests of ${places} positions`,
    );
  }
  // Examination is not a probability if θ is above 1.
  const most = propensityOf === 'item' ? Number.MAX_VALUE : 1;
  if (!(propensity[i] > 0 && propensity[i] <= most)) {
    fail(`a propensity must be above 0 and at most 1, not ${propensity[i]}`);
  }
  const own = target?.[i] ?? 0;
  if (!(own >= 0 && own <= most)) {
    fail(`a probability of the target must be from 0 to 1, not ${own}`);
  }
}

function fail(message: string): never {
  throw new UnskewError('USAGE', message);
}

/**
 * Probability that an item is shown, over the requests of several loggers: p = Σ_a s_a p_a.
 * Requests of all loggers are weighted by the same p.
 *
 * **Source**: the balance heuristic (Veach & Guibas 1995; Agarwal et al., KDD 2017). Separate
 * estimates for each logger, combined with or without weights, have larger errors. O(loggers ·
 * rows).
 *
 * @param shares of the loggers. @param propensities of the shown item, by logger.
 * @example
 * balancedPropensity([0.9, 0.1], [[0.2], [0.7]]); // [0.25]
 */
export function balancedPropensity(
  shares: ArrayLike<number>,
  propensities: readonly ArrayLike<number>[],
): Float64Array {
  const balanced = new Float64Array(propensities[0]?.length ?? 0);
  for (const [a, own] of propensities.entries()) {
    for (let row = 0; row < balanced.length; row++) {
      balanced[row] += shares[a] * own[row];
    }
  }
  return balanced;
}
