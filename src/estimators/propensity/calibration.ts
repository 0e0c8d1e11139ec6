import { responseLevels } from './response-levels.js';
import { splitFit } from './split-fit.js';

/**
 * Status of a calibration: whether randomised traffic determines the exponent of the propensity.
 */
export const CALIBRATION_STATUSES = ['ok', 'too_sparse'] as const;

/**
 * Exponent β of the propensity n^β, estimated from randomised traffic and corrected for the noise
 * of counts.
 */
export interface Calibration {
  readonly status: (typeof CALIBRATION_STATUSES)[number];
  /** β̂, the estimate of β; NaN if counts are too sparse. */
  readonly beta: number;
  /** Standard error of β̂. */
  readonly stdErr: number;
  /** Ends of the 95 % interval of β. */
  readonly lower: number;
  readonly upper: number;
  /** Degrees of freedom of the interval. */
  readonly df: number;
  /** Effective number of items that the standard error rests on. */
  readonly effectiveItems: number;
  /** Share of the fitted total that comes from items whose size is not measured, see `SplitFit`. */
  readonly unsizedShare: number;
  /** Number of items with organic positives. */
  readonly items: number;
  /** Number of organic positives of these items. */
  readonly organic: number;
  /** Number of randomised positives of these items. */
  readonly randomized: number;
}

/** Search range of α = 1 − β: β from −1.5 to 4. */
const FROM = -3;
const TO = 2.5;

/**
 * Estimate the exponent of the propensity from organic and randomised positives.
 *
 * An item's organic positives are N_i ~ Poisson(Λ_i), Λ ∝ relevance · Λ^β; the mean of its
 * randomised positives is proportional to relevance alone, R_i ~ c Λ_i^(1−β). α = 1 − β by
 * `splitFit`, which is not biased by the noise of N_i. A regression on N_i would find exponents
 * near 1.
 * Source: own, from Yang et al. 2018, eq. 15; splitting of counts as in Leiner et al. 2023.
 *
 * Bias below .04 and size .03 to .10 for β from 0 to 1.5 at 300 to 3,000 randomised positives and
 * 15 organic positives per item. If items of equal expected popularity differ in relevance, β̂ is
 * the exponent that makes the weighted counts follow relevance on average over items of equal Λ,
 * which is nearer to 0 than that of the observation process. O(I) and 45 passes over the levels.
 *
 * @param organic N_i per item over the horizon (events), without randomised positives, since
 * otherwise R and N are dependent and the test rejects true exponents.
 * @param randomized R_i per item (events). @param items number of items I to read.
 * @returns NaN and `too_sparse` if counts are too small, or if there is no solution.
 * @throws RangeError for organic counts that are not whole numbers.
 * @example
 * // relevance is proportional to the observed counts: β̂ is about 0
 * calibration(Float64Array.of(50, 100, 200), Float64Array.of(5, 10, 20), 3).beta; // 0.0
 */
export function calibration(
  organic: ArrayLike<number>,
  randomized: ArrayLike<number>,
  items: number,
): Calibration {
  const levels = responseLevels(organic, randomized, items);
  const { alpha, stdErr, lower, upper, df, effectiveItems, unsizedShare, isTooSparse } = splitFit(
    levels,
    FROM,
    TO,
  );
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  return {
    status: isTooSparse ? 'too_sparse' : 'ok',
    beta: 1 - alpha,
    stdErr,
    lower: 1 - upper,
    upper: 1 - lower,
    df,
    effectiveItems,
    unsizedShare,
    items: total(levels.items),
    organic: levels.count.reduce((sum, n, j) => sum + n * levels.items[j], 0),
    randomized: total(levels.sums[0]),
  };
}
