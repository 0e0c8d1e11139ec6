import type { EstimateRow } from './estimate.js';

/** What an intervention gives on test sets that were drawn, beside what is to be expected. */
export interface DrawnEstimate
  extends Pick<EstimateRow, 'model' | 'metric' | 'k' | 'estimator' | 'form'> {
  /** Sets with a value. */
  readonly draws: number;
  readonly mean: number;
  /** Between sets; NaN of one. */
  readonly stdDev: number;
}
