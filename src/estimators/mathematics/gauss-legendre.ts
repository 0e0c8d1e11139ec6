export interface Quadrature {
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

/** P_n(x) and P_n′(x) by the three-term recurrence. */
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
