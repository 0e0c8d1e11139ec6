/**
 * Select the differences that are found, with an expected share of false ones of at most `level`.
 *
 * The largest k with p_(k) ≤ level · k / m; those with the k smallest p are found. Holds where the
 * tests are independent or positively dependent, and in one look: not over repeated looks.
 * **Source**: Benjamini & Hochberg 1995, Controlling the false discovery rate, section 3.
 *
 * @param p one p-value a test; NaN (not tested) is never found and does not count as a test.
 * @param level 0.05 for 5 %.
 * @returns in the order given.
 * @example
 * discoveries([0.001, 0.04, 0.03, 0.9], 0.05); // [true, false, false, false]
 */
export function discoveries(p: readonly number[], level: number): readonly boolean[] {
  const tested = p.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  let limit = Number.NEGATIVE_INFINITY;
  for (let k = tested.length; k > 0; k--) {
    if (tested[k - 1] > (level * k) / tested.length) continue;
    limit = tested[k - 1];
    break;
  }
  return p.map((value) => value <= limit);
}
