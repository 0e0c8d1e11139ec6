import { bisect } from '../mathematics/bisection.js';
import { logGamma, studentTQuantile } from '../mathematics/distributions.js';
import type { ResponseLevels } from './response-levels.js';

/** Least k from which Γ(k + 1 − α) has no pole and no negative value for any α of the range. */
const START = 6;
/** Number of terms of Σ 1 / Γ(k + 1 − α) that exceed rounding error. */
const TERMS = 60;

/**
 * Compute h_α(k) for k = 0 … size, a function whose mean over a Poisson count A is a power of A's
 * mean.
 *
 * h_α(k) = Γ(k+1) / Γ(k+1−α) for k ≥ 1; h_α(0) = e − Σ_{k≥1} 1 / Γ(k+1−α). Then E h_α(A) = Λ^α for
 * A ~ Poisson(Λ): exactly at Λ = 1 and for α = 0, 1, 2 …, and with an error that vanishes as Λ
 * grows.
 * Source: own; for whole α the factorial moments, Johnson, Kemp & Kotz 2005, 4.3. By the recurrence
 * h(k) = h(k−1) k / (k−α), downwards where 1 / Γ has zeros or changes sign. O(size).
 *
 * @param alpha α, from −10 to 5. @param size the largest k.
 * @returns size + 1 values; some are negative if 1 < α.
 * @throws RangeError for an α outside of that range.
 * @example
 * powerMoments(2, 4); // [0, 0, 2, 6, 12]: k (k − 1)
 */
export function powerMoments(alpha: number, size: number): Float64Array {
  if (!(alpha >= -10 && alpha <= 5)) {
    throw new RangeError(`powerMoments: α is ${alpha}, expected a number from -10 to 5`);
  }
  const last = Math.max(size, TERMS);
  const h = new Float64Array(last + 1);
  h[START] = Math.exp(logGamma(START + 1) - logGamma(START + 1 - alpha));
  for (let k = START; k > 1; k--) {
    h[k - 1] = (h[k] * (k - alpha)) / k;
  }
  for (let k = START + 1; k <= last; k++) {
    h[k] = (h[k - 1] * k) / (k - alpha);
  }
  let sum = 0;
  let factorial = 1;
  for (let k = 1; k <= TERMS; k++) {
    factorial *= k;
    sum += h[k] / factorial;
  }
  h[0] = Math.E - sum;
  return h.subarray(0, size + 1);
}

/**
 * Compute h_α(n) = Γ(n+1) / Γ(n+1−α) for large n, without the loss of precision of two logarithms
 * of Γ.
 *
 * W^α (1 − α(α²−1) / 24 W² + …), W = n + (1 − α) / 2.
 * Source: Fields 1966 (ratio of gamma functions). Relative error below 1e-9 from n = 100, |α| ≤ 5.
 *
 * @param alpha α. @param n at least 100.
 * @example
 * largePowerMoment(2, 1000); // 999000
 */
export function largePowerMoment(alpha: number, n: number): number {
  const w = n + (1 - alpha) / 2;
  const rho = (1 + alpha) / 2;
  const pairs = (alpha * (alpha - 1)) / 2;
  const fours = (pairs * (alpha - 2) * (alpha - 3)) / 12;
  const square = 1 / (w * w);
  const series = 1 - square * (pairs * (rho / 6) - (square * fours * rho * (1 + 5 * rho)) / 60);
  return w ** alpha * series;
}

/**
 * q, the probability that an event is in part A of the split, which measures an item's size; the
 * other events are in part B, which determines the regressor.
 */
const SHARE = 0.7;
/** Largest count whose split is summed exactly; above it two terms of an expansion are accurate. */
const LARGEST_SUMMED = 200;

/** v_j = E[h_α(A) f_j(B) | n] for j = 0, 1, by level n; see `SplitCounts`. */
interface SplitMoments {
  readonly v0: Float64Array;
  readonly v1: Float64Array;
  /** h_α(0). */
  readonly atZero: number;
}

/**
 * Expectations over a split of whole counts into two independent parts.
 *
 * A ~ Bin(n, q), B = n − A, q = .7: if n is Poisson, A and B are independent. B gives the regressor
 * and A the size, so their noise is uncorrelated. f₀ = 1{B ≥ 1}, f₁ = f₀ ln(B + ½);
 * u_j(n) = E[f_j(B) | n], v_j(n) = E[h_α(A) f_j(B) | n], h_α as in `powerMoments`. Expectations are
 * exact, without drawing. Above n = 200: u₀ = 1, u₁ = ln((1−q)n + ½) − q / (2(1−q)n), v₀ = q^α
 * h_α(n), v₁ = v₀ (u₁ − α/n). Source: own; splitting of Poisson counts as in Leiner et al. 2023
 * (data fission). O(n²) once for the levels up to 200; then O(n) for each level and α.
 *
 * @example
 * new SplitCounts([1, 50, 4000]).at(0.5).v0.length; // 3
 */
export class SplitCounts {
  /** u_0 = E[f_0(B) | n] by level n. */
  readonly u0: Float64Array;
  /** u_1 = E[f_1(B) | n] by level n. */
  readonly u1: Float64Array;
  readonly #counts: ArrayLike<number>;
  /** By level: P(A = a | n) f_j(n − a) for a = 0 … n − 1; undefined above 200. */
  readonly #weights: (
    | {
        readonly f0: Float64Array;
        readonly f1: Float64Array;
      }
    | undefined
  )[] = [];
  readonly #largest: number;

  /**
   * @param counts the levels n (events), whole numbers above 0.
   * @throws RangeError for any other count
   */
  constructor(counts: ArrayLike<number>) {
    this.#counts = counts;
    this.u0 = new Float64Array(counts.length).fill(1);
    this.u1 = new Float64Array(counts.length);
    let largest = 0;
    for (let j = 0; j < counts.length; j++) {
      const n = counts[j];
      if (!Number.isInteger(n) || n < 1) {
        throw new RangeError(`SplitCounts: a count is ${n}, expected a whole number above 0`);
      }
      if (n > LARGEST_SUMMED) {
        const rest = (1 - SHARE) * n;
        this.u1[j] = Math.log(rest + 0.5) - SHARE / (2 * rest);
        this.#weights.push(undefined);
        continue;
      }
      largest = Math.max(largest, n);
      const weights = splitWeights(n);
      this.#weights.push(weights);
      this.u0[j] = sum(weights.f0);
      this.u1[j] = sum(weights.f1);
    }
    this.#largest = largest;
  }

  /** P(A = 0 | n) by level n, the probability that no event measures the item's size. */
  get unsized(): Float64Array {
    return Float64Array.from(this.#counts, (n) => (1 - SHARE) ** n);
  }

  /** Compute the moments v_0 and v_1 for one exponent. @param alpha α, from −10 to 5. */
  at(alpha: number): SplitMoments {
    const h = powerMoments(alpha, this.#largest);
    const v0 = new Float64Array(this.#counts.length);
    const v1 = new Float64Array(this.#counts.length);
    const scale = SHARE ** alpha;
    for (let j = 0; j < v0.length; j++) {
      const n = this.#counts[j];
      const weights = this.#weights[j];
      if (weights === undefined) {
        v0[j] = scale * largePowerMoment(alpha, n);
        v1[j] = v0[j] * (this.u1[j] - alpha / n);
        continue;
      }
      v0[j] = product(weights.f0, h);
      v1[j] = product(weights.f1, h);
    }
    return {
      v0,
      v1,
      atZero: h[0],
    };
  }
}

function splitWeights(n: number) {
  const f0 = new Float64Array(n);
  const f1 = new Float64Array(n);
  let chance = (1 - SHARE) ** n;
  for (let a = 0; a < n; a++) {
    f0[a] = chance;
    f1[a] = chance * Math.log(n - a + 0.5);
    chance *= ((n - a) / (a + 1)) * (SHARE / (1 - SHARE));
  }
  return { f0, f1 };
}

function sum(values: Float64Array): number {
  let total = 0;
  for (let a = 0; a < values.length; a++) {
    total += values[a];
  }
  return total;
}

/** Sum of products over the length of the first array, which is not longer than the other. */
function product(first: Float64Array, other: Float64Array): number {
  let total = 0;
  for (let a = 0; a < first.length; a++) {
    total += first[a] * other[a];
  }
  return total;
}

/**
 * Estimate of α, the exponent with which responses grow with popularity, corrected for the noise of
 * counts.
 */
export interface SplitFit {
  /** α; NaN if `isTooSparse`. */
  readonly alpha: number;
  readonly stdErr: number;
  /** Ends of the 95 % interval. */
  readonly lower: number;
  readonly upper: number;
  /** ν: the effective number of items that the standard error rests on. */
  readonly effectiveItems: number;
  /** Degrees of freedom of the interval. */
  readonly df: number;
  /** Share of the fitted total Σv₀ that comes from items with A = 0, whose size is not measured. */
  readonly unsizedShare: number;
  /** Whether the counts are too small for an estimate. */
  readonly isTooSparse: boolean;
}

/**
 * Largest `unsizedShare` of a usable fit. Above it h_α(0) dominates, which the counts do not
 * determine.
 */
const MOST_UNSIZED = 0.45;
/** Step in α of the central difference that gives g′. */
const STEP = 1e-4;
/** Largest |g| at a root. At a pole, where Σv₀ changes its sign, |g| is far larger. */
const ROOT = 1e-6;
const MOST_LEVERAGE = 0.5;

/**
 * Estimate the exponent with which responses grow with popularity, from noisy counts of popularity.
 *
 * R_i ~ c Λ_i^α, n_i ~ Poisson(Λ_i): g(α) = ΣRu₁/ΣRu₀ − Σv₁/Σv₀ = 0 with u and v of `SplitCounts`,
 * over the items with n_i ≥ 1. With c = ΣRu₀/Σv₀ and x̄ = ΣRu₁/ΣRu₀, ψ_i = [R(u₁ − x̄u₀) − c(v₁ −
 * x̄v₀)] / (1 − ℓ), ℓ = μ(1/ΣRu₀ + x²/Σμx²) within [0, ½], μ = cv₀, x = u₁/u₀ − x̄; se = √Σψ² / |g′
 * ΣRu₀|; ν = (Σψ²)²/Σψ⁴ is the effective number of items, and the quantile is that of t with max(1,
 * ν − 1) degrees of freedom.
 * Source: own: a method of moments on split counts, the error Huber's sandwich with the jackknife
 * correction (HC3). A regression on n_i itself is biased by the noise of n_i.
 *
 * The result is too sparse if Σ_i P(A_i = 0) h_α(0) exceeds .45 of Σv₀, if g has no root in the
 * range, or if all items have the same level. One pass over the levels for each α; about 45 of
 * them.
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
  // A single level fits exactly with any α, so α is unknown.
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
  const interval = {
    lower: alpha - half,
    upper: alpha + half,
  };
  return {
    alpha,
    stdErr,
    ...interval,
    effectiveItems,
    df,
    unsizedShare,
    isTooSparse: false,
  };
}

/**
 * Sum ψ² and ψ⁴ over the items, see `splitFit`. Within a level ψ is linear in R, so sums of powers
 * of R are enough.
 */
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
    alpha: none,
    stdErr: none,
    lower: none,
    upper: none,
    effectiveItems: none,
    df: none,
    unsizedShare,
    isTooSparse: true,
  };
}

function weighted(values: Float64Array, weights: Float64Array): number {
  let total = 0;
  for (let j = 0; j < values.length; j++) {
    total += values[j] * weights[j];
  }
  return total;
}
