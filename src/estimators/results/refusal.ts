import type { Aggregation, EstimatorName, Metric } from '../names.js';

/** An estimator that was asked for and has no value in this window, and why. */
export interface Refusal {
  readonly estimator: EstimatorName;
  /** The metric that has no value; all, where it is not given. */
  readonly metric?: Metric;
  /** The form that has no value; both, where it is not given. */
  readonly aggregation?: Aggregation;
  readonly reason: string;
}
