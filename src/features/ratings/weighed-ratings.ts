import { nearestRatings, type RatingScale } from '../../events/rating-scale.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { RatingWeights } from './rating-weights.js';

/** The rated pairs of a window with what they weigh. */
export interface WeighedRatings {
  readonly rated: RatedPart;
  /** min(1 / P, M), 0 without P. */
  readonly weight: Float64Array;
  /** What M takes away of 1 / P; only there with an M. */
  readonly clipped?: Float64Array;
  /** Place of the rating on the scale. */
  readonly place: Uint16Array;
}

export function weighedRatings(
  rated: RatedPart,
  weights: RatingWeights,
  scale: RatingScale,
): WeighedRatings {
  const place = nearestRatings(scale, rated.rating);
  const inverse = weights.inverses(rated, place);
  const { most } = weights;
  if (most === Number.POSITIVE_INFINITY) {
    return {
      rated,
      place,
      weight: inverse,
    };
  }
  const weight = inverse.map((each) => Math.min(each, most));
  const clipped = inverse.map((each, r) => each - weight[r]);
  return {
    rated,
    place,
    weight,
    clipped,
  };
}
