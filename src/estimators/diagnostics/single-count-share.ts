/**
 * Share of the importance weight that lies on items counted once.
 *
 * s₁ = Σ_{n_i = 1} w / Σ w over the positive rows.
 * Source: after Good 1953, where the share of what was seen once estimates the chance of what was
 * never seen; here by weight. Above a fifth the estimates lean to what was found.
 *
 * @param rowsOf positive rows by item: `positivesByItem`. @param popularity n_i. @param weight per
 * item; rows of weight 0 do not count.
 * @returns NaN without weight; O(items).
 * @example
 * const rowsOf = Float64Array.of(1, 1); // one row each of items with n = 1 and n = 4
 * singleCountShare(rowsOf, Float64Array.of(1, 4), Float64Array.of(1, 1 / 4)); // 0.8
 */
export function singleCountShare(
  rowsOf: Float64Array,
  popularity: Float64Array,
  weight: Float64Array,
): number {
  let once = 0;
  let total = 0;
  for (let i = 0; i < rowsOf.length; i++) {
    const own = rowsOf[i] * weight[i];
    total += own;
    if (popularity[i] === 1) once += own;
  }
  return once / total;
}
