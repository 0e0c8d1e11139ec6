import type { WindowPart } from '../../state/panes/window-part.js';

/**
 * Share of the importance weight that lies on items counted once.
 *
 * s₁ = Σ_{n_i = 1} w / Σ w over the positive rows.
 * Source: after Good 1953, where the share of what was seen once estimates the chance of what was
 * never seen; here by weight. Above a fifth the estimates lean to what was found.
 *
 * @param popularity n_i. @param weight per item; rows of weight 0 do not count.
 * @param sliceRows rows of work between two yields.
 * @returns NaN without weight; O(rows), yielding between slices.
 * By hand: one row each of items with n = 1 and n = 4, weights 1 and 1/4: 4/5.
 */
export function* singleCountShare(
  parts: readonly WindowPart[],
  { popularity }: { readonly popularity: Float64Array },
  weight: Float64Array,
  sliceRows: number,
): Generator<void, number> {
  let once = 0;
  let total = 0;
  for (const { rows, item, positive } of parts) {
    for (let from = 0; from < rows; from += sliceRows) {
      const to = Math.min(rows, from + sliceRows);
      for (let r = from; r < to; r++) {
        const own = positive[r] * weight[item[r]];
        total += own;
        if (popularity[item[r]] === 1) once += own;
      }
      yield;
    }
  }
  return once / total;
}
