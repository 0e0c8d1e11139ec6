import { gaussLegendre, type Quadrature } from '../mathematics/gauss-legendre.js';

/** Relative error that the number of nodes is chosen by. */
const TOLERANCE = 1e-15;
/** Beyond x = TAIL / s the integrand is below e^(−TAIL): not worth a node. */
const TAIL = 40;
const MAX_NODES = 32;

const rules: Quadrature[] = Array.from({ length: MAX_NODES }, (_, q) => gaussLegendre(q + 1));
/** reach[N − 1]: the largest s that N nodes integrate within the tolerance. */
const reach = Float64Array.from(rules, (_, q) => largestSum(q + 1));
const product = new Float64Array(MAX_NODES);

/**
 * Coefficients of the expected mean of a random subset, each element kept by its own chance.
 *
 * E[Σ S_i λ_i / Σ S_i ; Σ S > 0] = Σ a_i λ_i with S_i ~ Bernoulli(π_i) independent and
 * a_i = π_i ∫₀¹ Π_{j ≠ i} (1 − π_j x) dx (x = 1 − t of the generating function Π (1 − π_j + π_j t)).
 * Source: own derivation: 1 / m = ∫₀¹ t^(m−1) dt inside the expectation.
 *
 * Gauss–Legendre with N nodes is exact from N = ⌈n/2⌉. Fewer do where s = Σ π_j is small: the
 * 2N-th derivative of the product is at most s^(2N), so the error on an interval of length h is at
 * most (N!)⁴ h^(2N+1) s^(2N) / ((2N+1) ((2N)!)³) ≤ 2 h (h s / 4)^(2N) / (2N)!, while the integral is
 * at least 1 / (1 + s). For s above 40 the interval is [0, 40/s], since Π (1 − π_j x) ≤ e^(−s x):
 * no user needs more than 32 nodes.
 *
 * @param pi π_i in [0, 1]. @param from,to the subset's elements in `pi`.
 * @param needed 1 if a_i is asked for; others are set to 0. @param out receives a_i.
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
  // 1 − Π (1 − π) loses its digits where all chances are small: there the logarithms keep them.
  if (missing > 0.5) {
    for (let j = from; j < to; j++) logMissing += Math.log1p(-pi[j]);
    missing = Math.exp(logMissing);
  }
  const present = missing > 0.5 ? -Math.expm1(logMissing) : 1 - missing;
  if (anyNeeded === 0) {
    out.fill(0, from, to);
    return present;
  }
  const length = sum > TAIL ? TAIL / sum : 1;
  const count = nodeCount(to - from, sum);
  const { nodes, weights } = rules[count - 1];
  // Two products at a time: one alone would wait for its own last factor at every step.
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
      for (let q = 0; q < count; q++) integral += product[q] / (1 - chance * length * nodes[q]);
      integral *= chance;
    }
    out[i] = integral;
  }
  return present;
}

/** Nodes that `size` elements with Σ π = `sum` need, made even. */
function nodeCount(size: number, sum: number): number {
  const exact = (size + 1) >> 1;
  let count = 2;
  while (count < exact && count < MAX_NODES && reach[count - 1] < sum) count += 2;
  return count;
}

/** Largest s with 2 (1 + s) h (h s / 4)^(2N) / (2N)! within the tolerance, h = min(1, TAIL / s). */
function largestSum(size: number): number {
  let logFactorial = 0;
  for (let j = 2; j <= 2 * size; j++) logFactorial += Math.log(j);
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
    if (isEnough(middle)) low = middle;
    else high = middle;
  }
  return low;
}
