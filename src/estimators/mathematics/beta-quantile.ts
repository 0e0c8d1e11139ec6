import { incompleteBeta, logGamma } from './incomplete-beta.js';

/**
 * Quantile of the beta distribution.
 *
 * x with I_x(a, b) = p, I the regularised incomplete beta function; Newton on x inside a shrinking
 * bracket.
 * Source: Abramowitz & Stegun 26.5 for I. Absolute error about 1e-12.
 *
 * @param p probability in [0, 1]. @param a > 0. @param b > 0.
 * @returns x in [0, 1]; 0 if it is below the least double.
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
    if (excess > 0) high = x;
    else low = x;
    const density = Math.exp(logScale + (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x));
    const next = x - excess / density;
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - x) <= 1e-14 * middle) return middle;
    x = middle;
  }
  return x;
}
