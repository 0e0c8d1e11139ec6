import type { WeightSummary } from '../interventions/sample-distance.js';
import type { InterventionName } from '../names.js';
import type { WeightQuantile } from './weight-spread.js';

/** Concentration of the items of a set of rows. */
export interface ItemConcentration {
  /** Number of rows; of a sample, the expected one. */
  readonly rows: number;
  readonly gini: number;
  /** KL divergence from the uniform distribution over the catalogue, in nats. */
  readonly kl: number;
}

/** Total variation of one side's margins from the intervention's target. */
export interface MarginDistance {
  readonly before: number;
  /** Of the weights themselves: what a very small sample would have. */
  readonly weights: number;
  /** Of the expected sample. */
  readonly sample: number;
}

/** How an intervention changes the rows of a window. */
export interface InterventionSummary extends WeightSummary {
  readonly estimator: InterventionName;
  readonly userWeights: readonly WeightQuantile[];
  readonly itemWeights: readonly WeightQuantile[];
  /** From uniform over the users and items with a row; for wtd from randomised traffic's shares. */
  readonly margins: { readonly user: MarginDistance; readonly item: MarginDistance };
  readonly before: ItemConcentration;
  readonly sample: ItemConcentration;
  /** Of wtd_ipf: components of the rows, and whether uniform margins were out of reach. */
  readonly raking?: { readonly components: number; readonly isDamped: boolean };
}
