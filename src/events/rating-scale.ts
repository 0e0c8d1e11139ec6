/** The ratings that there can be: lowest, lowest + step … highest. */
export interface RatingScale {
  readonly lowest: number;
  readonly highest: number;
  readonly step: number;
}

/** How far a rating may lie from its place, in steps: .1 has no exact double. */
const ROUNDING = 1e-4;

/** How many ratings there can be. */
export function ratingCount({ lowest, highest, step }: RatingScale): number {
  return Math.round((highest - lowest) / step) + 1;
}

/**
 * Place of the rating that lies nearest to a value, from 0 up.
 *
 * @param value on the scale of ratings, or beyond it: then its end is nearest. Halves go up:
 * 3.5 on a scale from 1 is a 4, whose place is 3.
 * @example
 * nearestRating({ lowest: 1, highest: 5, step: 1 }, 3.5); // 3
 */
export function nearestRating(scale: RatingScale, value: number): number {
  const place = Math.floor((value - scale.lowest) / scale.step + 0.5);
  return Math.max(0, Math.min(ratingCount(scale) - 1, place));
}

/** The same of many values at once. */
export function nearestRatings(scale: RatingScale, values: Float32Array): Uint16Array {
  const { lowest, step } = scale;
  const last = ratingCount(scale) - 1;
  const places = new Uint16Array(values.length);
  for (let v = 0; v < values.length; v++) {
    const place = Math.floor((values[v] - lowest) / step + 0.5);
    places[v] = place < 0 ? 0 : place > last ? last : place;
  }
  return places;
}

/**
 * Whether a value is one of the ratings.
 *
 * @example
 * isRating({ lowest: 1, highest: 5, step: 1 }, 3.5); // false
 */
export function isRating(scale: RatingScale, value: number): boolean {
  const rating = scale.lowest + nearestRating(scale, value) * scale.step;
  return Math.abs(value - rating) <= ROUNDING * scale.step;
}
