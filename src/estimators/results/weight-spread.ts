import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';

/** Rows whose weight lies in [from, 2 from), relative to the mean weight; `from` is a power of 2. */
export const WeightBin = Type.Object({
  from: Type.Number({ description: 'Weight over the mean weight; the bin ends at its double' }),
  rows: Type.Number(),
  weightShare: Num('Share of all weight'),
});
export type WeightBin = Memory<Static<typeof WeightBin>>;

/** Which quantiles of weights are reported. */
export const WEIGHT_QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1] as const;

/** A quantile of weights over their mean, so that 1 is a weight that changes nothing. */
export const WeightQuantile = Type.Object({ quantile: Type.Number(), weight: Num() });
export type WeightQuantile = Memory<Static<typeof WeightQuantile>>;
