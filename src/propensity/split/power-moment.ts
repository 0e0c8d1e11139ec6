import { logGamma } from '../../mathematics/incomplete-beta.js';

/** From here up Γ(k + 1 − α) has no pole and no negative value for any α of the range. */
const START = 6;
/** Terms of Σ 1 / Γ(k + 1 − α) that are above rounding. */
const TERMS = 60;

/**
 * h_α(k) for k = 0 … size: a function of a Poisson count A whose mean is a power of A's mean.
 *
 * h_α(k) = Γ(k+1) / Γ(k+1−α) for k ≥ 1; h_α(0) = e − Σ_{k≥1} 1 / Γ(k+1−α). Then E h_α(A) = Λ^α for
 * A ~ Poisson(Λ): exactly at Λ = 1, ever closer as Λ grows, and at every Λ where α is 0, 1, 2 ….
 * Source: own; for whole α the factorial moments, Johnson, Kemp & Kotz 2005, 4.3. By the recurrence
 * h(k) = h(k−1) k / (k−α), downwards where 1 / Γ has zeros and signs. O(size).
 *
 * @param alpha α, from −10 to 5. @param size the largest k.
 * @returns size + 1 values; some are negative if 1 < α.
 * @throws RangeError for an α outside of that range.
 * @example
 * powerMoments(2, 4); // [0, 0, 2, 6, 12]: k (k − 1)
 */
export function powerMoments(alpha: number, size: number): Float64Array {
  if (!(alpha >= -10 && alpha <= 5)) {
    throw new RangeError(`powerMoments: α is ${alpha}, expected a number from -10 to 5`);
  }
  const last = Math.max(size, TERMS);
  const h = new Float64Array(last + 1);
  h[START] = Math.exp(logGamma(START + 1) - logGamma(START + 1 - alpha));
  for (let k = START; k > 1; k--) h[k - 1] = (h[k] * (k - alpha)) / k;
  for (let k = START + 1; k <= last; k++) h[k] = (h[k - 1] * k) / (k - alpha);
  let sum = 0;
  let factorial = 1;
  for (let k = 1; k <= TERMS; k++) {
    factorial *= k;
    sum += h[k] / factorial;
  }
  h[0] = Math.E - sum;
  return h.subarray(0, size + 1);
}

/**
 * h_α(n) = Γ(n+1) / Γ(n+1−α) for large n, without the digits that two logarithms of Γ would lose.
 *
 * W^α (1 − α(α²−1) / 24 W² + …), W = n + (1 − α) / 2.
 * Source: Fields 1966 (ratio of gamma functions). Relative error below 1e-9 from n = 100, |α| ≤ 5.
 *
 * @param alpha α. @param n at least 100.
 * @example
 * largePowerMoment(2, 1000); // 999000
 */
export function largePowerMoment(alpha: number, n: number): number {
  const w = n + (1 - alpha) / 2;
  const rho = (1 + alpha) / 2;
  const pairs = (alpha * (alpha - 1)) / 2;
  const fours = (pairs * (alpha - 2) * (alpha - 3)) / 12;
  const square = 1 / (w * w);
  const series = 1 - square * (pairs * (rho / 6) - (square * fours * rho * (1 + 5 * rho)) / 60);
  return w ** alpha * series;
}
