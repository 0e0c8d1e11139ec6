import type { UnreachedTail } from '../results/sensitivity.js';
import type { LevelGains } from './gamma-sensitivity.js';

/**
 * The items below the least popular one that a model gains on, and how much of the estimate rests
 * on them.
 *
 * With A_n = Σλ and C_n rows at level n, b = min {n : A_n > 0} and w_n = n^(−β): the weight share
 * Σ_{n<b} C_n w_n / Σ C_n w_n, and the expected gain Σ_{n<b} C_n · (Σ_{n≥b} A_n / Σ_{n≥b} C_n). A list
 * of popular items alone has much of both. Were its gain independent of popularity, none below b
 * would have a chance of about exp(−expected) where each gain is at most 1.
 * Source: own. O(levels).
 *
 * @param levels counts n that rows are weighted by, above 0. @param beta β, see `propensityExponent`.
 * @returns null for a model that gains nothing.
 * @example
 * // 90 rows of items counted 100 times, half of them hits; 10 rows of items counted once, no hit
 * const rows = Float64Array.of(10, 90);
 * unreachedTail([1, 100], { model: 'a', rows, gains: Float64Array.of(0, 45) }, 1);
 * // { model: 'a', below: 100, weight: 10 / 10.9, expected: 5 }
 */
export function unreachedTail(
  levels: ArrayLike<number>,
  { model, rows, gains }: LevelGains,
  beta: number,
): UnreachedTail | null {
  let below = Number.POSITIVE_INFINITY;
  for (let j = 0; j < gains.length; j++) if (gains[j] > 0) below = Math.min(below, levels[j]);
  if (below === Number.POSITIVE_INFINITY) return null;
  let [gain, reached, unreached, weight, ofUnreached] = [0, 0, 0, 0, 0];
  for (let j = 0; j < gains.length; j++) {
    const own = rows[j] * levels[j] ** -beta;
    weight += own;
    gain += gains[j];
    if (levels[j] >= below) {
      reached += rows[j];
      continue;
    }
    unreached += rows[j];
    ofUnreached += own;
  }
  return { model, below, weight: ofUnreached / weight, expected: (unreached * gain) / reached };
}
