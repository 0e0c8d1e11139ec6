import { UnskewError } from '../../errors.js';

/**
 * Estimate the propensity of observing a rating by its value, from ratings that users chose to give
 * and a sample of ratings of randomly chosen items.
 *
 * P(O | r) = P(r | O) · P(O) / P(r): P(r | O) = n_r / n and P(O) = n / (U · I) from the n chosen
 * ratings, P(r) = (m_r + κ) / (m + κ R) from the m random ones, R the number of values. So P(O | r)
 * = n_r / (U · I · P(r)), capped at 1, which a small sample can exceed. Source: Schnabel et al.
 * 2016, eq. 18; κ is the Laplace estimator of section 6.4. Unbiased if observation depends on the
 * rating alone. If nothing is capped and each value was chosen at least once, Σ 1 / P over the
 * chosen ratings is always U · I, so that check cannot fail here.
 *
 * @param chosen n_r for each value of the rating (ratings). @param random m_r, for the same values.
 * @param pairs U · I, all pairs of a user and an item. @param smoothing κ ≥ 0 (ratings).
 * @returns P(O | r) for each value; 0 for a value that nobody chose.
 * @throws UnskewError USAGE if the two sides have different values, and if κ = 0 and a value was
 * chosen that the random sample lacks, since its propensity is unknown.
 * @example
 * naiveBayesPropensity([2, 6], [3, 1], 100); // [0.0266…, 0.24]
 */
export function naiveBayesPropensity(
  chosen: ArrayLike<number>,
  random: ArrayLike<number>,
  pairs: number,
  smoothing = 0,
): Float64Array {
  if (chosen.length !== random.length) {
    throw new UnskewError(
      'USAGE',
      `counts of chosen and of random ratings need the same rating values, not ${chosen.length} and ${random.length}`,
    );
  }
  let sample = 0;
  for (let r = 0; r < random.length; r++) {
    sample += random[r] + smoothing;
  }
  return Float64Array.from({ length: chosen.length }, (_, r) => {
    if (chosen[r] === 0) return 0;
    const marginal = (random[r] + smoothing) / sample;
    if (marginal > 0) return Math.min(1, chosen[r] / (pairs * marginal));
    throw new UnskewError(
      'USAGE',
      `rating value ${r} (counted from 0) occurs among ratings that users chose to give, but not in the random sample: set smoothing above 0`,
    );
  });
}
