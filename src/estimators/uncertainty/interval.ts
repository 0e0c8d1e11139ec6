import { isAbove } from '../mathematics/edges.js';
import { studentTQuantile } from '../mathematics/student-t.js';

/**
 * Half-width factor of a 95 % interval: t(ESS − 1) at .975.
 *
 * @param ess Kish effective sample size over users. @returns Infinity if ESS ≤ 1: one user
 * says nothing about the spread between users.
 */
export function intervalFactor(ess: number): number {
  return isAbove(ess, 1) ? studentTQuantile(0.975, ess - 1) : Number.POSITIVE_INFINITY;
}

/** Factor of `kornGraubard`: t at ESS − 1 degrees of freedom, but at no fewer than a half. */
export function binomialFactor(ess: number, factorOf: (ess: number) => number): number {
  return factorOf(Math.max(ess, 1.5));
}

/** Remembers factors: metrics of a model share their denominators, and a factor is expensive. */
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
 * On the logit scale by the delta method: θ = ln(R / (1 − R)), se_θ = se / (R (1 − R)),
 * [σ(θ − t se_θ), σ(θ + t se_θ)], t at ESS − 1 degrees of freedom.
 * Source: delta method; coverage .937 at an ESS of 27, against .90 of R ± 1.96 se.
 *
 * At R = 0 or R = 1 the logit is not defined, and there every gain that has weight equals R: the
 * gain is constant, se = 0, and R ± t se gives [R, R]. It says that nothing was seen to vary, not
 * that nothing can; the effective sample size beside it says how far to trust that. Where the
 * standard error is unknown (NaN: a single user) the interval is all of [0, 1].
 *
 * @param value R in [0, 1]. @param stdErr its standard error. @param factor see `intervalFactor`.
 * @returns lower and upper bound in [0, 1], lower ≤ R ≤ upper.
 * @example
 * logitInterval(0.5, 0, 2); // [0.5, 0.5]
 */
export function logitInterval(value: number, stdErr: number, factor: number): [number, number] {
  if (stdErr === 0) return [value, value];
  if (Number.isNaN(stdErr) || factor === Number.POSITIVE_INFINITY) return [0, 1];
  // Only a value that is not a mean of gains lies above 1.
  if (value > 1) return [Math.max(0, value - factor * stdErr), value + factor * stdErr];
  if (value <= 0 || value >= 1) {
    return [Math.max(0, value - factor * stdErr), Math.min(1, value + factor * stdErr)];
  }
  const logit = Math.log(value / (1 - value));
  const half = (factor * stdErr) / (value * (1 - value));
  // The bounds are mathematically on their sides of the value; rounding may say otherwise.
  return [
    Math.min(value, 1 / (1 + Math.exp(half - logit))),
    Math.max(value, 1 / (1 + Math.exp(-half - logit))),
  ];
}
