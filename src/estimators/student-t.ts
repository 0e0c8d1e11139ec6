/**
 * Quantile of Student's t distribution.
 *
 * t with P(T ≤ t) = p, from P(|T| > t) = I_x(ν/2, 1/2), x = ν / (ν + t²), I the regularised
 * incomplete beta function; Newton on ln t inside a shrinking bracket.
 * Source: Abramowitz & Stegun 26.5.27 and 26.5.8 (continued fraction). Relative error about 1e-12.
 *
 * @param p probability in (0, 1). @param df ν > 0 (degrees of freedom), not only whole numbers.
 * @returns t; ±Infinity where it is beyond the range of numbers (ν near 0).
 * @example
 * studentTQuantile(0.975, 10); // 2.2281388...
 */
export function studentTQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentTQuantile(1 - p, df);
  const tail = 2 * (1 - p);
  let low = -700;
  let high = 350;
  let logT = 0.5;
  if (twoSidedTail(Math.exp(high), df) > tail) return Number.POSITIVE_INFINITY;
  for (let step = 0; step < 200; step++) {
    const t = Math.exp(logT);
    const excess = twoSidedTail(t, df) - tail;
    if (excess > 0) low = logT;
    else high = logT;
    // d tail / d ln t = −2 t f(t)
    const next = logT + excess / (2 * t * density(t, df));
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - logT) < 1e-14) return Math.exp(middle);
    logT = middle;
  }
  return Math.exp(logT);
}

/** P(|T| > t). */
function twoSidedTail(t: number, df: number): number {
  const x = df / (df + t * t);
  const y = (t * t) / (df + t * t);
  // t² beyond the largest double: x is 0 there, and so is the tail for all but the smallest ν.
  return incompleteBeta(x, Number.isNaN(y) ? 1 : y, df / 2, 0.5);
}

function density(t: number, df: number): number {
  const logScale = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(df * Math.PI) / 2;
  return Math.exp(logScale - ((df + 1) / 2) * Math.log1p((t * t) / df));
}

/** I_x(a, b); y = 1 − x is passed so that it keeps its digits. */
function incompleteBeta(x: number, y: number, a: number, b: number): number {
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

/** ln Γ(x), x > 0: Stirling's series after shifting x above 10. */
function logGamma(x: number): number {
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
