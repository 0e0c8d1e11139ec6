import type { PopularityRule } from '../counts/popularity-rule.js';
import { DEEPEST } from '../ids/user-depths.js';

/**
 * Sampling levels of one pane of one partition. A level is the least depth (see `depthOf`) of the
 * users that are kept. Level 0 keeps all users, and each further level half as many. A level above
 * the greatest depth keeps none.
 */
export interface PaneLevels {
  /** Lists and rows are kept only of users of at least this depth. */
  readonly rows: number;
  /** Interaction counts are kept only of users of at least this depth. */
  readonly users: number;
}

/** Memory limits of one pane of one partition. Infinity sets no limit. */
export interface PaneLimits {
  /** Number of interactions, including late ones. */
  readonly rows: number;
  /** Number of list items. */
  readonly listEntries: number;
  /** Number of users with an interaction in the horizon that ends with the pane. */
  readonly users: number;
  /** Number of requests that close with the pane; unlimited by default. */
  readonly requests?: number | undefined;
  /**
   * Rule by which events of users outside the sample count towards popularity; positives by
   * default.
   */
  readonly popularity?: PopularityRule | undefined;
}

export const UNLIMITED: PaneLimits = {
  rows: Number.POSITIVE_INFINITY,
  listEntries: Number.POSITIVE_INFINITY,
  users: Number.POSITIVE_INFINITY,
  requests: Number.POSITIVE_INFINITY,
};

/** Create an array of counts by the depth of the user, all 0. */
export function depthCounts(): Float64Array {
  return new Float64Array(DEEPEST + 1);
}

/**
 * Find the least level at which the limit holds.
 *
 *   level = min { k : Σ_{d ≥ k} counts[d] ≤ limit }
 *
 * The level does not depend on the order of arrival, and never falls when more arrives.
 *
 * @param counts by depth, as of `depthCounts`
 * @returns 0 to 33; 0 if all counts are 0
 * @example
 * levelWithin(Float64Array.of(8, 4, 2), 6); // 1
 */
export function levelWithin(counts: Float64Array, limit: number): number {
  let kept = 0;
  for (let depth = counts.length - 1; depth >= 0; depth--) {
    kept += counts[depth];
    if (kept > limit) return depth + 1;
  }
  return 0;
}

/** Expected fraction of the users that a sampling level keeps. */
export function samplingRatio(level: number): number {
  return 2 ** -level;
}
