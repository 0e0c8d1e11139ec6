import { isBelow, isEqual } from '../mathematics/edges.js';
import type { IntervalMethod } from '../names.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import {
  type Bounded,
  binomialFactor,
  logitInterval,
  moverInterval,
} from '../uncertainty/interval.js';
import { drawsAt, kornGraubard, limitOfNone } from '../uncertainty/korn-graubard.js';
import type { MeasuredHits } from './expected-set.js';
import type { EstimatorSums, Lane } from './lane.js';
import type { LaneContext } from './lane-job.js';
import { slotOf } from './user-sums.js';

type FactorOf = LaneContext['factorOf'];

/**
 * Standard errors of one estimate, or of a difference of two: from sampling, and from the
 * uncertainty of γ.
 */
interface Errors {
  readonly stdErr: number;
  readonly gammaStdErr: number;
}

/** The 95 % interval of an estimate by the configured method. */
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
    value,
    ...errors,
    userEss: ess,
    rowEss,
    squaredGain,
    hits,
    misses,
    isConstant,
    isCertain,
  };
  return kornGraubard(mean, binomialFactor(ess, factorOf));
}

/**
 * 95 % interval of an estimate that is not self-normalised, R = (Σw / ΣD) R′ with R′ the weighted
 * mean of gains. It is on the logit scale, or, without any hit, from 0 to Σw / ΣD times the upper
 * limit of R′.
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

/** Effective number of hits from which the paired standard error is reliable. */
const ENOUGH_HITS = 20;

/**
 * The 95 % interval of the difference of two models, within [−1, 1].
 *
 * R − R′ ± t √(stdErr² + gammaStdErr²). With `korn-graubard` it combines the intervals of both
 * models if either has fewer than 20 effective hits, or if gains are constant, since the paired
 * error is then unreliable.
 */
export function differenceInterval(
  own: LaneNumber,
  other: LaneNumber,
  errors: Errors & { readonly correlation: () => number },
  { options: { interval: method }, factorOf }: Pick<LaneContext, 'options' | 'factorOf'>,
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
  // An error of γ affects both models, so its variance is added to that of the difference.
  const ofGamma = gammaStdErr > 0 ? factor * gammaStdErr : 0;
  return withinOne(
    value - Math.hypot(value - lower, ofGamma),
    value + Math.hypot(upper - value, ofGamma),
  );
}

/**
 * The smaller of the effective numbers of hits and misses; hits alone if the estimate is not a mean
 * of gains.
 */
function rareness(of: LaneNumber): number {
  return of.isNormalized ? Math.min(of.hits, of.misses) : of.hits;
}

function sideOf(of: LaneNumber, factorOf: FactorOf): Bounded {
  const stdErr = of.isConstant ? 0 : of.moments.stdErr(of.users);
  const [lower, upper] = binomialInterval(
    of,
    {
      stdErr,
      gammaStdErr: 0,
    },
    factorOf,
  );
  return {
    value: of.value,
    lower,
    upper,
  };
}

/**
 * 95 % interval of a difference from its standard error, within [−1, 1]; all of [−1, 1] if the
 * error is unknown.
 */
function pairedInterval(value: number, stdErr: number, factor: number): [number, number] {
  if (stdErr === 0) return [value, value];
  if (Number.isNaN(stdErr) || factor === Number.POSITIVE_INFINITY) return [-1, 1];
  return withinOne(value - factor * stdErr, value + factor * stdErr);
}

function withinOne(lower: number, upper: number): [number, number] {
  return [Math.max(-1, lower), Math.min(1, upper)];
}

/**
 * One estimate of a lane: a metric under an estimator and an aggregation, with the sums that its
 * interval and its differences need.
 */
export class LaneNumber {
  /** Index of the estimate in the lane, see `slotOf`. */
  readonly slot: number;
  /** Index of the metric in the lane. */
  readonly m: number;
  /** Index of the estimator in the lane. */
  readonly e: number;
  readonly aggregation: 0 | 1;
  private readonly lane: Lane;

  constructor(lane: Lane, m: number, e: number, aggregation: 0 | 1) {
    this.lane = lane;
    this.m = m;
    this.e = e;
    this.aggregation = aggregation;
    this.slot = slotOf(m, e, aggregation, lane.sums.length);
  }

  private get sums(): EstimatorSums {
    return this.lane.sums[this.e];
  }

  get moments() {
    const { user, pooled } = this.sums;
    return (this.aggregation === 0 ? user : pooled)[this.m];
  }

  /** Whether some user has weight, so that there is an estimate. */
  get isGiven(): boolean {
    if (!this.isNormalized && this.sums.weightSum === 0) return false;
    return this.moments.denominator > 0;
  }

  /**
   * Whether all rows have the same gain, so that the estimate cannot vary. Its error is then 0,
   * even with a single user.
   */
  get isConstant(): boolean {
    const { least, most } = this.lane.metrics[this.m];
    // Without normalisation the random number of rows adds variance, if any row has a gain.
    return least === most && (this.isNormalized || most === 0);
  }

  /** Whether the estimate is a weighted mean of gains. */
  get isNormalized(): boolean {
    return this.sums.isNormalized;
  }

  get users(): number {
    const { users, pooledUsers } = this.sums;
    return this.aggregation === 0 ? users : pooledUsers;
  }

  get ess(): number {
    const { weightSum, squaredUserWeights } = this.sums;
    if (!this.isNormalized) return effectiveSampleSize(weightSum, squaredUserWeights);
    return effectiveSampleSize(this.moments.denominator, this.moments.squaredDenominator);
  }

  get value(): number {
    const { least, most } = this.lane.metrics[this.m];
    if (!this.isNormalized) return this.moments.ratio;
    // A weighted mean of gains is outside their range only because of rounding.
    return Math.min(most, Math.max(least, this.moments.ratio));
  }

  /**
   * Slope of the estimate in γ: ∂R/∂γ = (Σ λ ∂c/∂γ − R Σ ∂D/∂γ) / ΣD, with coefficients c. In the
   * user form D does not depend on γ, so the second term is 0.
   */
  get gammaSlope(): number {
    if (this.isConstant) return 0;
    const { userSlope, pooledSlope, weightSlope } = this.sums;
    const { denominator, ratio } = this.moments;
    if (this.aggregation === 0) return userSlope[this.m] / denominator;
    return (pooledSlope[this.m] - ratio * weightSlope) / denominator;
  }

  /** Total weight: Σ D, or Σ b for an estimator that is not self-normalised. */
  get weight(): number {
    return this.isNormalized ? this.moments.denominator : this.sums.weightSum;
  }

  /** Kish effective sample size over rows; over users for set metrics. */
  get rowEss(): number {
    if (this.lane.metrics[this.m].set !== null) return this.ess;
    const { squaredWeights, hits } = this.sums;
    const squares = this.aggregation === 0 ? hits!.squaredUserRows : squaredWeights;
    return effectiveSampleSize(this.weight, squares);
  }

  /** Effective number of hits over users. */
  get hits(): number {
    const { numerator, squaredNumerator } = this.moments;
    return effectiveSampleSize(numerator, squaredNumerator);
  }

  /** Effective number of misses over users. */
  get misses(): number {
    const { numerator, denominator, squaredComplement } = this.moments;
    // If every row is a hit, only rounding error remains of both.
    if (!isBelow(numerator, denominator)) return 0;
    return effectiveSampleSize(denominator - numerator, squaredComplement);
  }

  /** Σ c λ² / Σ c λ with coefficients c, the m₂ of `kornGraubard`; 1 without any hit. */
  get squaredGain(): number {
    const { numerator } = this.moments;
    return numerator > 0 ? this.sums.hits!.squaredGains(this.m, this.aggregation) / numerator : 1;
  }

  /**
   * Whether every candidate has gain 1. This holds if every list ranks all its candidates, and no
   * list has more candidates than there are positions with gain 1.
   */
  get isCertain(): boolean {
    return this.lane.candidates!.most <= placesThatGainAll(this.lane.metrics[this.m]);
  }

  /**
   * Whether all users with weight have weight 1, so that the estimate is a plain mean over users.
   */
  get isPlainMean(): boolean {
    const { denominator, squaredDenominator } = this.moments;
    return isEqual(denominator, this.users) && isEqual(squaredDenominator, this.users);
  }
}

/** Number of top positions of a list with gain 1; 0 for a set metric. */
function placesThatGainAll({ table, ofList, set }: MeasuredHits): number {
  if (set !== null) return 0;
  if (table === null) return ofList!.gain(0, 1) === 1 ? 1 : 0;
  const less = table.findIndex((gain) => gain !== 1);
  return less < 0 ? table.length : less;
}

/**
 * List the estimates of a lane in which some user has weight, by metric, estimator and aggregation.
 */
export function numbersOf(lane: Lane): LaneNumber[] {
  const numbers: LaneNumber[] = [];
  for (let m = 0; m < lane.metrics.length; m++) {
    for (let e = 0; e < lane.sums.length; e++) {
      for (const a of [0, 1] as const) {
        const number = new LaneNumber(lane, m, e, a);
        if (number.isGiven) {
          numbers.push(number);
        }
      }
    }
  }
  return numbers;
}
