import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';
import type { Measure } from '../metrics/metric-gain.js';
import { UNCORRECTED } from '../names.js';

/** Schema of a metric's sensitivity to γ, computed with pooled snips. */
export const SENSITIVITY = {
  bands: Type.Array(
    Type.Object({
      model: Type.String(),
      lower: Num('Least value over γ from −1 to 1'),
      upper: Num('Greatest value over γ from −1 to 1'),
      [UNCORRECTED]: Num('Value at γ = −1, without correction'),
      equal: Num('Value at γ = 1, where all items are equally relevant'),
    }),
  ),
  flips: Type.Array(
    Type.Object({
      below: Type.String({ description: 'Model that is ahead below this γ' }),
      above: Type.String({ description: 'Model that is ahead above this γ' }),
      gamma: Type.Number(),
      isOfLeaders: Type.Boolean({
        description: 'Whether no other model is ahead of these two at this γ',
      }),
    }),
    { description: 'Values of γ at which two models change order, ascending' },
  ),
  // No gain was observed on items of fewer counts, which does not show that the true gain is 0.
  tails: Type.Array(
    Type.Object({
      model: Type.String(),
      below: Type.Number({
        description: 'Smallest count of an item on which the model has a gain',
      }),
      weight: Type.Number({ description: 'Share of the weight on items with smaller counts' }),
      expected: Type.Number({
        description: 'Gain expected on those items if the gain did not depend on popularity',
      }),
    }),
    {
      description: 'By model: the items less popular than every item on which the model has a gain',
    },
  ),
};

type Shape = Memory<{ [Key in keyof typeof SENSITIVITY]: Static<(typeof SENSITIVITY)[Key]> }>;

/** Range of a model's pooled snips estimate over γ from −1 to 1. */
export type GammaBand = Shape['bands'][number];
/** A γ at which two models change places. */
export type GammaFlip = Shape['flips'][number];
/** The items that are less popular than any item on which a model has a gain. */
export type UnreachedTail = Shape['tails'][number];
export type GammaSensitivity = Pick<Shape, 'bands' | 'flips'>;
export type MeasureSensitivity = Measure & Shape;
