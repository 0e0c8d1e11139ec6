import type { EstimatorName, InterventionName } from './rules/registry.js';

/**
 * Methods for the 95 % interval of an estimate. `t-logit` and `bootstrap` use the logit scale with
 * t(ESS − 1); `korn-graubard` is the binomial interval for the number of draws that has the same
 * standard error.
 */
export const INTERVAL_METHODS = ['t-logit', 'bootstrap', 'korn-graubard'] as const;
export type IntervalMethod = (typeof INTERVAL_METHODS)[number];

export type { Metric } from './metrics/registry.js';
export { AGGREGATIONS, type Aggregation } from './rules/weighting-rule.js';
export type { EstimatorName, InterventionName };

/** Interventions by which `export` can draw a test set; the first is the default. */
export const STRATEGIES = [
  'wtd_h',
  'wtd',
  'skew',
  'reg',
  'full',
  'wtd_ipf',
] as const satisfies readonly InterventionName[];

/** The estimator that weighs all rows alike, with which corrected estimates are compared. */
export const UNCORRECTED = 'naive' satisfies EstimatorName;
/** The corrected estimator that is displayed if there is room for only one. */
export const LEADING = 'snips' satisfies EstimatorName;
/** Estimators that weigh all rows alike, so they do not correct for popularity. */
export const UNWEIGHTED: readonly EstimatorName[] = [UNCORRECTED, 'full', 'reg'];
/**
 * Estimators that weigh the rows of a user by importance. A user's value is then a ratio of sums
 * over few rows, which is biased, and so is the mean over users.
 */
export const WEIGHTED_WITHIN_USERS: readonly EstimatorName[] = [LEADING, 'gs'];
/** Interventions whose weights depend on the counts of items and users alone. */
export const COUNT_WEIGHTED = ['skew', 'wtd_h'] as const satisfies readonly InterventionName[];
export type LookedUp = typeof LEADING | (typeof COUNT_WEIGHTED)[number];
/** The estimator that needs propensities on an absolute scale, not only up to a factor. */
export const ABSOLUTE = 'ips' satisfies EstimatorName;
/** The estimator that uses randomised traffic only. */
export const RANDOMISED = 'ure' satisfies EstimatorName;
/** Names that identify the reward per request of a served model among estimates. */
export const ON_POLICY = {
  metric: 'value',
  estimator: 'on_policy',
  aggregation: 'request',
} as const;
/** Names that identify the mean reward over all shown lists, with or without a request id. */
export const SHOWN_LISTS = {
  ...ON_POLICY,
  aggregation: 'pooled',
} as const;
