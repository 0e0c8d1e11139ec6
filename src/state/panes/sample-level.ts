import type { PopularityRule } from '../counts/popularity-rule.js';
import { DEEPEST } from '../ids/user-depths.js';

/**
 * Least depth of users that one pane of one partition keeps. 0 keeps all users; a level above the
 * greatest depth keeps none.
 */
export interface PaneLevels {
  /** Their lists and rows. */
  readonly rows: number;
  /** Their interaction counts. */
  readonly users: number;
}

/** What one pane of one partition may keep. Infinity sets no limit. */
export interface PaneLimits {
  /** Interactions, late ones included. */
  readonly rows: number;
  /** Items of lists. */
  readonly listEntries: number;
  /** Users with an interaction in the whole horizon that ends with the pane. */
  readonly users: number;
  /** Requests that close with the pane; no limit if left out. */
  readonly requests?: number | undefined;
  /** How what is sampled out is counted; by positives if left out. */
  readonly popularity?: PopularityRule | undefined;
}

export const UNLIMITED: PaneLimits = {
  rows: Number.POSITIVE_INFINITY,
  listEntries: Number.POSITIVE_INFINITY,
  users: Number.POSITIVE_INFINITY,
  requests: Number.POSITIVE_INFINITY,
};

/** Counts by the depth of the user. */
export function depthCounts(): Float64Array {
  return new Float64Array(DEEPEST + 1);
}

/**
 * Find the least level at which the limit holds.
 *
 *   level = min { k : Σ_{d ≥ k} counts[d] ≤ limit }
 *
 * It depends on what there is and not on the order in which it came, and never falls when more
 * comes.
 *
 * @param counts by depth, as of `depthCounts`
 * @returns 0 to 33; 0 for counts of nothing
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

/** Share of the users that a level keeps. */
export function samplingRatio(level: number): number {
  return 2 ** -level;
}
