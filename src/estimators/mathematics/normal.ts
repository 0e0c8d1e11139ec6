import { upperGamma } from './upper-gamma.js';

/** Beyond it a tail is below the least double, so that scores cannot be told apart. */
const FARTHEST = 38;

/**
 * P(Z > z) of the standard normal distribution.
 *
 * ½ Q(½, z²/2) for z ≥ 0, Q the regularised upper incomplete gamma function.
 * Source: Abramowitz & Stegun 26.4.3 with 26.2.3.
 *
 * @param z any number. @returns a probability, exact to about 1e-13 of itself.
 * @example
 * normalTail(1.959964); // 0.025
 */
export function normalTail(z: number): number {
  const tail = upperGamma(0.5, (z * z) / 2) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/**
 * The z whose upper tail has the given probability.
 *
 * z with P(Z > z) = p, by Newton's method on ln P inside a shrinking bracket.
 * Source: Abramowitz & Stegun 26.2.23 for where it begins, off by at most 4.5e-4.
 *
 * @param p in [0, 1]. @returns within ±38, beyond which tails are not numbers any more.
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
    if (excess > 0) low = z;
    else high = z;
    // d ln P / dz = −density / P
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    const next = z + (excess * tail) / density;
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - z) < 1e-13 * (1 + z)) return middle;
    z = middle;
  }
  return z;
}

/** @param t √(−2 ln p) */
function roughQuantile(t: number): number {
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return Math.max(0, t - above / below);
}
