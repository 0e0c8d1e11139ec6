import { studentTQuantile } from '../mathematics/distributions.js';
import { beyondRounding } from '../mathematics/edges.js';

/** Cap on the degrees of freedom: more do not make an interval narrower. */
const MOST_FREEDOM = 63;

/**
 * 95 % interval of a mean reward, symmetric in its logarithm.
 *
 * V exp(± t stdErr / V), t the .975 quantile of Student's t with `valueFreedom(ess)` degrees.
 * Rewards are rare and weighted, so the estimate is skewed; its logarithm is less skewed.
 *
 * @param value V, reward per request. @param stdErr of V. @param ess effective number of rewarded
 * rows.
 * @returns NaN if there is no interval: V is not above 0, or the error is 0 (up to rounding) or
 * unknown.
 * @example
 * logTInterval(1, 0.1, 64).map((limit) => Math.round(limit * 1000)); // [819, 1221]
 */
export function logTInterval(value: number, stdErr: number, ess: number): [number, number] {
  if (!(value > 0) || !(beyondRounding(stdErr * stdErr, value * value) > 0)) {
    return [Number.NaN, Number.NaN];
  }
  const half = (studentTQuantile(0.975, valueFreedom(ess)) * stdErr) / value;
  return [value * Math.exp(-half), value * Math.exp(half)];
}

/**
 * 95 % interval of a mean reward if some rewards are negative: V ± t stdErr, t as in
 * `logTInterval`.
 *
 * @returns NaN if there is no interval: the error is 0 (up to rounding) or unknown.
 */
export function signedInterval(value: number, stdErr: number, ess: number): [number, number] {
  if (!(beyondRounding(stdErr * stdErr, value * value) > 0)) return [Number.NaN, Number.NaN];
  const half = studentTQuantile(0.975, valueFreedom(ess)) * stdErr;
  return [value - half, value + half];
}

/** Degrees of freedom of a mean reward's interval: ESS − 1, not rounded, between 1 and 63. */
export function valueFreedom(ess: number): number {
  return Math.max(1, Math.min(ess - 1, MOST_FREEDOM));
}
