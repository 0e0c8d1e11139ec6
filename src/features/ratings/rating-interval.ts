import { intervalFactor, logitInterval } from '../../estimators/uncertainty/interval.js';
import { beyondRounding } from '../../mathematics/edges.js';

/**
 * 95 % interval of a mean of δ ≥ 0.
 *
 * Symmetric in the logarithm, V exp(± t stdErr / V), or on the logit scale if δ is at most 1; t at
 * ESS − 1 degrees of freedom. Errors are skewed: their logarithm is less so.
 *
 * @param value V ≥ 0. @param most of δ; Infinity if nothing bounds it.
 * @returns [V, V] if the error is 0; from 0 to the most if it is unknown.
 * @example
 * ratingInterval(1, 0.1, 1e6, Infinity).map((limit) => Math.round(limit * 1000)); // [822, 1217]
 */
export function ratingInterval(
  value: number,
  stdErr: number,
  ess: number,
  most: number,
): [number, number] {
  const factor = intervalFactor(ess);
  if (beyondRounding(stdErr * stdErr, value * value) === 0) return [value, value];
  if (most === 1) return logitInterval(value, stdErr, factor);
  if (!(value > 0) || !(stdErr * factor < Number.POSITIVE_INFINITY)) return [0, most];
  const half = (factor * stdErr) / value;
  return [value * Math.exp(-half), value * Math.exp(half)];
}
