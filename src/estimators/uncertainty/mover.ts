import { beyondCancelling } from '../mathematics/edges.js';

/** A value with its interval. */
export interface Bounded {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * 95 % interval of a difference, from the intervals of its two sides.
 *
 * L = d − √(a² + b² − 2ρab), a = A − lower(A), b = upper(B) − B; U = d + √(c² + e² − 2ρce),
 * c = upper(A) − A, e = B − lower(B); d = A − B. It keeps the shape of either interval, where a
 * symmetric one would be too short on one side.
 * Source: Zou & Donner 2008 (method of variance estimates recovery); with correlation Zou 2007.
 *
 * @param rho correlation of the two estimates, in [−1, 1]; 0 if it is unknown.
 * @returns lower and upper bound, lower ≤ A − B ≤ upper.
 * @example
 * moverInterval({ value: 0.5, lower: 0.5, upper: 0.5 }, { value: 0.2, lower: 0.1, upper: 0.4 }, 0); // [0.1, 0.4]
 */
export function moverInterval(a: Bounded, b: Bounded, rho: number): [number, number] {
  const difference = a.value - b.value;
  return [
    difference - distance(a.value - a.lower, b.upper - b.value, rho),
    difference + distance(a.upper - a.value, b.value - b.lower, rho),
  ];
}

function distance(x: number, y: number, rho: number): number {
  const squares = x * x + y * y;
  return Math.sqrt(beyondCancelling(squares - 2 * rho * x * y, squares));
}
