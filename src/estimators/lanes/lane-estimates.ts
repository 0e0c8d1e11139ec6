import { AGGREGATIONS } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { FoundResult, ResultExtras, WeightingRule } from '../registry/weighting-rule.js';
import type { EffectiveSampleSize, Estimate } from '../results/estimate.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import { guarantees } from '../uncertainty/guarantees.js';
import { logitInterval } from '../uncertainty/interval.js';
import { replicateStdErr } from '../uncertainty/poisson-bootstrap.js';
import type { EstimatorSums } from './estimator-sums.js';
import type { Lane } from './lane.js';
import type { LaneStudy } from './lane-observers.js';
import { slotOf } from './user-sums.js';

/**
 * One number of a lane: a metric under an estimator and an aggregation, with all that its interval
 * and its differences are made from.
 */
export class LaneEstimate {
  readonly slot: number;
  private readonly lane: Lane;
  private readonly m: number;
  private readonly e: number;
  private readonly aggregation: 0 | 1;

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

  /** Some user has weight. */
  get isGiven(): boolean {
    if (!this.isNormalized && this.sums.weightSum === 0) return false;
    return this.moments.denominator > 0;
  }

  /** A gain that does not vary has no error, not even with a single user. */
  get isConstant(): boolean {
    const { least, most } = this.lane.metrics[this.m];
    // Without normalisation the number of rows counts, and that varies, if they gain anything.
    return least === most && (this.isNormalized || most === 0);
  }

  /** A weighted mean of gains. */
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
    // A weighted mean of gains cannot leave their range but by rounding.
    return Math.min(most, Math.max(least, this.moments.ratio));
  }

  /** ∂R/∂γ = (Σ λ ∂c/∂γ − R Σ ∂c/∂γ) / ΣD, c the coefficients; those of the user form sum to D. */
  get gammaSlope(): number {
    if (this.isConstant) return 0;
    const { userSlope, pooledSlope, weightSlope } = this.sums;
    const { denominator, ratio } = this.moments;
    if (this.aggregation === 0) return userSlope[this.m] / denominator;
    return (pooledSlope[this.m] - ratio * weightSlope) / denominator;
  }

  /** Every user counts alike, or not at all. */
  get isPlainMean(): boolean {
    const { denominator, squaredDenominator } = this.moments;
    return denominator === this.users && squaredDenominator === this.users;
  }
}

/** Every (metric, estimator, aggregation) of a lane in which some user has weight, in that order. */
export function* numbersOf(lane: Lane): Generator<[LaneEstimate, m: number, e: number, a: 0 | 1]> {
  for (let m = 0; m < lane.metrics.length; m++) {
    for (let e = 0; e < lane.sums.length; e++) {
      for (const a of [0, 1] as const) {
        const number = new LaneEstimate(lane, m, e, a);
        if (number.isGiven) yield [number, m, e, a];
      }
    }
  }
}

/** The estimates of a lane, by metric, estimator and aggregation; none where no user has weight. */
export function laneEstimates(
  lane: Lane,
  model: string,
  rules: readonly WeightingRule[],
  { replicates }: LaneStudy,
  options: EstimateOptions,
  factorOf: (ess: number) => number,
): Estimate[] {
  const estimates: Estimate[] = [];
  for (const [number, m, e, a] of numbersOf(lane)) {
    const { value, ess, users, moments, gammaSlope, isPlainMean } = number;
    const sampling =
      replicates === null ? moments.stdErr(users) : replicateStdErr(replicates.ratios(number.slot));
    const stdErr = number.isConstant ? 0 : sampling;
    const gammaStdErr = Math.abs(gammaSlope) * options.gammaStdErr;
    const [lower, upper] = logitInterval(value, Math.hypot(stdErr, gammaStdErr), factorOf(ess));
    const { metric, k } = lane.metrics[m];
    const aggregation = AGGREGATIONS[a];
    const { numerator, denominator } = moments;
    const found = { aggregation, value, users, denominator };
    const { guarantees: own = [], ...extras } = extrasOf(found, lane, m, e, rules[e]);
    const general = guarantees(options.guarantees, { value, stdErr, ess, users, isPlainMean });
    estimates.push({
      ...{ model, metric, k, estimator: options.estimators[e], aggregation },
      ...{ value, stdErr, lower, upper, users, events: lane.events, ess, gammaSlope, gammaStdErr },
      guarantees: [...general, ...own],
      ...{ numerator, denominator, ...extras },
      ...sharesOf(lane, number, m, e, a),
    });
  }
  return estimates;
}

/** How far the estimate rests on what shown lists caused; nothing where that is not followed. */
function sharesOf(
  { feedback, sums, metrics }: Lane,
  { moments: { numerator, denominator }, isNormalized }: LaneEstimate,
  m: number,
  e: number,
  a: 0 | 1,
): Pick<Estimate, 'shares'> {
  if (feedback === undefined) return {};
  const weight = isNormalized ? denominator : sums[e].weightSum;
  const isSetMetric = metrics[m].set !== null;
  const shares = feedback[e].shares(m, a, { numerator, denominator, weight, isSetMetric });
  return { shares };
}

/** What the rule says of a result, and what its own sums do. */
function extrasOf(
  found: FoundResult,
  { metrics, sums }: Lane,
  m: number,
  e: number,
  rule: WeightingRule,
): ResultExtras {
  return { ...rule.extras?.(found, metrics[m]), ...sums[e].own?.extras(found, metrics[m], m) };
}

/** Kish sizes of a lane's pooled weights, by event and by user. */
export function laneSampleSizes(
  lane: Lane,
  model: string,
  { estimators }: EstimateOptions,
): EffectiveSampleSize[] {
  return estimators.flatMap((estimator, e) => {
    const { isNormalized, squaredWeights, largestWeight, weightSum, squaredUserWeights, pooled } =
      lane.sums[e];
    const { denominator, squaredDenominator } = pooled[0];
    if (!(denominator > 0)) return [];
    const total = isNormalized ? denominator : weightSum;
    if (total === 0) return [];
    return [
      {
        model,
        estimator,
        events: effectiveSampleSize(total, squaredWeights),
        users: effectiveSampleSize(total, isNormalized ? squaredDenominator : squaredUserWeights),
        largestShare: largestWeight / total,
      },
    ];
  });
}
