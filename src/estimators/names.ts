import { SET_METRICS } from '../gains/set-measure.js';

/** What is computed where nothing else is asked for: means of gains, which every estimator weighs. */
export const ADDITIVE_METRICS = ['recall', 'dcg', 'mrr', 'auc'] as const;

/** Closed sets of names; label values and JSON fields use them as they stand here. */
export const METRICS = [...ADDITIVE_METRICS, ...SET_METRICS] as const;

export type Metric = (typeof METRICS)[number];

/** Estimators that draw a test set from the rows: their value is the expected one. */
export const INTERVENTIONS = ['full', 'reg', 'skew', 'wtd', 'wtd_h', 'wtd_ipf'] as const;

export type InterventionName = (typeof INTERVENTIONS)[number];

export const ESTIMATORS = ['naive', 'ips', 'snips', 'gs', ...INTERVENTIONS, 'ure'] as const;

export type EstimatorName = (typeof ESTIMATORS)[number];

/** Those that a test set on disk can be drawn by, as `export` offers them: the first by default. */
export const STRATEGIES = [
  'wtd_h',
  'wtd',
  'skew',
  'reg',
  'full',
  'wtd_ipf',
] as const satisfies readonly InterventionName[];

/** What is computed where nothing else is asked for. */
export const DEFAULT_ESTIMATORS = ['naive', 'snips', 'gs', 'skew', 'wtd_h'] as const;

/** Counts every observed row alike: what corrected numbers are held against. */
export const UNCORRECTED = 'naive';
/** The corrected estimator that leads where one number stands for all. */
export const LEADING = 'snips';
/** All that give every row the same weight: what they show of popularity is not corrected. */
export const UNWEIGHTED: readonly EstimatorName[] = [UNCORRECTED, 'full', 'reg'];
/** Divides by propensities that are known absolutely, and not up to a factor. */
export const ABSOLUTE = 'ips';
/** Measured on randomised traffic alone. */
export const RANDOMISED = 'ure';

export const AGGREGATIONS = ['user', 'pooled'] as const;

export type Aggregation = (typeof AGGREGATIONS)[number];
