import { nearestRatings } from '../../events/rating-scale.js';
import type { RatedPart } from '../../state/panes/window-part.js';
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
  const place = nearestRatings(scale, part.rating);
  const weight = weights.inverses(part, place);
  const { most } = weights;
  if (most === Number.POSITIVE_INFINITY) return { part, weight, place };
  const clipped = weight.map((each) => each - Math.min(each, most));
  return { part, place, clipped, weight: weight.map((each) => Math.min(each, most)) };
}
