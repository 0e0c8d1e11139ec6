import type { Aggregation, EstimatorName, Metric } from '../names.js';

/** How far two estimators agree on the order of the models. */
export interface RankingAgreement {
  readonly metric: Metric;
  readonly k: number | null;
  readonly aggregation: Aggregation;
  readonly estimators: readonly [EstimatorName, EstimatorName];
  /** Kendall's τ-b; NaN where one of the two tells no models apart. */
  readonly tau: number;
  /** Pairs of models of which the first estimator prefers the first and the other the second. */
  readonly flips: readonly (readonly [string, string])[];
}
