import { UnskewError } from '../../errors.js';
import { isGiven } from '../../rows/reading.js';
import {
  type ItemCounts,
  type ItemTotals,
  ORGANIC_TRAFFIC,
  RANDOMIZED_TRAFFIC,
  type WindowPart,
} from '../../state/panes/window-part.js';
import { controlVariates } from '../diagnostics/control-variate.js';
import {
  type GammaRange,
  type MeasureLevels,
  slicedSensitivity,
  unreachedTail,
} from '../diagnostics/gamma-sensitivity.js';
import { rankingAgreements } from '../diagnostics/ranking-agreement.js';
import {
  type PopularityLevels,
  popularityLevels,
  positivesByLevel,
  singleCountShare,
  weightDistribution,
  weightLevels,
} from '../diagnostics/weight-distribution.js';
import { drawnEstimates } from '../interventions/drawn-sets.js';
import { type EstimatorName, LEADING } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { NumberSums } from '../partitions/number-sums.js';
import { ALONE, type Rounds } from '../partitions/rounds.js';
import { WIDEST_GAMMA } from '../propensity/gamma-error.js';
import {
  importanceWeight,
  importanceWeightSlope,
  propensityExponent,
} from '../propensity/power-law.js';
import type { EstimateRow } from '../results/estimate.js';
import type { MeasureSensitivity } from '../results/sensitivity.js';
import type { RandomizedTraffic, WindowEstimates } from '../results/window-estimates.js';
import { needsScale } from '../rules/needs.js';
import { estimatorOf } from '../rules/registry.js';
import { absoluteScale } from './absolute-scale.js';
import { narrowedPart } from './derived-parts.js';
import { feedbackEstimates, givenOnly } from './feedback-estimates.js';
import { mergedOrder, type Named, type OrganicWork, organicEstimates } from './lane-window.js';
import { madeOnce } from './made-once.js';
import { perItem } from './per-item.js';
import { formRefusals, possibleEstimators, setRefusals } from './refusals.js';
import type { AbsoluteScale } from './scale.js';
import type { ItemColumns } from './selection.js';
import { stratify } from './strata.js';
import { countPairs } from './window-counts.js';

/**
 * Counts the randomised traffic of a window, yielding between slices.
 *
 * @param parts the window. @param traffic its rows by where they came from. @param rounds bring the
 * counts of all partitions together.
 */
function* randomizedTraffic(
  parts: readonly WindowPart[],
  { randomized: rows }: SeparateTraffic,
  counts: ItemCounts,
  sliceRows: number,
  rounds: Rounds,
): Generator<void, RandomizedTraffic> {
  let interactions = 0;
  for (let i = 0; i < counts.items; i++) interactions += counts.randomized[i];
  const { values } = yield* rounds.gather(new NumberSums(4), parts, function* count(sums, part) {
    const own = rows[parts.indexOf(part)];
    const found = own === undefined ? NONE : yield* countPositives(own, sliceRows);
    sums.values.set([part.randomizedUsers, part.randomizedItems, ...found]);
  });
  const [reached, itemsShown, positives, usersWithPositive] = values;
  // A user may have had the list in an earlier window and answer it in this one.
  const users = Math.max(reached, usersWithPositive);
  const withoutPositive = (users - usersWithPositive) / users;
  return { interactions, users, itemsShown, positives, usersWithPositive, withoutPositive };
}

const NONE = [0, 0] as const;

/** Positive rows, and users who have one. */
function* countPositives(
  { users, userStart, positive }: WindowPart,
  sliceRows: number,
): Generator<void, readonly [number, number]> {
  let positives = 0;
  let usersWithPositive = 0;
  let work = 0;
  for (let s = 0; s < users; s++) {
    let own = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) own += positive[r];
    positives += own;
    if (own > 0) usersWithPositive++;
    work += userStart[s + 1] - userStart[s];
    if (work < sliceRows) continue;
    work = 0;
    yield;
  }
  return [positives, usersWithPositive];
}

/** Standard errors of γ that its 95 % interval spans to either side. */
const Z = 1.96;

/**
 * What the choice of γ decides in a window: for each measure the band of every model's pooled snips
 * over γ in [−1, 1], and where models change places there, and between there and the γ in use with
 * all of its interval. And which rare items a model gains nothing on.
 *
 * See `gammaSensitivity`. What is withheld has no band and changes no places.
 *
 * @param counts of each level. @param measures of the organic rows, by level.
 * @param results of the window, judged.
 */
function* windowSensitivity(
  counts: Float64Array,
  measures: readonly MeasureLevels[],
  results: readonly EstimateRow[],
  options: EstimateOptions,
): Generator<void, MeasureSensitivity[]> {
  const range = rangeOf(options);
  const beta = propensityExponent(options.gamma);
  const found: MeasureSensitivity[] = [];
  for (const { metric, k, models: sums } of measures) {
    const own = results.filter((row) => row.metric === metric && row.k === k);
    const given = sums.filter(({ model }) => !isWithheld(own, model));
    const { bands, flips } = yield* slicedSensitivity(counts, given, range);
    if (bands.length === 0) continue;
    const tails = given.flatMap((own) => unreachedTail(counts, own, beta) ?? []);
    found.push({ metric, k, bands, flips, tails });
  }
  return found;
}

/** [−1, 1], as far as the γ in use and its interval go beyond it, and no further than [−5, 5]. */
function rangeOf({ gamma, gammaStdErr, gammaHalfWidth }: EstimateOptions): GammaRange {
  const half = gammaHalfWidth ?? Z * gammaStdErr;
  return {
    from: Math.max(-WIDEST_GAMMA, Math.min(-1, gamma - half)),
    to: Math.min(WIDEST_GAMMA, Math.max(1, gamma + half)),
  };
}

/** Goes by the estimate that the band is of; by any other where that was not asked for. */
function isWithheld(rows: readonly EstimateRow[], model: string): boolean {
  const pooled = rows.filter((row) => row.model === model && row.form === 'pooled');
  const leading = pooled.filter(({ estimator }) => estimator === LEADING);
  const judged = leading.length > 0 ? leading : pooled;
  return !judged.every(isGiven);
}

/**
 * All estimates of one window under one propensity snapshot.
 *
 * R = Σ_u N_u / Σ_u D_u for every model, metric, estimator and aggregation, with coefficients by
 * the estimator's rule (naive.ts, snips.ts, gs.ts, intervened.ts), its standard error clustered by
 * user (moments.ts) and its interval (interval.ts).
 * Source: Yang et al. 2018 (naive, SNIPS), generalized-stratified (GS), Carraro & Bridge 2020
 * (SKEW, WTD_H).
 *
 * A user's rows are the positive ones with a list of the model. Rows that only randomised traffic
 * found are ure's; all other estimators, and the interventions' sampling space, have the organic
 * ones (narrowed-part.ts). Lists of a sampled candidate set
 * serve auc alone, and auc takes only lists that rank all their candidates. With `cold: drop` the
 * rows of items with n_i = 0 leave the evaluation for every estimator alike, so that estimators
 * differ by weights only; the sampling space of skew and wtd_h stays all rows of the window, and
 * their counts are smoothed by κ in either case. Three passes over the rows, O(rows × models).
 *
 * Each model is also compared with the reference model (paired-differences.ts). With `interval:
 * 'bootstrap'` standard errors come from a Poisson bootstrap over users (poisson-bootstrap.ts), at
 * O(users × 100) for every number, and parts must carry keys of users; with 'korn-graubard'
 * intervals are binomial (korn-graubard.ts), from two more sums.
 *
 * If causes are followed, estimates that rest on what shown lists caused are withheld, and the
 * rest of the rows is estimated once more (feedback-estimates.ts). Beside the estimates stands what
 * other values of γ would make of them (window-sensitivity.ts).
 *
 * @param parts disjoint users; how they are divided changes nothing but rounding.
 * @param counts the snapshot; every row's item is below `counts.items`.
 * @param models names, in the order of the parts' `ranks`.
 * @param sliceRows rows of work between two yields, at which the caller may let others run.
 * @param work computes the estimators of organic rows. @param rounds bring the sums of all partitions
 * together, where some of them are elsewhere.
 * @returns estimates ordered by model, metric, estimator, aggregation. A model without an evaluated
 * user has none for that metric; an empty window has none at all.
 * @throws UnskewError USAGE for a cut-off or a number of strata that is not a whole number above 0;
 * RangeError for an item without a count.
 * @example
 * const counts = { popularity: new Float64Array(0), items: 0 };
 * const options = { metrics: ['recall'], ks: [10], estimators: [], guarantees: [], strata: 5 };
 * runAtOnce(estimateWindow([], counts, ['bestsellers'], options)).results; // []
 */
export function* estimateWindow(
  parts: readonly WindowPart[],
  counts: ItemCounts,
  models: readonly string[],
  asked: EstimateOptions,
  sliceRows = 4096,
  work: OrganicWork = organicEstimates,
  rounds = ALONE,
): Generator<void, WindowEstimates> {
  checkOptions(asked);
  const traffic = yield* separateTraffic(parts, sliceRows, rounds);
  const randomized = yield* randomizedTraffic(parts, traffic, counts, sliceRows, rounds);
  const { estimators, refusals } = possibleEstimators(
    asked.estimators,
    randomized,
    rounds.names !== undefined,
  );
  const beta = propensityExponent(asked.gamma);
  const { cold, smoothing, strataScheme, strata } = asked;
  const { columns, levels } = yield* madeOnce(
    counts.popularity,
    ['columns', beta, cold, smoothing, strataScheme, strata],
    () => itemColumns(counts, beta, asked),
  );
  let scale: AbsoluteScale | null = null;
  if (needsScale(asked)) {
    scale = yield* absoluteScale(
      traffic.organic,
      counts,
      columns,
      randomized,
      asked,
      sliceRows,
      rounds,
    );
  }
  refusals.push(...formRefusals(estimators, scale), ...setRefusals(asked.metrics, estimators));
  const totals = totalsOf(counts);
  const organic = { ...asked, estimators: estimators.filter((name) => isOrganic(name, scale)) };
  const organicJob = { parts: traffic.organic, counts: totals, columns, models, options: organic };
  const withLevels = { ...organicJob, columns: { ...columns, levels } };
  const extras = { scale, rounds };
  const own = yield* work(withLevels, extras, sliceRows);
  // Lists that were drawn at random are no policy's: what they caused is what ure is made of.
  const uniform: EstimateOptions = {
    ...asked,
    feedback: 'ignore',
    estimators: estimators.filter(isRandomised),
  };
  const job = { parts: traffic.randomized, counts: totals, columns, models, options: uniform };
  const other =
    uniform.estimators.length === 0 ? null : yield* organicEstimates(job, extras, sliceRows);
  const rowsOf = yield* positivesByLevel(traffic.organic, levels, sliceRows, rounds);
  const byLevel = weightLevels(rowsOf, columns.weight, counts.popularity, levels.ofItem);
  const repeated = yield* rounds.gather(new NumberSums(1), parts, function* add(sums, part) {
    sums.values[0] = part.repeatedPositives ?? 0;
    yield;
  });
  const merged = <T extends Named>(a: readonly T[], b: readonly T[] | undefined) =>
    b === undefined ? a : mergedOrder([a, b], models, { ...asked, estimators });
  const whole = {
    results: merged(own.results, other?.results),
    differences: merged(own.differences, other?.differences),
  };
  const judged = yield* feedbackEstimates(organicJob, extras, whole, work, sliceRows);
  const pairs = !traffic.isMixed ? own.counts : yield* countPairs(parts, counts.items, rounds);
  return {
    ...judged,
    effectiveSampleSizes: merged(own.effectiveSampleSizes, other?.effectiveSampleSizes),
    models: own.counts.summaries(models),
    counts: {
      ...pairs.totals(),
      repeatedPositives: repeated.values[0],
      unranked: own.counts.totals().unranked,
    },
    refusals,
    interventions: own.interventions,
    ...(asked.segments && {
      segments: { ...asked.segments, numbers: givenOnly(own.segments, judged.results) },
    }),
    drawn: givenOnly(
      yield* drawnEstimates(
        own.prepared,
        traffic.organic,
        counts,
        columns,
        models,
        asked,
        sliceRows,
        rounds,
      ),
      judged.results,
    ),
    weightDistribution: yield* weightDistribution(byLevel.rows, byLevel.weight, sliceRows),
    absoluteScale: scale?.report ?? null,
    randomized,
    controlVariates:
      other === null
        ? []
        : yield* controlVariates(traffic, counts, columns.weight, sliceRows, rounds),
    agreements: rankingAgreements(judged.results),
    sensitivity: yield* windowSensitivity(levels.counts, own.levels, judged.results, asked),
    ...(asked.weightsFrom === 'all'
      ? { singleCountShare: singleCountShare(byLevel.rows, byLevel.popularity, byLevel.weight) }
      : {}),
  };
}

function totalsOf({ items, popularity, interactions, randomized }: ItemCounts): ItemTotals {
  return { items, popularity, interactions, randomized };
}

/** Measured on the rows of randomised traffic. */
function isRandomised(name: EstimatorName): boolean {
  return estimatorOf(name).kind === 'randomised';
}

/** Measured on organic rows, and with what it needs of them. */
function isOrganic(name: EstimatorName, scale: AbsoluteScale | null): boolean {
  return !isRandomised(name) && (scale !== null || estimatorOf(name).needs.scale === undefined);
}

/** What every row looks up by its item. */
function* itemColumns(
  counts: ItemCounts,
  beta: number,
  options: EstimateOptions,
): Generator<void, { readonly columns: ItemColumns; readonly levels: PopularityLevels }> {
  const { popularity, items } = counts;
  const weightOf = importanceWeight(beta, options);
  const weight = yield* perItem(popularity, weightOf, new Float64Array(items));
  const slopeOf = importanceWeightSlope(beta, options);
  const weightSlope = yield* perItem(popularity, slopeOf, new Float64Array(items));
  const stratum = yield* stratify(counts, options.strataScheme, options.strata, beta);
  const levels = popularityLevels(popularity, items, options);
  yield;
  const uncounted = [weightOf(0), slopeOf(0), leastStratum(popularity, stratum)] as const;
  return { columns: { weight, weightSlope, stratum, uncounted }, levels };
}

/** In which items without a count stand: that of the least popular seen items. */
function leastStratum(popularity: Float64Array, stratum: Uint16Array): number {
  let least = Number.POSITIVE_INFINITY;
  let found = 0;
  for (let item = 0; item < stratum.length; item++) {
    const n = popularity[item];
    if (!(n > 0) || n > least) continue;
    found = n < least ? stratum[item] : Math.max(found, stratum[item]);
    least = n;
  }
  return found;
}

function checkOptions({ ks, strata }: EstimateOptions): void {
  for (const k of ks) {
    if (!Number.isInteger(k) || k < 1) {
      throw new UnskewError('USAGE', `a cut-off k must be a whole number above 0, not ${k}`);
    }
  }
  if (!Number.isInteger(strata) || strata < 1 || strata > 0xffff) {
    throw new UnskewError('USAGE', `strata must be a whole number from 1 to 65535, not ${strata}`);
  }
}

/** A window's rows by where they came from. */
interface SeparateTraffic {
  /** Rows with an organic interaction; the very same parts where there are no others. */
  readonly organic: readonly WindowPart[];
  /** Rows with an interaction from randomised traffic; no parts where no partition has any. */
  readonly randomized: readonly WindowPart[];
  /** Some partition has them. */
  readonly isMixed: boolean;
}

/**
 * Separates the rows of organic traffic from those of randomised traffic.
 *
 * A pair that was found in both is a row of both: either would have found it without the other.
 * The weights n^−β undo an organic policy's selection, which a randomised row never went through,
 * so such a row has no place among the rows that they weigh; what is randomised is measured by ure.
 * O(rows) where there is randomised traffic, and a look at one column else.
 *
 * @param sliceRows rows of work between two yields. @param rounds say whether any partition has rows
 * of randomised traffic.
 * @returns parts with the same segments, some of them without rows.
 */
function* separateTraffic(
  parts: readonly WindowPart[],
  sliceRows: number,
  rounds: Rounds,
): Generator<void, SeparateTraffic> {
  const found = yield* rounds.gather(new NumberSums(1), parts, function* look(sums, part) {
    sums.values[0] = hasRandomized(part) ? 1 : 0;
    yield;
  });
  if (found.values[0] === 0) return { organic: parts, randomized: [], isMixed: false };
  const organic: WindowPart[] = [];
  const randomized: WindowPart[] = [];
  for (const part of parts) {
    organic.push(hasRandomized(part) ? yield* rowsOf(part, ORGANIC_TRAFFIC, sliceRows) : part);
    randomized.push(yield* rowsOf(part, RANDOMIZED_TRAFFIC, sliceRows));
  }
  return { organic, randomized, isMixed: true };
}

/** Most windows hold organic rows alone: one quick look says so. */
function hasRandomized({ traffic, rows }: WindowPart): boolean {
  let any = 0;
  for (let r = 0; r < rows; r++) any |= traffic[r];
  return (any & RANDOMIZED_TRAFFIC) !== 0;
}

function* rowsOf(part: WindowPart, bit: number, sliceRows: number): Generator<void, WindowPart> {
  const { users, userStart, traffic } = part;
  const kept = new Int32Array(countOf(part, bit));
  const start = new Int32Array(users + 1);
  let rows = 0;
  let work = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if ((traffic[r] & bit) !== 0) kept[rows++] = r;
    }
    work += userStart[s + 1] - userStart[s];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
  start[users] = rows;
  yield;
  return yield* narrowedPart(part, kept, start);
}

function countOf({ traffic, rows }: WindowPart, bit: number): number {
  let count = 0;
  for (let r = 0; r < rows; r++) if ((traffic[r] & bit) !== 0) count++;
  return count;
}
