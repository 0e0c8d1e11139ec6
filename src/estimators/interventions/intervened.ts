import type { Selection } from '../lanes/selection.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import { SamplingError } from '../uncertainty/sampling-error.js';

/** Relative error of the quadrature, which sets the number of nodes. */
const TOLERANCE = 1e-15;
/** Cut-off of the integral: beyond x = TAIL / s, with s = Σ π, the integrand is below e^(−TAIL). */
const TAIL = 40;
const MAX_NODES = 32;

/** Quadrature rules by number of nodes, created on demand. */
const rules = new Map<number, Quadrature>();
/** reach[N]: the largest s = Σ π for which N nodes meet the tolerance. */
const reach = Float64Array.from({ length: MAX_NODES }, (_, size) => largestSum(size));
const product = new Float64Array(MAX_NODES);

/**
 * Coefficients of the expected mean of a random subset, with an independent inclusion probability
 * for each element.
 *
 * E[Σ S_i λ_i / Σ S_i ; Σ S > 0] = Σ a_i λ_i with S_i ~ Bernoulli(π_i) independent and a_i = π_i
 * ∫₀¹ Π_{j ≠ i} (1 − π_j x) dx (x = 1 − t of the generating function Π (1 − π_j + π_j t)).
 * Source: own derivation: 1 / m = ∫₀¹ t^(m−1) dt inside the expectation.
 *
 * Gauss–Legendre with N nodes is exact from N = ⌈n/2⌉. Fewer suffice if s = Σ π_j is small: the
 * 2N-th derivative of the product is at most s^(2N), so the error on an interval of length h is at
 * most (N!)⁴ h^(2N+1) s^(2N) / ((2N+1) ((2N)!)³) ≤ 2 h (h s / 4)^(2N) / (2N)!, while the integral
 * is at least 1 / (1 + s). For s above 40 the interval is [0, 40/s], since Π (1 − π_j x) ≤ e^(−s
 * x):
 * no user needs more than 32 nodes.
 *
 * @param pi π_i in [0, 1]. @param from,to range of the subset's elements in `pi`.
 * @param needed 1 for each a_i to compute; others are set to 0. @param out receives a_i.
 * @returns P(Σ S > 0) = 1 − Π (1 − π_j) = Σ a_i; 0 for no elements.
 * @example
 * const a = new Float64Array(2);
 * expectedMeanCoefficients(Float64Array.of(1, 0.5), 0, 2, Uint8Array.of(1, 1), a); // 1
 * a; // [0.75, 0.25]
 */
export function expectedMeanCoefficients(
  pi: Float64Array,
  from: number,
  to: number,
  needed: Uint8Array,
  out: Float64Array,
): number {
  const size = to - from;
  if (size === 0) return 0;
  if (size === 1) {
    out[from] = pi[from];
    return pi[from];
  }
  if (size === 2) {
    const first = pi[from];
    const second = pi[from + 1];
    out[from] = first * (1 - second / 2);
    out[from + 1] = second * (1 - first / 2);
    return first + second - first * second;
  }
  return integrate(pi, from, to, needed, out);
}

function integrate(
  pi: Float64Array,
  from: number,
  to: number,
  needed: Uint8Array,
  out: Float64Array,
): number {
  let sum = 0;
  let anyNeeded = 0;
  let logMissing = 0;
  let missing = 1;
  for (let j = from; j < to; j++) {
    sum += pi[j];
    anyNeeded |= needed[j];
    missing *= 1 - pi[j];
  }
  // 1 − Π (1 − π) loses its digits if all probabilities are small, so use logarithms then.
  if (missing > 0.5) {
    for (let j = from; j < to; j++) {
      logMissing += Math.log1p(-pi[j]);
    }
    missing = Math.exp(logMissing);
  }
  const present = missing > 0.5 ? -Math.expm1(logMissing) : 1 - missing;
  if (anyNeeded === 0) {
    out.fill(0, from, to);
    return present;
  }
  const length = sum > TAIL ? TAIL / sum : 1;
  const count = nodeCount(to - from, sum);
  const { nodes, weights } = ruleOf(count);
  // Two interleaved products, since a single one would wait for its previous factor at every step.
  for (let q = 0; q < count; q += 2) {
    const x = length * nodes[q];
    const y = length * nodes[q + 1];
    let atX = length * weights[q];
    let atY = length * weights[q + 1];
    for (let j = from; j < to; j++) {
      atX *= 1 - pi[j] * x;
      atY *= 1 - pi[j] * y;
    }
    product[q] = atX;
    product[q + 1] = atY;
  }
  for (let i = from; i < to; i++) {
    let integral = 0;
    if (needed[i] !== 0) {
      const chance = pi[i];
      for (let q = 0; q < count; q++) {
        integral += product[q] / (1 - chance * length * nodes[q]);
      }
      integral *= chance;
    }
    out[i] = integral;
  }
  return present;
}

function ruleOf(count: number): Quadrature {
  const known = rules.get(count);
  if (known !== undefined) return known;
  const rule = gaussLegendre(count);
  rules.set(count, rule);
  return rule;
}

/** Number of nodes for `size` elements with Σ π = `sum`, rounded up to an even number. */
function nodeCount(size: number, sum: number): number {
  const exact = (size + 1) >> 1;
  let count = 2;
  while (count < exact && count < MAX_NODES && reach[count] < sum) {
    count += 2;
  }
  return count;
}

/**
 * Largest s = Σ π for which N = `size` nodes meet the tolerance, 2 (1 + s) h (h s / 4)^(2N) / (2N)!
 * ≤ TOLERANCE with h = min(1, TAIL / s).
 */
function largestSum(size: number): number {
  let logFactorial = 0;
  for (let j = 2; j <= 2 * size; j++) {
    logFactorial += Math.log(j);
  }
  const isEnough = (s: number): boolean => {
    const h = Math.min(1, TAIL / s);
    const logError = Math.log(2 * (1 + s) * h) + 2 * size * Math.log((h * s) / 4) - logFactorial;
    return logError <= Math.log(TOLERANCE);
  };
  if (isEnough(1e12)) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = TAIL;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (isEnough(middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * Inclusion probability π of every row of a window: by item if it depends on the item alone,
 * otherwise by row.
 */
export interface Chances {
  readonly of: 'item' | 'row';
  readonly values: Float64Array;
}

/**
 * Weighting rule for the expected value of a metric on an intervened test set, computed without
 * drawing one.
 *
 * A row is in the sample with probability π_i, independently. pooled: Σ πλ / Σ π. user: the mean
 * over the users who have a row in the sample, Σ_u Σ_i λ_i π_i ∫₀¹ Π_{j ≠ i} (1 − π_j + π_j t) dt /
 * Σ_u (1 − Π_j (1 − π_j)).
 * π itself is the weight; nothing is divided by it.
 * Source: Carraro & Bridge 2020, section 4 (WTD, WTD_H) and 5.3 (FULL, REG, SKEW); the expectation
 * is ours.
 * Bias has two causes: the assumed uniform MAR distribution may be wrong, and a sample that keeps a
 * large share of the rows cannot follow its weights. Value in [min λ, max λ]; O(rows × nodes),
 * nodes ≤ 32.
 *
 * The sampling space is every row of the window, positive or not; the metric uses the positive,
 * ranked rows. If cold items are dropped, only the metric loses their rows.
 *
 * @param chances π = 1 − e^(−w τ), see draw-margins.ts.
 * @returns the rule; a user whose rows cannot be drawn is left out.
 * By hand: gains 1, 0 with π = 1, 1: 1/2 in both forms.
 */
export function intervened(chances: Chances): WeightingRule {
  return {
    sets: 'drawn',
    ownSums: (metrics) => new SamplingError(metrics),
    weigh(selection, out) {
      const { start, users, gainful } = selection;
      fillChances(chances, selection, out.pooled);
      for (let u = 0; u < users; u++) {
        out.userDenominator.values[u] = expectedMeanCoefficients(
          out.pooled,
          start[u],
          start[u + 1],
          gainful,
          out.user,
        );
      }
    },
  };
}

/** Write π of every row of the selection, which is also the row's pooled coefficient b. */
function fillChances(chances: Chances, selection: Selection, pi: Float64Array): void {
  const { of, values } = chances;
  const key = selection[of];
  for (let i = 0; i < selection.rows; i++) {
    pi[i] = values[key[i]];
  }
}

interface Quadrature {
  /** Nodes in (0, 1), ascending. */
  readonly nodes: Float64Array;
  /** Positive weights that sum to 1. */
  readonly weights: Float64Array;
}

/**
 * Gauss–Legendre quadrature on [0, 1].
 *
 * ∫₀¹ f(t) dt ≈ Σ_q w_q f(t_q), exact for polynomials of degree below 2·size.
 * Source: roots x_q of the Legendre polynomial P_size by Newton from the asymptotic guess
 * cos(π (q + 3/4) / (size + 1/2)); w_q = 1 / ((1 − x_q²) P′(x_q)²) after halving the interval.
 *
 * @param size number of nodes, at least 1. @returns nodes and weights, accurate to rounding.
 * @example
 * gaussLegendre(1); // { nodes: [0.5], weights: [1] }
 */
export function gaussLegendre(size: number): Quadrature {
  const nodes = new Float64Array(size);
  const weights = new Float64Array(size);
  for (let q = 0; q < size; q++) {
    let x = Math.cos((Math.PI * (q + 0.75)) / (size + 0.5));
    let slope = 1;
    for (let step = 0; step < 100; step++) {
      const [value, derivative] = legendre(size, x);
      slope = derivative;
      const next = x - value / derivative;
      const isSettled = Math.abs(next - x) < 1e-16;
      x = next;
      if (isSettled) break;
    }
    nodes[size - 1 - q] = (1 + x) / 2;
    weights[size - 1 - q] = 1 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}

/** Value P_n(x) and derivative P_n′(x) of a Legendre polynomial, by the three-term recurrence. */
function legendre(n: number, x: number): [number, number] {
  let before = 1;
  let value = x;
  for (let j = 2; j <= n; j++) {
    const next = ((2 * j - 1) * x * value - (j - 1) * before) / j;
    before = value;
    value = next;
  }
  return [value, (n * (x * value - before)) / (x * x - 1)];
}
