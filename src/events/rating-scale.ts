/** Scale of the possible ratings: lowest, lowest + step, …, highest. */
export interface RatingScale {
  readonly lowest: number;
  readonly highest: number;
  readonly step: number;
}

/**
 * Largest distance between a value and a rating, in steps, for which the value is that rating.
 * Steps such as 0.1 are not exact in floating point.
 */
const ROUNDING = 1e-4;

/** Number of ratings on a scale. */
export function ratingCount({ lowest, highest, step }: RatingScale): number {
  return Math.round((highest - lowest) / step) + 1;
}

/**
 * Index of the rating nearest to a value; the lowest rating has index 0.
 *
 * @param value any number; beyond the scale, its nearer end is taken. Halves are rounded up:
 * 3.5 on a scale from 1 is a 4, with index 3.
 * @example
 * nearestRating({ lowest: 1, highest: 5, step: 1 }, 3.5); // 3
 */
export function nearestRating(scale: RatingScale, value: number): number {
  const place = Math.floor((value - scale.lowest) / scale.step + 0.5);
  return Math.max(0, Math.min(ratingCount(scale) - 1, place));
}

/** `nearestRating` of many values at once. */
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
