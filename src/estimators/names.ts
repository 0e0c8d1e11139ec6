import type { EstimatorName, InterventionName } from './rules/registry.js';

/**
 * Methods for the 95 % interval of an estimate. `t-logit` and `bootstrap` use the logit scale with
 * t(ESS − 1); `korn-graubard` is binomial, with as many draws as give the standard error.
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

/** Counts every observed row alike: corrected numbers are compared with it. */
export const UNCORRECTED = 'naive' satisfies EstimatorName;
/** The corrected estimator that is shown if there is room for one. */
export const LEADING = 'snips' satisfies EstimatorName;
/** Estimators that give every row the same weight, so they do not correct for popularity. */
export const UNWEIGHTED: readonly EstimatorName[] = [UNCORRECTED, 'full', 'reg'];
/**
 * Estimators that weigh a user's rows by importance: their mean over users has the bias of a ratio
 * of few rows.
 */
export const WEIGHTED_WITHIN_USERS: readonly EstimatorName[] = [LEADING, 'gs'];
/** Interventions whose weight of an item or a user follows from its counts alone. */
export const COUNT_WEIGHTED = ['skew', 'wtd_h'] as const satisfies readonly InterventionName[];
export type LookedUp = typeof LEADING | (typeof COUNT_WEIGHTED)[number];
/** Divides by propensities on an absolute scale, not only up to a factor. */
export const ABSOLUTE = 'ips' satisfies EstimatorName;
/** Evaluated on randomised traffic only. */
export const RANDOMISED = 'ure' satisfies EstimatorName;
/** Names under which the reward per request of a served model stands among estimates. */
export const ON_POLICY = {
  metric: 'value',
  estimator: 'on_policy',
  aggregation: 'request',
} as const;
/** Names of the mean reward over all shown lists, with a request or without. */
export const SHOWN_LISTS = {
  ...ON_POLICY,
  aggregation: 'pooled',
} as const;
