import { incompleteBeta, logGamma } from './incomplete-beta.js';

/**
 * Quantile of Student's t distribution.
 *
 * t with P(T ≤ t) = p, from P(|T| > t) = I_x(ν/2, 1/2), x = ν / (ν + t²), I the regularised
 * incomplete beta function; Newton on ln t inside a shrinking bracket.
 * Source: Abramowitz & Stegun 26.5.27 and 26.5.8 (continued fraction). Relative error about 1e-12.
 *
 * @param p probability in (0, 1). @param df ν > 0 (degrees of freedom), not only whole numbers.
 * @returns t; ±Infinity if it is beyond the range of numbers (ν near 0).
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

/**
 * P(|T| > t) of Student's t distribution.
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
