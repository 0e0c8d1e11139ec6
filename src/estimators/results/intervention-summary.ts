import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';
import type { WeightSummary } from '../interventions/sample-distance.js';
import type { InterventionName } from '../names.js';
import type { WeightQuantile } from './weight-spread.js';

/**
 * Concentration of the items of a set of rows: their number, of a sample the expected one, and the KL
 * divergence from the uniform distribution over the catalogue, in nats.
 */
export const ItemConcentration = Type.Object({ rows: Num(), gini: Num(), kl: Num() });
export type ItemConcentration = Memory<Static<typeof ItemConcentration>>;

/**
 * Total variation of one side's margins from the intervention's target: before it, of the weights
 * themselves, which a very small sample would have, and of the expected sample.
 */
export const MarginDistance = Type.Object({ before: Num(), weights: Num(), sample: Num() });
export type MarginDistance = Memory<Static<typeof MarginDistance>>;

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
