/**
 * Select the significant differences so that the expected proportion of false discoveries among
 * them is at most `level`.
 *
 * Finds the largest k with p_(k) ≤ level · k / m, with m tests and their p-values in ascending
 * order, and selects the k smallest p-values. Valid for independent or positively dependent tests
 * that are evaluated once, not repeatedly.
 * **Source**: Benjamini & Hochberg 1995, Controlling the false discovery rate, section 3.
 *
 * @param p one p-value per test; NaN (not tested) is never selected and does not count as a test.
 * @param level 0.05 for 5 %.
 * @returns whether each test is selected, in the order given.
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
