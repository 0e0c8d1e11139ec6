import { NO_REASONS } from '../../rows/reading.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import { XxHash32 } from '../../state/binary/xxhash32.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { levelGains, type MeasureLevels } from '../diagnostics/gamma-sensitivity.js';
import { isFollowed } from '../feedback/feedback-mode.js';
import type { PreparedIntervention } from '../interventions/interventions.js';
import { listGains, measures, placesBelow, rankGains, setGains } from '../metrics/metric-gain.js';
import { AGGREGATIONS, type Aggregation, type EstimatorName, type Metric } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { NumberedSums, type Rounds } from '../partitions/rounds.js';
import { sideBySide } from '../partitions/side-by-side.js';
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
import { estimateInterval, type LaneNumber, numbersOf } from './lane-number.js';
import type { AbsoluteScale } from './scale.js';
import { type Family, type ItemColumns, MostCandidates } from './selection.js';
import { StratumSums } from './stratum-sums.js';
import { weighWindow } from './weigh-pass.js';
import { countWindow, type WindowCounts } from './window-counts.js';
import { windowRules } from './window-rules.js';

/** Changes with what sums consist of: those of another version are refused. */
const VERSION = 1;
/** Far above what any window has: bytes beyond it are not of one. */

/**
 * All that the weighing pass sums of some users of a window: what every lane adds up to, and what its
 * differences and replicates do.
 *
 * Sums of the parts of a window, each begun by `ofOthers`, merged into one in the order of partitions,
 * give the same bits whatever process made which. Merged into sums without users, those of a part are
 * what they were, to the bit. In another order, or divided in another way, they differ by rounding.
 *
 * **Source**: the pairwise update of Chan, Golub & LeVeque 1983 (moments.ts); differences are about
 * ratios of their own, and moved exactly (paired-differences.ts).
 */
class LaneSums extends NumberedSums<LaneSums> {
  readonly lanes: readonly Lane[];
  readonly studies: ReadonlyMap<Lane, LaneStudy>;
  readonly #reference: number;
  readonly #options: EstimateOptions;

  /** @param lanes see `makeLanes`. @param reference number of the model of differences; −1 for none. */
  constructor(lanes: readonly Lane[], reference: number, options: EstimateOptions) {
    super(VERSION);
    this.lanes = lanes;
    this.studies = studyLanes(lanes, reference, options);
    this.#reference = reference;
    this.#options = options;
  }

  /** The same sums without users yet. They are added to while these are not. */
  ofOthers(): LaneSums {
    const lanes = this.lanes.map((lane) => lane.ofOthers());
    return new LaneSums(lanes, this.#reference, this.#options);
  }

  /** Takes the sums of other users. @param others begun by `ofOthers`. */
  merge(others: LaneSums): void {
    this.lanes.forEach((lane, l) => {
      const other = others.lanes[l];
      lane.merge(other);
      const own = this.studies.get(lane)!;
      const study = others.studies.get(other)!;
      if (study.replicates !== null) own.replicates?.merge(study.replicates);
      if (study.paired !== null) own.paired?.sums.merge(study.paired.sums);
    });
  }

  pass(through: NumberCodec): void {
    for (const lane of this.lanes) {
      lane.pass(through);
      const { replicates, paired } = this.studies.get(lane)!;
      replicates?.pass(through);
      paired?.sums.pass(through);
    }
  }

  /** What the numbers are of, as a hash. */
  protected override seal(): number {
    const { estimators, strata, interval, userForm, guarantees, segments } = this.#options;
    const lanes = this.lanes.map(({ model, family, metrics, levels, feedback }) => [
      model,
      family,
      metrics.map(({ metric, k }) => [metric, k]),
      levels?.rows.length ?? null,
      feedback !== undefined,
    ]);
    const divided = segments && { segments: segments.names };
    const asked = { estimators, strata, interval, userForm, guarantees, ...divided };
    const text = JSON.stringify([VERSION, this.#reference, asked, lanes]);
    return new XxHash32().update(new TextEncoder().encode(text)).digest();
  }
}

/** What the rules make of some rows of a window. */
interface LaneWindow {
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
  rounds: Rounds,
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
    parts,
    columns,
    lanes,
    models.length,
    options,
    sliceRows,
    isUncounted,
    rounds,
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

/**
 * A lane for each model and family of metrics, by family first: models whose lists cover the same
 * rows then stand side by side; and the reference model first, so that the others find its sums.
 *
 * @param reference number of that model; −1 for none.
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
    ...rankGains(metrics, ks).map((gain) => ({ ...gain, ofList: null, set: null })),
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
  const candidates = () =>
    interval === 'korn-graubard' ? new MostCandidates(catalogueSize) : null;
  const lanesOf = (family: Family, gains: typeof complete | typeof ranked) =>
    gains.length > 0
      ? order.map(
          (m) =>
            new Lane(m, family, gains, rules, new StratumSums(strata), followsCauses, candidates()),
        )
      : [];
  return [...lanesOf('ranked', ranked), ...lanesOf('complete', complete)];
}

/** What the estimators of organic rows are computed from: values alone, which can be sent. */
export interface OrganicJob {
  readonly parts: readonly WindowPart[];
  readonly counts: ItemTotals;
  readonly columns: ItemColumns;
  readonly models: readonly string[];
  /** Of them `estimators` are those of organic rows. */
  readonly options: EstimateOptions;
  /** Whether nobody asks what interventions make of the rows, nor how many there are. */
  readonly isUnsummarised?: boolean;
}

/** What is needed beside, if it was asked for. */
export interface OrganicExtras {
  readonly scale: AbsoluteScale | null;
  /** Bring the sums of all partitions together, where some of them are elsewhere. */
  readonly rounds: Rounds;
}

/** What an estimator of organic rows comes to, and no other has a part in. */
export type OrganicEstimates = Pick<
  LaneWindow,
  'results' | 'differences' | 'effectiveSampleSizes' | 'segments'
> & { readonly interventions: InterventionSummary[] };

/** All of it, and what is of use in the thread where it was computed. */
export interface OrganicWindow extends OrganicEstimates {
  readonly prepared: readonly PreparedIntervention[];
  readonly counts: LaneWindow['counts'];
  readonly levels: LaneWindow['levels'];
}

/** Computes the estimators of organic rows, wherever. */
export type OrganicWork = (
  job: OrganicJob,
  extras: OrganicExtras,
  sliceRows: number,
) => Generator<void, OrganicWindow>;

/** Computes them here: the rule of every estimator, then two passes over the rows. */
export function* organicEstimates(
  { parts, counts, columns, models, options, isUnsummarised }: OrganicJob,
  { scale, rounds }: OrganicExtras,
  sliceRows: number,
): Generator<void, OrganicWindow> {
  const { rules, prepared, interventions } = yield* windowRules(
    parts,
    counts,
    options,
    scale,
    sliceRows,
    isUnsummarised,
    rounds,
  );
  const lanes = (own: Rounds) =>
    laneWindow(parts, columns, models, rules, options, sliceRows, isUnsummarised, own);
  const [found, summaries] = yield* sideBySide([lanes, interventions], rounds);
  return { ...found, prepared, interventions: summaries };
}

/** What a number of a window is called by. */
export interface Named {
  readonly model: string;
  readonly estimator: EstimatorName;
  readonly metric?: Metric;
  readonly k?: number | null;
  readonly form?: Aggregation;
}

/**
 * Numbers that were computed apart, in the order in which they would stand had they been computed
 * together: by model, metric, estimator and aggregation.
 *
 * @param models in their order. @param options what was asked for, the estimators in their order.
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
