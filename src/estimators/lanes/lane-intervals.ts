import { isBelow } from '../mathematics/edges.js';
import { binomialFactor, logitInterval } from '../uncertainty/interval.js';
import type { IntervalMethod } from '../uncertainty/interval-method.js';
import { drawsAt, kornGraubard, limitOfNone } from '../uncertainty/korn-graubard.js';
import { type Bounded, moverInterval } from '../uncertainty/mover.js';
import type { LaneNumber } from './lane-number.js';

type FactorOf = (ess: number) => number;

/** Of one number, or of a difference. */
interface Errors {
  readonly stdErr: number;
  readonly gammaStdErr: number;
}

/** The 95 % interval of an estimate, by the method that is asked for. */
export function estimateInterval(
  of: LaneNumber,
  errors: Errors,
  method: IntervalMethod,
  factorOf: FactorOf,
): [number, number] {
  if (method === 'korn-graubard') return binomialInterval(of, errors, factorOf);
  return logitInterval(of.value, Math.hypot(errors.stdErr, errors.gammaStdErr), factorOf(of.ess));
}

function binomialInterval(of: LaneNumber, errors: Errors, factorOf: FactorOf): [number, number] {
  if (!of.isNormalized) return unnormalizedInterval(of, errors, factorOf);
  const { value, ess, rowEss, squaredGain, hits, misses, isConstant, isCertain } = of;
  const mean = {
    ...{ value, ...errors, userEss: ess, rowEss, squaredGain, hits, misses },
    ...{ isConstant, isCertain },
  };
  return kornGraubard(mean, binomialFactor(ess, factorOf));
}

/**
 * Of what is not a mean of gains: on the logit scale, except where nothing was hit. There R = (Σw / ΣD) R′
 * with R′ the weighted mean, whose limit it takes.
 */
function unnormalizedInterval(
  { value, ess, weight, moments }: LaneNumber,
  { stdErr, gammaStdErr }: Errors,
  factorOf: FactorOf,
): [number, number] {
  if (value > 0) return logitInterval(value, Math.hypot(stdErr, gammaStdErr), factorOf(ess));
  const draws = drawsAt(ess, binomialFactor(ess, factorOf));
  return [0, (weight / moments.denominator) * limitOfNone(draws)];
}

/** Effective hits from which the paired error is known well enough. */
const ENOUGH_HITS = 20;

/**
 * The 95 % interval of the difference of two models, within [−1, 1].
 *
 * R − R′ ± t √(stdErr² + gammaStdErr²). By `korn-graubard` it is made of the intervals of both where
 * either has fewer than 20 effective hits, or no gain varies: then a paired error says little.
 */
export function differenceInterval(
  own: LaneNumber,
  other: LaneNumber,
  errors: Errors & { readonly correlation: () => number },
  method: IntervalMethod,
  factorOf: FactorOf,
): [number, number] {
  const { stdErr, gammaStdErr, correlation } = errors;
  const value = own.value - other.value;
  const factor = factorOf(Math.min(own.ess, other.ess));
  const areConstant = own.isConstant && other.isConstant;
  const isRare = isBelow(Math.min(rareness(own), rareness(other)), ENOUGH_HITS);
  const isUnknown = Number.isNaN(stdErr);
  if (method !== 'korn-graubard' || isUnknown || !(areConstant || isRare)) {
    return pairedInterval(value, Math.hypot(stdErr, gammaStdErr), factor);
  }
  const rho = own.isConstant || other.isConstant ? 0 : correlation();
  const [lower, upper] = moverInterval(sideOf(own, factorOf), sideOf(other, factorOf), rho);
  // γ errs for both at once, so it is added to the difference and not to its sides.
  const ofGamma = gammaStdErr > 0 ? factor * gammaStdErr : 0;
  return withinOne(
    value - Math.hypot(value - lower, ofGamma),
    value + Math.hypot(upper - value, ofGamma),
  );
}

/** Effective hits or misses, the fewer of both. */
function rareness(of: LaneNumber): number {
  return of.isNormalized ? Math.min(of.hits, of.misses) : of.hits;
}

function sideOf(of: LaneNumber, factorOf: FactorOf): Bounded {
  const stdErr = of.isConstant ? 0 : of.moments.stdErr(of.users);
  const [lower, upper] = binomialInterval(of, { stdErr, gammaStdErr: 0 }, factorOf);
  return { value: of.value, lower, upper };
}

/** All of [−1, 1] where the error is unknown. */
function pairedInterval(value: number, stdErr: number, factor: number): [number, number] {
  if (stdErr === 0) return [value, value];
  if (Number.isNaN(stdErr) || factor === Number.POSITIVE_INFINITY) return [-1, 1];
  return withinOne(value - factor * stdErr, value + factor * stdErr);
}

function withinOne(lower: number, upper: number): [number, number] {
  return [Math.max(-1, lower), Math.min(1, upper)];
}
