import { nearestRatings, type RatingScale } from '../../events/rating-scale.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { RatingWeights } from './rating-weights.js';

/** Rated pairs of a window with their weights. */
export interface WeighedRatings {
  readonly rated: RatedPart;
  /** Weight min(1 / P, M); 0 without P. */
  readonly weight: Float64Array;
  /** 1 / P minus the weight; only with a largest weight M. */
  readonly clipped?: Float64Array;
  /** Position of the rating on the scale. */
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
