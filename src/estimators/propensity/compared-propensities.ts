/** How two sets of propensities stand to each other, over the observed ratings. */
export interface ComparedPropensities {
  /** The largest of P / P′ and P′ / P. */
  readonly largestRatio: number;
  /** Mean rating by the one, by the other, and 2 standard errors of their difference. */
  readonly means: readonly [number, number];
  readonly margin: number;
  /** The means differ by more than chance: at least one of the two is wrong. */
  readonly doDisagree: boolean;
}

/**
 * Compares two propensities of the same ratings by what they make of the mean rating.
 *
 * means: SNIPS of the rating; margin: 2 √(Σ_r e_r²), e_r = w_r (y_r − R) / Σw − w′_r (y_r − R′) / Σw′,
 * the linearised difference of the two. Source: Schnabel et al. 2016, eq. 11; Särndal et al. 1992,
 * 5.5 (linearisation). What the two are estimated from is taken as given, so the margin is narrow.
 *
 * @param rating y. @param one P. @param other P′, of the same ratings.
 * @returns NaN in all without ratings.
 * @example
 * comparedPropensities([1, 5], [0.1, 0.5], [0.1, 0.1]).means; // [1.666…, 3]
 */
export function comparedPropensities(
  rating: ArrayLike<number>,
  one: ArrayLike<number>,
  other: ArrayLike<number>,
): ComparedPropensities {
  const [a, b] = [one, other].map((propensity) => weightedMean(rating, propensity));
  let largestRatio = Number.NaN;
  let variance = 0;
  for (let r = 0; r < rating.length; r++) {
    const ratio = one[r] / other[r];
    largestRatio = Math.max(Number.isNaN(largestRatio) ? 1 : largestRatio, ratio, 1 / ratio);
    const influence =
      (rating[r] - a.mean) / one[r] / a.weights - (rating[r] - b.mean) / other[r] / b.weights;
    variance += influence * influence;
  }
  const margin = 2 * Math.sqrt(variance);
  const doDisagree = Math.abs(a.mean - b.mean) > margin;
  return { largestRatio, means: [a.mean, b.mean], margin, doDisagree };
}

function weightedMean(rating: ArrayLike<number>, propensity: ArrayLike<number>) {
  let weights = 0;
  let sum = 0;
  for (let r = 0; r < rating.length; r++) {
    weights += 1 / propensity[r];
    sum += rating[r] / propensity[r];
  }
  return { weights, mean: sum / weights };
}
