/**
 * Exponent of the propensity that follows from the exponent of presentation bias.
 *
 * β = (γ + 1) / 2: from n* / n ∝ (n*)^γ · n, where n* is observed and n true popularity.
 * Source: Yang et al. 2018, eq. 15, with the exponent as derived (the printed one is misprinted).
 *
 * @param gamma γ, without unit; −1 means no correction. @returns β.
 * @example
 * propensityExponent(2); // 1.5
 */
export function propensityExponent(gamma: number): number {
  return (gamma + 1) / 2;
}

/**
 * Propensity of observing an interaction with an item, up to an unknown factor.
 *
 * P_i ∝ n_i^β.
 * Source: Yang et al. 2018, eq. 15.
 *
 * @param count n_i (events). @param beta β, see `propensityExponent`. @returns n_i^β.
 * @example
 * unnormalizedPropensity(4, 1.5); // 8
 */
export function unnormalizedPropensity(count: number, beta: number): number {
  return count ** beta;
}

export interface ColdItems {
  /**
   * `smooth`: an item without a count is weighted as if counted `smoothing` times; `drop`: its rows
   * are left out.
   */
  readonly cold: 'smooth' | 'drop';
  /** κ (events); 0 leaves cold items out, as `drop` does. */
  readonly smoothing: number;
}

/**
 * Importance weight of an interaction with an item, as a function of the item's count.
 *
 * w = n^(−β) for n > 0; κ^(−β) for n = 0 if cold items are smoothed, else 0.
 * Rows of an item with weight 0 are left out of the evaluation.
 * Source: Yang et al. 2018, eqs. 10 and 15 (inverse propensity). Caches small counts.
 *
 * @param beta β, see `propensityExponent`.
 * @returns the weight of a count n (events), at least 0.
 * @example
 * importanceWeight(1.5, { cold: 'drop', smoothing: 0.5 })(4); // 0.125
 */
export function importanceWeight(
  beta: number,
  { cold, smoothing }: ColdItems,
): (count: number) => number {
  const isDropped = cold === 'drop' || smoothing === 0;
  const coldWeight = isDropped ? 0 : unnormalizedPropensity(smoothing, -beta);
  return perLevel((n) => (n > 0 ? unnormalizedPropensity(n, -beta) : coldWeight));
}

/**
 * Slope of an importance weight in γ.
 *
 * ∂w/∂γ = −½ w ln n, as w = n^(−(γ + 1) / 2); κ instead of n = 0 if cold items are smoothed.
 * Source: derivative of Yang et al. 2018, eq. 15. A pooled SNIPS value R = Σ wλ / Σ w then has
 * ∂R/∂γ = −½ Cov_w(λ, ln n).
 *
 * @param beta β, see `propensityExponent`.
 * @returns the slope at a count n (events); 0 if the weight is.
 * @example
 * importanceWeightSlope(1, { cold: 'drop', smoothing: 0.5 })(4); // -Math.log(4) / 8
 */
export function importanceWeightSlope(beta: number, items: ColdItems): (count: number) => number {
  const weightOf = importanceWeight(beta, items);
  return perLevel((n) => {
    const weight = weightOf(n);
    return weight === 0 ? 0 : -0.5 * weight * Math.log(n > 0 ? n : items.smoothing);
  });
}

/** Cache a function of a count for small whole counts. */
export function perLevel(of: (count: number) => number): (count: number) => number {
  const known = new Float64Array(SMALL_COUNT).fill(Number.NaN);
  return (count) => {
    if (!(count < SMALL_COUNT) || Math.trunc(count) !== count) return of(count);
    const value = known[count];
    if (!Number.isNaN(value)) return value;
    known[count] = of(count);
    return known[count];
  };
}

const SMALL_COUNT = 4096;
