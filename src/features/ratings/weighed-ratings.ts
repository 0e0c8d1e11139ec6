import { nearestRatings, type RatingScale } from '../../events/rating-scale.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { RatingWeights } from './rating-weights.js';

/** Rated pairs of a window with their weights. */
export interface WeighedRatings {
  readonly rated: RatedPart;
  /** Weight min(1 / P, M) of each row, with propensity P and largest weight M; 0 without P. */
  readonly weight: Float64Array;
  /** 1 / P minus the weight; present only if there is a largest weight M. */
  readonly clipped?: Float64Array;
  /** Position of each rating on the scale, from 0. */
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
