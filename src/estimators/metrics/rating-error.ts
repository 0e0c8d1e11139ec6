/**
 * Errors δ of a predicted rating Ŷ against the rating Y of the same user and item. The performance
 * of a prediction matrix is the mean of δ over all users and items, observed or not; see
 * `ipsRating` for its estimate from observed ratings.
 */

/**
 * Absolute error of a predicted rating; its mean is MAE.
 *
 * δ = |Y − Ŷ|.
 * Source: Schnabel et al. 2016, eq. 2. At least 0; O(1).
 *
 * @param rating Y. @param predicted Ŷ, on the same scale. @returns δ, on that scale.
 * @example
 * absoluteRatingError(4, 2.5); // 1.5
 */
export function absoluteRatingError(rating: number, predicted: number): number {
  return Math.abs(rating - predicted);
}

/**
 * Squared error of a predicted rating; its mean is MSE.
 *
 * δ = (Y − Ŷ)².
 * Source: Schnabel et al. 2016, eq. 3. At least 0; O(1).
 *
 * @param rating Y. @param predicted Ŷ, on the same scale. @returns δ, on that scale squared.
 * @example
 * squaredRatingError(4, 2.5); // 2.25
 */
export function squaredRatingError(rating: number, predicted: number): number {
  return (rating - predicted) ** 2;
}

/**
 * Whether a rating was predicted exactly; its mean is accuracy, of which more is better.
 *
 * δ = 1{Ŷ = Y}.
 * Source: Schnabel et al. 2016, eq. 4. Range {0, 1}; O(1).
 *
 * @param rating Y. @param predicted Ŷ, rounded to a rating if it is to count.
 * @example
 * ratingAccuracy(4, 4); // 1
 */
export function ratingAccuracy(rating: number, predicted: number): number {
  return rating === predicted ? 1 : 0;
}
