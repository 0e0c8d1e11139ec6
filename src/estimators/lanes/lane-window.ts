import { NO_REASONS } from '../../rows/reading.js';
import { levelGains, type MeasureLevels } from '../diagnostics/gamma-sensitivity.js';
import { isFollowed } from '../feedback/feedback-mode.js';
import type { PreparedIntervention } from '../interventions/interventions.js';
import { listGains, measures, placesBelow, rankGains, setGains } from '../metrics/metric-gain.js';
import { AGGREGATIONS, type Aggregation, type EstimatorName, type Metric } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { EffectiveSampleSize, EstimateDifference, EstimateRow } from '../results/estimate.js';
import type { SegmentNumbers } from '../results/segment-report.js';
import type { InterventionSummary } from '../results/window-estimates.js';
import type { FoundResult, ResultExtras, WeightingRule } from '../rules/weighting-rule.js';
import { segmentOffsets } from '../segments/segment-axes.js';
import { segmentNumbers } from '../segments/segment-numbers.js';
import { SegmentSums } from '../segments/segment-sums.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import { guarantees } from '../uncertainty/guarantees.js';
import { intervalFactors } from '../uncertainty/interval.js';
import { replicateStdErr } from '../uncertainty/poisson-bootstrap.js';
import { ExpectedSet } from './expected-set.js';
import { Lane, LevelSums } from './lane.js';
import { type LaneStudy, laneDifferences, studyLanes } from './lane-differences.js';
import type { LaneContext, LaneJob, OrganicJob } from './lane-job.js';
import { estimateInterval, type LaneNumber, numbersOf } from './lane-number.js';
import { type Family, MostCandidates } from './selection.js';
import { StratumSums } from './stratum-sums.js';
import { weighWindow } from './weigh-pass.js';
import { countWindow, type WindowCounts } from './window-counts.js';
import { windowRules } from './window-rules.js';

/** Estimates computed from the rows of one `LaneJob`. */
interface LaneWindow {
  readonly results: EstimateRow[];
  readonly differences: EstimateDifference[];
  readonly effectiveSampleSizes: EffectiveSampleSize[];
  readonly counts: WindowCounts;
  /**
   * Rows and gains by popularity level, for each metric and cut-off; empty if the columns have no
   * levels.
   */
  readonly levels: readonly MeasureLevels[];
  /** Estimates by segment; empty without segment dimensions. */
  readonly segments: readonly SegmentNumbers[];
}

/**
 * Compute the estimates of rows under weighting rules, for every model and metric, in two passes
 * over the rows.
 *
 * @param rules those of `options.estimators`, in their order.
 */
export function laneWindow(job: LaneJob, rules: readonly WeightingRule[]): LaneWindow {
  const { columns, models, options } = job;
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
  const studies = studyLanes(lanes, reference, options);
  const counts = countWindow(job, lanes);
  weighWindow(job, lanes, rules);
  const results: EstimateRow[] = [];
  const differences: EstimateDifference[] = [];
  const effectiveSampleSizes: EffectiveSampleSize[] = [];
  const segments: SegmentNumbers[] = [];
  const by: LaneContext = {
    models,
    reference,
    rules,
    options,
    factorOf: intervalFactors(),
  };
  for (let m = 0; m < models.length; m++) {
    const own = lanes.filter(({ model }) => model === m);
    for (const lane of own) {
      const study = studies.get(lane)!;
      segments.push(...segmentNumbers(lane, study.paired?.reference, by));
      results.push(...laneEstimates(lane, study, by));
      if (study.paired === null) continue;
      const other = studies.get(study.paired.reference);
      differences.push(...laneDifferences(lane, study, other, by));
    }
    if (own.length > 0) {
      effectiveSampleSizes.push(...laneSampleSizes(own[0], models[m], options));
    }
  }
  const levels = levelGains(lanes, models);
  return {
    results,
    differences,
    effectiveSampleSizes,
    counts,
    levels,
    segments,
  };
}

/**
 * Compute the estimates of a lane in which some user has weight, by metric, estimator and
 * aggregation.
 */
function laneEstimates(
  lane: Lane,
  { replicates }: LaneStudy,
  { models, rules, options, factorOf }: LaneContext,
): EstimateRow[] {
  const estimates: EstimateRow[] = [];
  for (const number of numbersOf(lane)) {
    const { e, value, ess, users, moments, gammaSlope, isPlainMean } = number;
    const sampling =
      replicates === null ? moments.stdErr(users) : replicateStdErr(replicates.ratios(number.slot));
    const stdErr = number.isConstant ? 0 : sampling;
    const gammaStdErr = Math.abs(gammaSlope) * options.gammaStdErr;
    const errors = { stdErr, gammaStdErr };
    const [lower, upper] = estimateInterval(number, errors, options.interval, factorOf);
    const { metric, k } = lane.metrics[number.m];
    const aggregation = AGGREGATIONS[number.aggregation];
    const { numerator, denominator } = moments;
    const found = {
      aggregation,
      value,
      users,
      denominator,
    };
    const { guarantees: own = NO_REASONS, ...extras } = extrasOf(found, lane, number, rules[e]);
    const general = guarantees(options.guarantees, {
      value,
      stdErr,
      ess,
      users,
      isPlainMean,
    });
    // Written out, since spreading twenty fields takes longer than the estimate itself.
    const estimate: EstimateRow = {
      family: 'estimates',
      model: models[lane.model],
      metric,
      k,
      estimator: options.estimators[e],
      form: aggregation,
      value,
      stdErr,
      lower,
      upper,
      ess,
      counts: {
        users,
        rows: lane.events,
      },
      status: 'given',
      reasons: NO_REASONS,
      more: Object.assign({ gammaSlope, gammaStdErr }, extras),
      guarantees: own.length === 0 ? general : [...general, ...own],
      sums: { numerator, denominator },
    };
    estimates.push(Object.assign(estimate, sharesOf(lane, number)));
  }
  return estimates;
}

/**
 * Shares of the estimate that rest on interactions driven by recommendations; undefined if causes
 * are not determined.
 */
function sharesOf(
  { feedback, sums, metrics }: Lane,
  { m, e, aggregation, moments: { numerator, denominator }, isNormalized }: LaneNumber,
): Pick<EstimateRow, 'shares'> {
  if (feedback === undefined) return {};
  const weight = isNormalized ? denominator : sums[e].weightSum;
  const isSetMetric = metrics[m].set !== null;
  const whole = {
    numerator,
    denominator,
    weight,
    isSetMetric,
  };
  return { shares: feedback[e].shares(m, aggregation, whole) };
}

/** Collect the extra fields of a result from its rule and the rule's own sums. */
function extrasOf(
  found: FoundResult,
  { metrics, sums }: Lane,
  { m, e }: LaneNumber,
  rule: WeightingRule,
): ResultExtras {
  return {
    ...rule.extras?.(found, metrics[m]),
    ...sums[e].own?.extras(found, metrics[m], m),
  };
}

/**
 * Kish's effective sample sizes of a lane's pooled weights, in events and in users, by estimator.
 */
function laneSampleSizes(
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

/**
 * Make a lane for each model and family of metrics, by family first, so that models with the same
 * rows are adjacent. The reference model comes first, since the others need its sums.
 *
 * @param reference index of the reference model; −1 for none.
 */
export function makeLanes(
  models: readonly string[],
  reference: number,
  rules: readonly WeightingRule[],
  options: EstimateOptions,
): Lane[] {
  const { metrics, ks, strata, interval, catalogueSize } = options;
  const followsCauses = isFollowed(options);
  const rest = models.map((_, m) => m).filter((m) => m !== reference);
  const order = reference in models ? [reference, ...rest] : rest;
  const ranked = [
    ...rankGains(metrics, ks).map((gain) => ({
      ...gain,
      ofList: null,
      set: null,
    })),
    ...setGains(metrics, ks).map(({ metric, k, of }) => ({
      metric,
      k,
      table: placesBelow(k),
      ofList: null,
      set: new ExpectedSet(of, k),
    })),
  ];
  const complete = listGains(metrics).map(({ metric, k, of }) => ({
    metric,
    k,
    table: null,
    ofList: of,
    set: null,
  }));
  const laneOf = (model: number, family: Family, gains: typeof complete | typeof ranked) =>
    new Lane({ model, family }, gains, rules, {
      strata: new StratumSums(strata),
      followsCauses,
      candidates: interval === 'korn-graubard' ? new MostCandidates(catalogueSize) : null,
    });
  const lanesOf = (family: Family, gains: typeof complete | typeof ranked) =>
    gains.length > 0 ? order.map((model) => laneOf(model, family, gains)) : [];
  return [...lanesOf('ranked', ranked), ...lanesOf('complete', complete)];
}

/** Estimates of an `OrganicJob`, with the interventions among its estimators. */
export interface OrganicWindow extends LaneWindow {
  readonly interventions: readonly InterventionSummary[];
  readonly prepared: readonly PreparedIntervention[];
}

/**
 * Compute the estimates of a job: first every estimator's weighting rule, then two passes over the
 * rows.
 */
export function organicEstimates(job: OrganicJob): OrganicWindow {
  const { rules, prepared, interventions } = windowRules(job);
  return {
    ...laneWindow(job, rules),
    prepared,
    interventions,
  };
}

/**
 * Fields that identify one estimate, difference or effective sample size among those of a window.
 */
export interface Named {
  readonly model: string;
  readonly estimator: EstimatorName;
  readonly metric?: Metric;
  readonly k?: number | null;
  readonly form?: Aggregation;
}

/**
 * Merge lists of numbers that were computed separately, each for some of the estimators. The result
 * has the order of a single computation: by model, metric, estimator and aggregation.
 *
 * @param models in their order. @param options with the estimators in their order.
 */
export function mergedOrder<T extends Named>(
  shares: readonly (readonly T[])[],
  models: readonly string[],
  { metrics, ks, estimators }: Pick<EstimateOptions, 'metrics' | 'ks' | 'estimators'>,
): T[] {
  const places = new Map(measures(metrics, ks).map((measure, n) => [nameOf(measure), n]));
  const placeOf = (number: Named) => places.get(nameOf(number)) ?? 0;
  return shares
    .flat()
    .sort(
      (a, b) =>
        models.indexOf(a.model) - models.indexOf(b.model) ||
        placeOf(a) - placeOf(b) ||
        estimators.indexOf(a.estimator) - estimators.indexOf(b.estimator) ||
        AGGREGATIONS.indexOf(a.form ?? 'user') - AGGREGATIONS.indexOf(b.form ?? 'user'),
    );
}

function nameOf({ metric, k }: { metric?: Metric; k?: number | null }): string {
  return `${metric} ${k}`;
}
