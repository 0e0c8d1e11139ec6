import type { ExposureLevels } from './exposure-levels.js';
import type { GammaFit } from './gamma.js';
import { poissonRegression } from './poisson-regression.js';

/**
 * The Poisson fit, with a standard error that is robust to items that differ.
 *
 * se² = Σ_i (x_i − x̄)² r_i² / (Σ_i μ_i (x_i − x̄)²)², r_i = (N_i − μ_i) / (1 − h_i), over the items,
 * h_i = μ_i (1 / Σ μ + (x_i − x̄)² / Σ μ (x − x̄)²) their leverage; within a level all but N_i is
 * equal, so that the level's ΣN and ΣN² are enough.
 * Source: Huber's sandwich with the jackknife correction (HC3). An item's exposures vary with the
 * square of their mean where items differ; a common factor φ (quasi-Poisson) then covers too often.
 *
 * @param levels n and their exposures. @param end levels from there on do not enter.
 * @returns NaN for what the levels do not determine.
 * @example
 * const levels = exposureLevels(Float64Array.of(1, 2, 4), Float64Array.of(1, 4, 16), 3);
 * poissonGamma(levels).gamma; // 2
 */
export function poissonGamma(
  levels: ExposureLevels,
  end = levels.count.length,
): GammaFit['poisson'] {
  const x = levels.count.subarray(0, end).map(Math.log);
  const items = levels.items.subarray(0, end);
  const { intercept, slope, dispersion } = poissonRegression(x, items, levels.exposures);
  const mu = x.map((value) => Math.exp(intercept + slope * value));
  let total = 0;
  let sum = 0;
  for (let j = 0; j < end; j++) {
    total += items[j] * mu[j];
    sum += items[j] * mu[j] * x[j];
  }
  const mean = sum / total;
  let information = 0;
  for (let j = 0; j < end; j++) information += items[j] * mu[j] * (x[j] - mean) ** 2;
  let spread = 0;
  for (let j = 0; j < end; j++) {
    const leverage = mu[j] * (1 / total + (x[j] - mean) ** 2 / information);
    const residuals =
      levels.squares[j] - 2 * mu[j] * levels.exposures[j] + items[j] * mu[j] * mu[j];
    spread += ((x[j] - mean) / (1 - leverage)) ** 2 * Math.max(0, residuals);
  }
  return { gamma: slope, intercept, stdErr: Math.sqrt(spread) / information, dispersion };
}
