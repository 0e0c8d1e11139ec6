/**
 * Weight of one side (user or item) of an interaction in an intervened test set.
 *
 * 1 / (n + κ)^p, where n counts the interactions of that side in the popularity horizon.
 * The product over both sides is an interaction's sampling weight: skew uses the item's side with p
 * = 1; wtd_h uses the user's with p = 1 and the item's with p = 2. Only ratios matter.
 * Source: Carraro & Bridge 2020, section 4 (hypothesised uniform MAR distribution); κ is ours,
 * since the paper does not define the weight of a zero count.
 *
 * @param count n (events). @param smoothing κ (events); with κ = 0 a zero count weighs 0.
 * @param exponent p. @returns the weight, at least 0.
 * @example
 * interventionWeight(4, 0, 2); // 0.0625
 */
export function interventionWeight(count: number, smoothing: number, exponent: number): number {
  const smoothed = count + smoothing;
  return smoothed > 0 ? smoothed ** -exponent : 0;
}

/**
 * Weight of one side with a measured target: the side's share of randomised traffic.
 *
 * ((m + κ) / (n + κ))^p, m and n the side's randomised and all interactions in the horizon.
 * Source: Carraro & Bridge 2020, eqs. 13 and 14 (WTD); κ is ours, added to both counts.
 *
 * @param target m (events). @param count n (events).
 * @param smoothing κ (events); with κ = 0 a side with m = 0 or n = 0 weighs 0.
 * @param exponent p. @returns the weight, at least 0.
 * @example
 * targetedWeight(2, 4, 0, 2); // 0.25
 */
export function targetedWeight(
  target: number,
  count: number,
  smoothing: number,
  exponent: number,
): number {
  return (target + smoothing) ** exponent * interventionWeight(count, smoothing, exponent);
}
