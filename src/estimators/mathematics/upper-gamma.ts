import { logGamma } from './incomplete-beta.js';

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

/** Σ x^n / (a (a+1) … (a+n)) */
function series(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < 100_000 && term > sum * 1e-16; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/** 1/(x+1−a− 1·(1−a)/(x+3−a− …)) by the modified Lentz method. */
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
