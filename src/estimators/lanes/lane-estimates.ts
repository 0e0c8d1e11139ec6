import { NO_REASONS } from '../../rows/reading.js';
import { AGGREGATIONS } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { EffectiveSampleSize, EstimateRow } from '../results/estimate.js';
import type { FoundResult, ResultExtras, WeightingRule } from '../rules/weighting-rule.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import { guarantees } from '../uncertainty/guarantees.js';
import { replicateStdErr } from '../uncertainty/poisson-bootstrap.js';
import type { Lane } from './lane.js';
import { estimateInterval } from './lane-intervals.js';
import { type LaneNumber, numbersOf } from './lane-number.js';
import type { LaneStudy } from './lane-observers.js';

/** The estimates of a lane, by metric, estimator and aggregation; none where no user has weight. */
export function laneEstimates(
  lane: Lane,
  model: string,
  rules: readonly WeightingRule[],
  { replicates }: LaneStudy,
  options: EstimateOptions,
  factorOf: (ess: number) => number,
): EstimateRow[] {
  const estimates: EstimateRow[] = [];
  for (const [number, m, e, a] of numbersOf(lane)) {
    const { value, ess, users, moments, gammaSlope, isPlainMean } = number;
    const sampling =
      replicates === null ? moments.stdErr(users) : replicateStdErr(replicates.ratios(number.slot));
    const stdErr = number.isConstant ? 0 : sampling;
    const gammaStdErr = Math.abs(gammaSlope) * options.gammaStdErr;
    const errors = { stdErr, gammaStdErr };
    const [lower, upper] = estimateInterval(number, errors, options.interval, factorOf);
    const { metric, k } = lane.metrics[m];
    const aggregation = AGGREGATIONS[a];
    const { numerator, denominator } = moments;
    const found = { aggregation, value, users, denominator };
    const { guarantees: own = NO_REASONS, ...extras } = extrasOf(found, lane, m, e, rules[e]);
    const general = guarantees(options.guarantees, { value, stdErr, ess, users, isPlainMean });
    // Written out: spreading twenty fields takes longer than the estimate they are of.
    const estimate: EstimateRow = {
      family: 'estimates',
      model,
      metric,
      k,
      estimator: options.estimators[e],
      form: aggregation,
      value,
      stdErr,
      lower,
      upper,
      ess,
      counts: { users, rows: lane.events },
      status: 'given',
      reasons: NO_REASONS,
      more: Object.assign({ gammaSlope, gammaStdErr }, extras),
      guarantees: own.length === 0 ? general : [...general, ...own],
      sums: { numerator, denominator },
    };
    estimates.push(Object.assign(estimate, sharesOf(lane, number, m, e, a)));
  }
  return estimates;
}

/** How far the estimate rests on what shown lists caused; nothing where that is not followed. */
function sharesOf(
  { feedback, sums, metrics }: Lane,
  { moments: { numerator, denominator }, isNormalized }: LaneNumber,
  m: number,
  e: number,
  a: 0 | 1,
): Pick<EstimateRow, 'shares'> {
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
