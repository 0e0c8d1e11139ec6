import type { ExposureLevels } from './exposure-levels.js';
import type { GammaFit } from './gamma.js';

/** Result of a log-linear fit of counts. */
interface PoissonFit {
  readonly intercept: number;
  readonly slope: number;
  /** Quasi-Poisson standard error of the slope. */
  readonly stdErr: number;
  /** φ, the variance of a count over its mean; 1 for Poisson counts. */
  readonly dispersion: number;
}

const UNDETERMINED: PoissonFit = {
  intercept: Number.NaN,
  slope: Number.NaN,
  stdErr: Number.NaN,
  dispersion: Number.NaN,
};
const MAX_STEPS = 100;
const TOLERANCE = 1e-12;

/**
 * Slope of a Poisson regression with one regressor and known exposure.
 *
 * y_j ~ Poisson(μ_j), μ_j = m_j e^{a + b x_j}; maximum likelihood by Newton's method on the two
 * equations Σ (y − μ) = 0, Σ x (y − μ) = 0, with x centred at its mean weighted by μ.
 * stdErr = √(φ / Σ μ (x − x̄_μ)²), φ = Σ (y − μ)² / μ / (K − 2).
 * Source: McCullagh & Nelder 1989, 6.2 and 9.2 (quasi-likelihood).
 *
 * Cells with y = 0 are used, cells with m = 0 are not. O(K) per step.
 *
 * @param x regressor. @param size m_j ≥ 0. @param count y_j ≥ 0, sums of events.
 * @returns NaN for values that are not determined: all if every event is at the lowest or at the
 * highest x (the likelihood then has no maximum) or there are no events, stdErr below three cells.
 * @example
 * poissonRegression([0, 1, 2], [1, 1, 1], [2, 4, 8]).slope; // Math.log(2)
 */
export function poissonRegression(
  x: ArrayLike<number>,
  size: ArrayLike<number>,
  count: ArrayLike<number>,
): PoissonFit {
  const cells = usedCells(x, size, count);
  if (!hasMaximum(cells)) return UNDETERMINED;
  let slope = 0;
  let at = momentsAt(cells, slope);
  for (let step = 0; step < MAX_STEPS; step++) {
    let move = (at.meanOfCounts - at.mean) / at.variance;
    let next = momentsAt(cells, slope + move);
    // The profile likelihood is concave: half the step until it rises, and the maximum is found.
    while (!(next.logLikelihood >= at.logLikelihood - TOLERANCE) && Math.abs(move) > TOLERANCE) {
      move /= 2;
      next = momentsAt(cells, slope + move);
    }
    slope += move;
    at = next;
    if (Math.abs(move) <= TOLERANCE * (1 + Math.abs(slope))) break;
  }
  return summary(cells, slope, at);
}

interface Cell {
  readonly x: number;
  readonly size: number;
  readonly count: number;
}

function usedCells(
  x: ArrayLike<number>,
  size: ArrayLike<number>,
  count: ArrayLike<number>,
): Cell[] {
  const cells: Cell[] = [];
  for (let j = 0; j < x.length; j++) {
    if (size[j] > 0) {
      cells.push({
        x: x[j],
        size: size[j],
        count: count[j],
      });
    }
  }
  return cells;
}

function hasMaximum(cells: readonly Cell[]): boolean {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let above = false;
  let below = false;
  for (const { x } of cells) {
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  for (const { x, count } of cells) {
    above ||= count > 0 && x > low;
    below ||= count > 0 && x < high;
  }
  return above && below;
}

/** Mean and variance of x under weights m e^{bx}, and the likelihood at the optimal a. */
function momentsAt(cells: readonly Cell[], slope: number) {
  let peak = Number.NEGATIVE_INFINITY;
  for (const { x } of cells) {
    peak = Math.max(peak, slope * x);
  }
  let total = 0;
  let sum = 0;
  let events = 0;
  let eventSum = 0;
  for (const { x, size, count } of cells) {
    const weight = size * Math.exp(slope * x - peak);
    total += weight;
    sum += weight * x;
    events += count;
    eventSum += count * x;
  }
  const mean = sum / total;
  let squares = 0;
  for (const { x, size } of cells) {
    squares += size * Math.exp(slope * x - peak) * (x - mean) ** 2;
  }
  return {
    mean,
    variance: squares / total,
    meanOfCounts: eventSum / events,
    events,
    intercept: Math.log(events / total) - peak,
    logLikelihood: slope * (eventSum / events) - peak - Math.log(total),
  };
}

function summary(
  cells: readonly Cell[],
  slope: number,
  { intercept, events, variance }: ReturnType<typeof momentsAt>,
): PoissonFit {
  let chiSquare = 0;
  for (const { x, size, count } of cells) {
    const expected = size * Math.exp(intercept + slope * x);
    if (expected > 0) {
      chiSquare += (count - expected) ** 2 / expected;
    }
  }
  const freedom = cells.length - 2;
  const dispersion = freedom > 0 ? chiSquare / freedom : Number.NaN;
  // Σ μ = Σ y at the maximum, so that Σ μ (x − x̄)² is the events times the variance of x.
  return {
    intercept,
    slope,
    dispersion,
    stdErr: Math.sqrt(dispersion / (events * variance)),
  };
}

/**
 * Fit γ by Poisson regression, with a standard error that is robust to differences between items.
 *
 * se² = Σ_i (x_i − x̄)² r_i² / (Σ_i μ_i (x_i − x̄)²)², r_i = (N_i − μ_i) / (1 − h_i), over the
 * items, h_i = μ_i (1 / Σ μ + (x_i − x̄)² / Σ μ (x − x̄)²) their leverage. Items of a level differ
 * in N_i only, so its ΣN and ΣN² are enough.
 * Source: Huber's sandwich with the jackknife correction (HC3). If items differ, the variance of
 * exposures grows with the square of their mean, and the intervals of a common factor φ
 * (quasi-Poisson) are too wide.
 *
 * @param levels n and their exposures. @param end index of the first level to exclude.
 * @returns NaN for values that the levels do not determine.
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
  for (let j = 0; j < end; j++) {
    information += items[j] * mu[j] * (x[j] - mean) ** 2;
  }
  let spread = 0;
  for (let j = 0; j < end; j++) {
    const leverage = mu[j] * (1 / total + (x[j] - mean) ** 2 / information);
    const residuals =
      levels.squares[j] - 2 * mu[j] * levels.exposures[j] + items[j] * mu[j] * mu[j];
    spread += ((x[j] - mean) / (1 - leverage)) ** 2 * Math.max(0, residuals);
  }
  return {
    gamma: slope,
    intercept,
    stdErr: Math.sqrt(spread) / information,
    dispersion,
  };
}
