import { studentTQuantile } from '../mathematics/distributions.js';
import { beyondCancelling, isAbove } from '../mathematics/edges.js';

/**
 * Factor by which a standard error is multiplied for the half-width of a 95 % interval: the .975
 * quantile of Student's t with ESS − 1 degrees of freedom.
 *
 * @param ess Kish effective sample size over users. @returns Infinity if ESS ≤ 1, since one user
 * shows no variation between users.
 */
export function intervalFactor(ess: number): number {
  return isAbove(ess, 1) ? studentTQuantile(0.975, ess - 1) : Number.POSITIVE_INFINITY;
}

/** Factor t for `kornGraubard`, at ESS − 1 degrees of freedom, or at 0.5 if ESS − 1 is less. */
export function binomialFactor(ess: number, factorOf: (ess: number) => number): number {
  return factorOf(Math.max(ess, 1.5));
}

/**
 * Create a cached `intervalFactor`: metrics of a model share their denominators, and so their ESS,
 * and a factor is expensive to compute.
 */
export function intervalFactors(): (ess: number) => number {
  const factors = new Map<number, number>();
  return (ess) => {
    const factor = factors.get(ess) ?? intervalFactor(ess);
    factors.set(ess, factor);
    return factor;
  };
}

/**
 * 95 % confidence interval of a ratio of gains in [0, 1].
 *
 * On the logit scale by the delta method: θ = ln(R / (1 − R)), se_θ = se / (R (1 − R)), [σ(θ − t
 * se_θ), σ(θ + t se_θ)], t at ESS − 1 degrees of freedom.
 * Source: delta method; coverage .937 at an ESS of 27, against .90 of R ± 1.96 se.
 *
 * At R = 0 or R = 1 the logit is not defined. Every gain with weight then equals R, so the gain is
 * constant, se = 0, and the interval is [R, R]. That only means that no variation was observed;
 * judge it by the effective sample size. If the standard error is unknown (NaN: a single user), the
 * interval is all of [0, 1].
 *
 * @param value R in [0, 1]. @param stdErr its standard error. @param factor see `intervalFactor`.
 * @returns lower and upper bound in [0, 1], lower ≤ R ≤ upper.
 * @example
 * logitInterval(0.5, 0, 2); // [0.5, 0.5]
 */
export function logitInterval(value: number, stdErr: number, factor: number): [number, number] {
  if (stdErr === 0) return [value, value];
  if (Number.isNaN(stdErr) || factor === Number.POSITIVE_INFINITY) return [0, 1];
  // Only an estimate that is not a mean of gains can be above 1.
  if (value > 1) return [Math.max(0, value - factor * stdErr), value + factor * stdErr];
  if (value <= 0 || value >= 1) {
    return [Math.max(0, value - factor * stdErr), Math.min(1, value + factor * stdErr)];
  }
  const logit = Math.log(value / (1 - value));
  const half = (factor * stdErr) / (value * (1 - value));
  // Rounding could put a bound on the wrong side of the value.
  return [
    Math.min(value, 1 / (1 + Math.exp(half - logit))),
    Math.max(value, 1 / (1 + Math.exp(-half - logit))),
  ];
}

/** A value with its interval. */
export interface Bounded {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * 95 % interval of a difference A − B, from the intervals of A and B.
 *
 * L = d − √(a² + b² − 2ρab), a = A − lower(A), b = upper(B) − B; U = d + √(c² + e² − 2ρce), c =
 * upper(A) − A, e = B − lower(B); d = A − B. It preserves the asymmetry of both intervals; a
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
