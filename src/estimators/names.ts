import type { EstimatorName, InterventionName } from './rules/registry.js';

/**
 * How the 95 % interval of an estimate is made. `t-logit` and `bootstrap` stand on the logit scale
 * with t(ESS − 1); `korn-graubard` is binomial, of as many draws as the error is worth.
 */
export const INTERVAL_METHODS = ['t-logit', 'bootstrap', 'korn-graubard'] as const;
export type IntervalMethod = (typeof INTERVAL_METHODS)[number];

export type { Metric } from './metrics/registry.js';
export { AGGREGATIONS, type Aggregation } from './rules/weighting-rule.js';
export type { EstimatorName, InterventionName };

/** Those that a test set on disk can be drawn by, as `export` offers them: the first by default. */
export const STRATEGIES = [
  'wtd_h',
  'wtd',
  'skew',
  'reg',
  'full',
  'wtd_ipf',
] as const satisfies readonly InterventionName[];

/** Counts every observed row alike: what corrected numbers are compared with. */
export const UNCORRECTED = 'naive' satisfies EstimatorName;
/** The corrected estimator that leads if one number stands for all. */
export const LEADING = 'snips' satisfies EstimatorName;
/** All that give every row the same weight: what they show of popularity is not corrected. */
export const UNWEIGHTED: readonly EstimatorName[] = [UNCORRECTED, 'full', 'reg'];
/** Weigh a user's rows by importance: by user they have the bias of a ratio of few rows. */
export const WEIGHTED_WITHIN_USERS: readonly EstimatorName[] = [LEADING, 'gs'];
/** Interventions whose weight of an item or a user is known from its counts alone, if looked up. */
export const COUNT_WEIGHTED = ['skew', 'wtd_h'] as const satisfies readonly InterventionName[];
export type LookedUp = typeof LEADING | (typeof COUNT_WEIGHTED)[number];
/** Divides by propensities that are known absolutely, and not up to a factor. */
export const ABSOLUTE = 'ips' satisfies EstimatorName;
/** Measured on randomised traffic alone. */
export const RANDOMISED = 'ure' satisfies EstimatorName;
/** What a request is worth that was served a model's list, by the names that it has among estimates. */
export const ON_POLICY = {
  metric: 'value',
  estimator: 'on_policy',
  aggregation: 'request',
} as const;
/** What a shown list is worth, with a request or not: the mean over all lists. */
export const SHOWN_LISTS = {
  ...ON_POLICY,
  aggregation: 'pooled',
} as const;
