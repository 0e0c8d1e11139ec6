/**
 * Regularised incomplete beta function I_x(a, b): P(X ≤ x) for X ~ Beta(a, b).
 *
 * Source: Abramowitz & Stegun 26.5.8 (continued fraction) and 26.5.2 (I_x(a, b) = 1 − I_y(b, a)).
 * Relative error about 1e-12.
 *
 * @param x in [0, 1]. @param y 1 − x, passed so that it keeps its digits. @param a > 0. @param b > 0.
 * @returns a probability.
 * @example
 * incompleteBeta(0.25, 0.75, 1, 1); // 0.25
 */
export function incompleteBeta(x: number, y: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const logFront = a * Math.log(x) + b * Math.log(y) + logGamma(a + b) - logGamma(a) - logGamma(b);
  if (x < (a + 1) / (a + b + 2)) return (Math.exp(logFront) * betaFraction(x, a, b)) / a;
  return 1 - (Math.exp(logFront) * betaFraction(y, b, a)) / b;
}

/** The continued fraction 1/(1+ d₁/(1+ d₂/(1+ …))) by the modified Lentz method. */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / keepAway(1 - ((a + b) * x) / (a + 1), tiny);
  let fraction = d;
  for (let m = 1; m < 20_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / keepAway(1 + even * d, tiny);
    c = keepAway(1 + even / c, tiny);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / keepAway(1 + odd * d, tiny);
    c = keepAway(1 + odd / c, tiny);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return fraction;
}

function keepAway(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

/** ln Γ(h / 2) by h, NaN where it was not asked for yet: most tails are of whole or half numbers. */
const OF_HALVES = new Float64Array(2048).fill(Number.NaN);

/**
 * ln Γ(x).
 *
 * Source: Stirling's series, Abramowitz & Stegun 6.1.41, after shifting x above 10.
 *
 * @param x > 0.
 * @example
 * logGamma(5); // Math.log(24)
 */
export function logGamma(x: number): number {
  const halves = 2 * x;
  const isKept = halves > 0 && halves < OF_HALVES.length && halves === Math.floor(halves);
  if (!isKept) return stirling(x);
  if (Number.isNaN(OF_HALVES[halves])) OF_HALVES[halves] = stirling(x);
  return OF_HALVES[halves];
}

function stirling(x: number): number {
  let shift = 0;
  let z = x;
  while (z < 10) {
    shift += Math.log(z);
    z += 1;
  }
  const r = 1 / (z * z);
  const series =
    (1 / 12 -
      r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * (691 / 360360)))))) /
    z;
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series - shift;
}
