/** Largest |z| whose tail probability a double can represent. */
const FARTHEST = 38;

/**
 * Upper tail probability P(Z > z) of the standard normal distribution.
 *
 * It is ½ Q(½, z²/2) for z ≥ 0, Q the regularised upper incomplete gamma function.
 * Source: Abramowitz & Stegun 26.4.3 with 26.2.3.
 *
 * @param z any number. @returns a probability, with a relative error of about 1e-13.
 * @example
 * normalTail(1.959964); // 0.025
 */
export function normalTail(z: number): number {
  const tail = upperGamma(0.5, (z * z) / 2) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/**
 * Upper quantile of the standard normal distribution: the z with P(Z > z) = p.
 *
 * Newton's method on ln P inside a shrinking bracket.
 * Source: Abramowitz & Stegun 26.2.23 for the initial value, with an error of at most 4.5e-4.
 *
 * @param p in [0, 1]. @returns within ±38, beyond which tail probabilities underflow.
 * @example
 * normalUpperQuantile(0.025); // 1.959964
 */
export function normalUpperQuantile(p: number): number {
  if (p > 0.5) return -normalUpperQuantile(1 - p);
  if (p === 0.5) return 0;
  let low = 0;
  let high = FARTHEST;
  if (p <= normalTail(high)) return high;
  const wanted = Math.log(p);
  let z = Math.min(roughQuantile(Math.sqrt(-2 * wanted)), high - 1);
  for (let step = 0; step < 100; step++) {
    const tail = normalTail(z);
    const excess = Math.log(tail) - wanted;
    if (excess > 0) {
      low = z;
    } else {
      high = z;
    }
    // Derivative: d ln P / dz = −density / P.
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    const next = z + (excess * tail) / density;
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - z) < 1e-13 * (1 + z)) return middle;
    z = middle;
  }
  return z;
}

/** Initial value of the normal quantile by a rational function. @param t √(−2 ln p) */
function roughQuantile(t: number): number {
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return Math.max(0, t - above / below);
}

/**
 * Regularised incomplete beta function I_x(a, b): P(X ≤ x) for X ~ Beta(a, b).
 *
 * Source: Abramowitz & Stegun 26.5.8 (continued fraction) and 26.5.2 (I_x(a, b) = 1 − I_y(b, a)).
 * Relative error about 1e-12.
 *
 * @param x in [0, 1]. @param y 1 − x, passed so that no precision is lost near x = 1. @param a > 0.
 * @param b > 0.
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

/**
 * Continued fraction 1/(1+ d₁/(1+ d₂/(1+ …))) of the incomplete beta function, by the modified
 * Lentz method.
 */
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

/** Cache of ln Γ(h / 2) by whole h, which most tail probabilities need; NaN if not computed yet. */
const OF_HALVES = new Float64Array(2048).fill(Number.NaN);

/**
 * Logarithm of the gamma function, ln Γ(x).
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
  if (Number.isNaN(OF_HALVES[halves])) {
    OF_HALVES[halves] = stirling(x);
  }
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

/**
 * Quantile of the beta distribution.
 *
 * x with I_x(a, b) = p, I the regularised incomplete beta function; Newton on x inside a shrinking
 * bracket.
 * Source: Abramowitz & Stegun 26.5 for I. Absolute error about 1e-12.
 *
 * @param p probability in [0, 1]. @param a > 0. @param b > 0.
 * @returns x in [0, 1]; 0 if it underflows.
 * @example
 * betaQuantile(0.25, 1, 1); // 0.25
 */
export function betaQuantile(p: number, a: number, b: number): number {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  const logScale = logGamma(a + b) - logGamma(a) - logGamma(b);
  let low = 0;
  let high = 1;
  let x = a / (a + b);
  for (let step = 0; step < 200; step++) {
    const excess = incompleteBeta(x, 1 - x, a, b) - p;
    if (excess > 0) {
      high = x;
    } else {
      low = x;
    }
    const density = Math.exp(logScale + (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x));
    const next = x - excess / density;
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - x) <= 1e-14 * middle) return middle;
    x = middle;
  }
  return x;
}

/**
 * Quantile of Student's t distribution.
 *
 * t with P(T ≤ t) = p, from P(|T| > t) = I_x(ν/2, 1/2), x = ν / (ν + t²), I the regularised
 * incomplete beta function; Newton on ln t inside a shrinking bracket.
 * Source: Abramowitz & Stegun 26.5.27 and 26.5.8 (continued fraction). Relative error about 1e-12.
 *
 * @param p probability in (0, 1). @param df ν > 0 (degrees of freedom), not only whole numbers.
 * @returns t; ±Infinity if it overflows (ν near 0).
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
  if (studentTTail(Math.exp(high), df) > tail) return Number.POSITIVE_INFINITY;
  for (let step = 0; step < 200; step++) {
    const t = Math.exp(logT);
    const excess = studentTTail(t, df) - tail;
    if (excess > 0) {
      low = logT;
    } else {
      high = logT;
    }
    // Derivative: d tail / d ln t = −2 t f(t).
    const next = logT + excess / (2 * t * density(t, df));
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - logT) < 1e-14) return Math.exp(middle);
    logT = middle;
  }
  return Math.exp(logT);
}

/**
 * Two-sided tail probability P(|T| > t) of Student's t distribution.
 *
 * I_x(ν/2, 1/2), x = ν / (ν + t²).
 * Source: Abramowitz & Stegun 26.5.27.
 *
 * @param t ≥ 0. @param df ν > 0 (degrees of freedom).
 * @returns a probability; 1 at t = 0.
 * @example
 * studentTTail(2.2281388, 10); // 0.05
 */
export function studentTTail(t: number, df: number): number {
  const x = df / (df + t * t);
  const y = (t * t) / (df + t * t);
  // t² beyond the largest double: x is 0 there, and so is the tail for all but the smallest ν.
  return incompleteBeta(x, Number.isNaN(y) ? 1 : y, df / 2, 0.5);
}

function density(t: number, df: number): number {
  const logScale = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(df * Math.PI) / 2;
  return Math.exp(logScale - ((df + 1) / 2) * Math.log1p((t * t) / df));
}

/**
 * Regularised upper incomplete gamma function Q(a, x) = Γ(a, x) / Γ(a).
 *
 * P(χ²_ν > x) = Q(ν/2, x/2).
 * Source: Abramowitz & Stegun 6.5.29 (series, x < a + 1) and 6.5.31 (continued fraction).
 *
 * @param a > 0. @param x ≥ 0. @returns a probability; 1 at x = 0.
 * @example
 * upperGamma(1, 2); // Math.exp(-2)
 */
export function upperGamma(a: number, x: number): number {
  if (!(x > 0)) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - front * series(a, x) : front * fraction(a, x);
}

/** Series Σ x^n / (a (a+1) … (a+n)) of the incomplete gamma function, for small x. */
function series(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < 100_000 && term > sum * 1e-16; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/**
 * Continued fraction 1/(x+1−a− 1·(1−a)/(x+3−a− …)) of the incomplete gamma function, for large x,
 * by the modified Lentz method.
 */
function fraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < 100_000; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return value;
}
