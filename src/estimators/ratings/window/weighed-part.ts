import { nearestRating } from '../../../events/rating-scale.js';
import type { RatedPart } from '../../../state/panes/ratings/rated-part.js';
import type { RatingOptions } from './rating-options.js';
import type { RatingWeights } from './rating-weights.js';

/** The rows of a partition with what they weigh. */
export interface WeighedPart {
  readonly part: RatedPart;
  /** min(1 / P, M), 0 without P. */
  readonly weight: Float64Array;
  /** What M takes away of 1 / P; only there with an M. */
  readonly clipped?: Float64Array;
  /** Place of the rating on the scale. */
  readonly place: Uint16Array;
}

export function weighedPart(
  part: RatedPart,
  weights: RatingWeights,
  { scale }: Pick<RatingOptions, 'scale'>,
): WeighedPart {
  const inverse = Float64Array.from(part.rating, (_, row) => weights.inverse(part, row));
  const weight = inverse.map((each) => Math.min(each, weights.most));
  const isClipped = weights.most < Number.POSITIVE_INFINITY;
  return {
    ...{ part, weight },
    ...(isClipped && { clipped: inverse.map((each, row) => each - weight[row]) }),
    place: Uint16Array.from(part.rating, (rating) => nearestRating(scale, rating)),
  };
}
