import { bisect } from '../mathematics/bisection.js';
import { studentTQuantile } from '../mathematics/student-t.js';
import type { ResponseLevels } from './response-levels.js';
import { SplitCounts, type SplitMoments } from './split-counts.js';

/** An exponent of popularity, freed of the noise of the counts. */
export interface SplitFit {
  /** α; NaN where `isTooSparse`. */
  readonly alpha: number;
  readonly stdErr: number;
  /** 95 %. */
  readonly lower: number;
  readonly upper: number;
  /** ν: on how many items the error rests. */
  readonly effectiveItems: number;
  /** Degrees of freedom of the interval. */
  readonly df: number;
  /** A₀: the share of the fitted sizes that comes from items whose size part is empty. */
  readonly unsizedShare: number;
  /** Whether the counts are too small for an answer. */
  readonly isTooSparse: boolean;
}

/** Above it the value of h_α(0), which no count tells, decides. */
const MOST_UNSIZED = 0.45;
/** Of the central difference. */
const STEP = 1e-4;
/** |g| at a root; at a pole, where Σv₀ changes its sign, it is far above. */
const ROOT = 1e-6;
const MOST_LEVERAGE = 0.5;

/**
 * The exponent of popularity that responses follow, from noisy counts of popularity.
 *
 * R_i ~ c Λ_i^α, n_i ~ Poisson(Λ_i): g(α) = ΣRu₁/ΣRu₀ − Σv₁/Σv₀ = 0 with u and v of `SplitCounts`,
 * over the items with n_i ≥ 1. With c = ΣRu₀/Σv₀ and x̄ = ΣRu₁/ΣRu₀,
 * ψ_i = [R(u₁ − x̄u₀) − c(v₁ − x̄v₀)] / (1 − ℓ), ℓ = μ(1/ΣRu₀ + x²/Σμx²) within [0, ½], μ = cv₀,
 * x = u₁/u₀ − x̄; se = √Σψ² / |g′ ΣRu₀|; ν = (Σψ²)²/Σψ⁴ items carry it, so the quantile is that
 * of t with max(1, ν − 1) degrees of freedom.
 * Source: own: a method of moments on split counts, the error Huber's sandwich with the jackknife
 * correction (HC3). A regression on n_i itself takes the noise of n_i for popularity and is biased.
 *
 * Refused as too sparse where Σ_i P(A_i = 0) h_α(0) is more than .45 of Σv₀, where g has no root in
 * the range, and where all items stand at one level. One pass over the levels for each α; about 45 of them.
 *
 * @param levels n_i and sums of powers of R_i (events).
 * @param from,to the range of α.
 * @throws RangeError for a count that is not a whole number.
 * @example
 * const levels = responseLevels(Float64Array.of(100, 200, 400), Float64Array.of(50, 200, 800), 3);
 * splitFit(levels, -3, 2.5).alpha; // 2.0
 */
export function splitFit(levels: ResponseLevels, from: number, to: number): SplitFit {
  const split = new SplitCounts(levels.count);
  const [responses] = levels.sums;
  const placed = weighted(split.u0, responses);
  const mean = weighted(split.u1, responses) / placed;
  const balance = (alpha: number) => {
    const { v0, v1 } = split.at(alpha);
    return mean - weighted(v1, levels.items) / weighted(v0, levels.items);
  };
  // A single level is placed where it is by any α, at an error of nothing.
  const alpha = placed > 0 && levels.count.length > 1 ? bisect(balance, from, to) : Number.NaN;
  if (Number.isNaN(alpha)) return tooSparse(Number.NaN);
  const moments = split.at(alpha);
  const sizes = weighted(moments.v0, levels.items);
  const unsizedShare = (moments.atZero * weighted(split.unsized, levels.items)) / sizes;
  if (!(Math.abs(balance(alpha)) <= ROOT && sizes > 0)) return tooSparse(Number.NaN);
  if (unsizedShare > MOST_UNSIZED) return tooSparse(unsizedShare);
  const slope = (balance(alpha + STEP) - balance(alpha - STEP)) / (2 * STEP);
  const { squares, fourths } = influence(levels, split, moments, mean);
  const stdErr = Math.sqrt(squares) / Math.abs(slope * placed);
  const effectiveItems = squares ** 2 / fourths;
  const df = Math.max(effectiveItems - 1, 1);
  const half = studentTQuantile(0.975, df) * stdErr;
  const interval = { lower: alpha - half, upper: alpha + half };
  return { alpha, stdErr, ...interval, effectiveItems, df, unsizedShare, isTooSparse: false };
}

/** Σψ² and Σψ⁴: within a level ψ is linear in R, so that sums of powers of R are enough. */
function influence(
  { items, sums }: ResponseLevels,
  { u0, u1 }: SplitCounts,
  { v0, v1 }: SplitMoments,
  mean: number,
) {
  const placed = weighted(u0, sums[0]);
  const c = placed / weighted(v0, items);
  const offset = u1.map((u, j) => u / u0[j] - mean);
  const spread = offset.reduce((sum, x, j) => sum + items[j] * c * v0[j] * x * x, 0);
  let squares = 0;
  let fourths = 0;
  for (let j = 0; j < items.length; j++) {
    const leverage = c * v0[j] * (1 / placed + offset[j] ** 2 / spread);
    const rest = 1 - Math.min(MOST_LEVERAGE, Math.max(0, leverage));
    const a = (u1[j] - mean * u0[j]) / rest;
    const b = (c * (v1[j] - mean * v0[j])) / rest;
    const [r1, r2, r3, r4] = sums.map((sum) => sum[j]);
    const m = items[j];
    squares += Math.max(0, a ** 2 * r2 - 2 * a * b * r1 + b ** 2 * m);
    const odd = 4 * a * b * (a ** 2 * r3 + b ** 2 * r1);
    fourths += Math.max(0, a ** 4 * r4 + 6 * (a * b) ** 2 * r2 + b ** 4 * m - odd);
  }
  return { squares, fourths };
}

function tooSparse(unsizedShare: number): SplitFit {
  const none = Number.NaN;
  return {
    ...{ alpha: none, stdErr: none, lower: none, upper: none, effectiveItems: none, df: none },
    unsizedShare,
    isTooSparse: true,
  };
}

function weighted(values: Float64Array, weights: Float64Array): number {
  let total = 0;
  for (let j = 0; j < values.length; j++) total += values[j] * weights[j];
  return total;
}
