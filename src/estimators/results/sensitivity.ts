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
      [UNCORRECTED]: Num('At γ = −1'),
      equal: Num('At γ = 1, where all items are equally relevant'),
    }),
  ),
  flips: Type.Array(
    Type.Object({
      below: Type.String({ description: 'The model that is ahead below that γ' }),
      above: Type.String({ description: 'The model that is ahead above it' }),
      gamma: Type.Number(),
      isOfLeaders: Type.Boolean({ description: 'No other model is ahead of them there' }),
    }),
    { description: 'Where models change places, ascending by γ' },
  ),
  // No gain was observed on items of fewer counts, which does not show that the true gain is 0.
  tails: Type.Array(
    Type.Object({
      model: Type.String(),
      below: Type.Number({ description: 'Least count of the items that the model gains on' }),
      weight: Type.Number({ description: 'Share of the weight on items of fewer counts' }),
      expected: Type.Number({ description: 'Gain expected on them if the gain did not depend on popularity' }),
    }),
    { description: 'Items less popular than any item with a gain, by model that has a gain' },
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
