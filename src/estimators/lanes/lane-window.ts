import { NO_REASONS } from '../../rows/reading.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { levelGains, type MeasureLevels } from '../diagnostics/level-gains.js';
import { AGGREGATIONS } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { LaneSums } from '../partitions/lane-sums.js';
import { ALONE } from '../partitions/rounds.js';
import type { EffectiveSampleSize, EstimateDifference, EstimateRow } from '../results/estimate.js';
import type { SegmentNumbers } from '../results/segment-report.js';
import type { FoundResult, ResultExtras, WeightingRule } from '../rules/weighting-rule.js';
import { segmentOffsets } from '../segments/segment-axes.js';
import { segmentNumbers } from '../segments/segment-numbers.js';
import { SegmentSums } from '../segments/segment-sums.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import { guarantees } from '../uncertainty/guarantees.js';
import { intervalFactors } from '../uncertainty/interval.js';
import { replicateStdErr } from '../uncertainty/poisson-bootstrap.js';
import { countWindow } from './count-pass.js';
import type { Lane } from './lane.js';
import { laneDifferences } from './lane-differences.js';
import { estimateInterval } from './lane-intervals.js';
import { type LaneNumber, numbersOf } from './lane-number.js';
import type { LaneStudy } from './lane-observers.js';
import { LevelSums } from './level-sums.js';
import { makeLanes } from './make-lanes.js';
import type { ItemColumns } from './selection.js';
import { weighWindow } from './weigh-pass.js';
import type { WindowCounts } from './window-counts.js';

/** What the rules make of some rows of a window. */
export interface LaneWindow {
  readonly results: EstimateRow[];
  readonly differences: EstimateDifference[];
  readonly effectiveSampleSizes: EffectiveSampleSize[];
  readonly counts: WindowCounts;
  /** By measure; empty where the columns have no levels. */
  readonly levels: readonly MeasureLevels[];
  /** By segment; empty where rows are not divided. */
  readonly segments: readonly SegmentNumbers[];
}

/**
 * Applies rules to rows, for every model and metric, in two passes over the rows. Each part is
 * weighed by itself, as if it were elsewhere, and its sums are merged in the order of the parts.
 *
 * @param rules those of `options.estimators`, in their order.
 * @param rounds bring the sums of all partitions together.
 * @param isUncounted leaves the counts at 0: nobody asks for them.
 */
export function* laneWindow(
  parts: readonly WindowPart[],
  columns: ItemColumns,
  models: readonly string[],
  rules: readonly WeightingRule[],
  options: EstimateOptions,
  sliceRows: number,
  isUncounted = false,
  rounds = ALONE,
): Generator<void, LaneWindow> {
  const reference = options.reference === undefined ? 0 : models.indexOf(options.reference);
  const lanes = makeLanes(models, reference, rules, options);
  for (const lane of columns.levels === undefined ? [] : lanes) {
    lane.levels = new LevelSums(columns.levels!.counts.length, lane.metrics.length);
  }
  if (options.segments !== undefined) {
    const places = segmentOffsets(options.segments).at(-1)!;
    for (const lane of lanes) {
      lane.segments = new SegmentSums(places, rules.length, lane.metrics.length);
    }
  }
  const sums = new LaneSums(lanes, reference, options);
  const counts = yield* countWindow(
    ...([parts, columns, lanes, models.length, options, sliceRows, isUncounted, rounds] as const),
  );
  const { studies } = yield* rounds.gather(sums, parts, (own, part) =>
    weighWindow([part], columns, own.lanes, rules, options, sliceRows),
  );
  const results: EstimateRow[] = [];
  const differences: EstimateDifference[] = [];
  const effectiveSampleSizes: EffectiveSampleSize[] = [];
  const segments: SegmentNumbers[] = [];
  const factorOf = intervalFactors();
  for (let m = 0; m < models.length; m++) {
    const own = lanes.filter(({ model }) => model === m);
    for (const lane of own) {
      const study = studies.get(lane)!;
      segments.push(...segmentNumbers(lane, models, study.paired?.reference, options, factorOf));
      results.push(...laneEstimates(lane, models[m], rules, study, options, factorOf));
      if (study.paired === null) continue;
      const names = { model: models[m], reference: models[reference] };
      const other = studies.get(study.paired.reference);
      differences.push(...laneDifferences(lane, names, study, other, options, factorOf));
    }
    if (own.length > 0) effectiveSampleSizes.push(...laneSampleSizes(own[0], models[m], options));
    yield;
  }
  const levels = levelGains(lanes, models);
  return { results, differences, effectiveSampleSizes, counts, levels, segments };
}

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
