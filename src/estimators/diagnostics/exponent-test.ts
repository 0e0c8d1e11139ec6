import { poissonRegression } from '../../propensity/poisson-regression.js';
import {
  type ItemCounts,
  ORGANIC_TRAFFIC,
  RANDOMIZED_TRAFFIC,
  type WindowPart,
} from '../../state/panes/window-part.js';
import type { ExponentTest } from '../results/exponent-test.js';

/**
 * Estimates the exponent of popularity in the propensity from what organic and randomised traffic
 * found side by side.
 *
 * F_rand(n) ~ Poisson(F_org(n) e^{a − β̂ ln n}) over the levels n of item popularity: where the
 * organic rows of an item are n^β times as likely as its randomised ones, β̂ finds β.
 * Source: own, from Yang et al. 2018, eq. 15; γ > 1 (β > 1) assumes that true relevance falls as
 * observed popularity rises, which this can refute.
 *
 * @param organic,randomized positives per item (events), as long as `popularity`.
 * @param popularity n_i per item (events); items without a count tell nothing.
 * @param used the exponent that is used.
 * @returns NaN where fewer than two levels, or no randomised positives, leave it undetermined.
 * @example
 * // twice the popularity, the same randomised and twice the organic positives: β̂ = 1
 */
export function exponentTest(
  organic: Float64Array,
  randomized: Float64Array,
  popularity: Float64Array,
  used: number,
): ExponentTest {
  const levels = new Map<number, { organic: number; randomized: number }>();
  for (let i = 0; i < popularity.length; i++) {
    if (!(popularity[i] > 0) || (organic[i] === 0 && randomized[i] === 0)) continue;
    const level = levels.get(popularity[i]) ?? { organic: 0, randomized: 0 };
    level.organic += organic[i];
    level.randomized += randomized[i];
    levels.set(popularity[i], level);
  }
  const cells = [...levels].filter(([, level]) => level.organic > 0).sort(([a], [b]) => a - b);
  const { slope, stdErr } = poissonRegression(
    cells.map(([n]) => Math.log(n)),
    cells.map(([, level]) => level.organic),
    cells.map(([, level]) => level.randomized),
  );
  return {
    beta: -slope,
    stdErr,
    used,
    deviation: Math.abs(-slope - used) / stdErr,
    levels: cells.length,
    organic: cells.reduce((sum, [, level]) => sum + level.organic, 0),
    randomized: cells.reduce((sum, [, level]) => sum + level.randomized, 0),
  };
}

/** The test on the positive rows of a window; a pair that has both kinds counts as both. */
export function* windowExponentTest(
  parts: readonly WindowPart[],
  { popularity, items }: ItemCounts,
  used: number,
  sliceRows: number,
): Generator<void, ExponentTest> {
  const organic = new Float64Array(items);
  const randomized = new Float64Array(items);
  for (const { rows, item, positive, traffic } of parts) {
    for (let r = 0; r < rows; r++) {
      if (r % sliceRows === sliceRows - 1) yield;
      if (positive[r] === 0) continue;
      if ((traffic[r] & ORGANIC_TRAFFIC) !== 0) organic[item[r]]++;
      if ((traffic[r] & RANDOMIZED_TRAFFIC) !== 0) randomized[item[r]]++;
    }
  }
  return exponentTest(organic, randomized, popularity.subarray(0, items), used);
}
