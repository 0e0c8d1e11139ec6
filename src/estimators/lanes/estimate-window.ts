import { UnskewError } from '../../errors.js';
import {
  type ItemCounts,
  type ItemTotals,
  ORGANIC_TRAFFIC,
  RANDOMIZED_TRAFFIC,
  type WindowPart,
} from '../../state/panes/window-part.js';
import { controlVariates, type SeparateTraffic } from '../diagnostics/control-variate.js';
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
import type { EstimatorName } from '../names.js';
import type { EstimateOptions } from '../options.js';
import {
  importanceWeight,
  importanceWeightSlope,
  propensityExponent,
} from '../propensity/power-law.js';
import type { RandomizedTraffic, WindowEstimates } from '../results/window-estimates.js';
import { needsScale } from '../rules/needs.js';
import { estimatorOf } from '../rules/registry.js';
import { absoluteScale } from './absolute-scale.js';
import { narrowedPart } from './derived-parts.js';
import { feedbackEstimates, givenOnly } from './feedback-estimates.js';
import type { OrganicJob } from './lane-job.js';
import { mergedOrder, type Named, type OrganicWindow, organicEstimates } from './lane-window.js';
import { madeOnce } from './made-once.js';
import { perItem } from './per-item.js';
import { formRefusals, possibleEstimators, setRefusals } from './refusals.js';
import type { AbsoluteScale } from './scale.js';
import type { ItemColumns } from './selection.js';
import { stratify } from './strata.js';
import { countPairs } from './window-counts.js';
import { windowSensitivity } from './window-sensitivity.js';

/**
 * Count the randomised traffic of a window.
 *
 * @param part all rows of the window. @param rows randomised rows of the window; null if there are
 * none.
 */
function randomizedTraffic(
  { randomizedUsers, randomizedItems }: WindowPart,
  rows: WindowPart | null,
  counts: ItemCounts,
): RandomizedTraffic {
  let interactions = 0;
  for (let i = 0; i < counts.items; i++) {
    interactions += counts.randomized[i];
  }
  const [positives, usersWithPositive] = rows === null ? NONE : countPositives(rows);
  // A user may get the list in an earlier window and respond in this one.
  const users = Math.max(randomizedUsers, usersWithPositive);
  const withoutPositive = (users - usersWithPositive) / users;
  return {
    interactions,
    users,
    itemsShown: randomizedItems,
    positives,
    usersWithPositive,
    withoutPositive,
  };
}

const NONE = [0, 0] as const;

/** Count the positive rows of a part, and its users with at least one. */
function countPositives({ users, userStart, positive }: WindowPart): readonly [number, number] {
  let positives = 0;
  let usersWithPositive = 0;
  for (let s = 0; s < users; s++) {
    let own = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      own += positive[r];
    }
    positives += own;
    if (own > 0) {
      usersWithPositive++;
    }
  }
  return [positives, usersWithPositive];
}

/** Input of a window's estimates. */
export interface EstimatedWindow {
  readonly part: WindowPart;
  /** Popularity counts of the snapshot; every row's item is below `counts.items`. */
  readonly counts: ItemCounts;
  /** Names of the models, in the order of the part's `ranks`. */
  readonly models: readonly string[];
  readonly options: EstimateOptions;
  /**
   * Receives the inputs of the estimates over organic rows, so that they can be used again later.
   */
  readonly keep?: ((job: OrganicJob) => void) | undefined;
}

/**
 * Compute all estimates of one window under one snapshot of the propensities.
 *
 * R = Σ_u N_u / Σ_u D_u for every model, metric, estimator and aggregation, with coefficients by
 * the estimator's rule (naive.ts, snips.ts, gs.ts, intervened.ts), its standard error clustered by
 * user (moments.ts) and its interval (interval.ts).
 * Source: Yang et al. 2018 (naive, SNIPS), generalized-stratified (GS), Carraro & Bridge 2020
 * (SKEW, WTD_H).
 *
 * A model is evaluated on the positive rows of users with a list of the model. ure uses the rows of
 * randomised traffic. All other estimators use the organic rows, from which the interventions also
 * draw. Lists of a sampled candidate set are used for auc only, and auc takes only lists that rank
 * all their candidates. With `cold: drop`, rows of items with n_i = 0 are left out for every
 * estimator, so estimators differ by their weights only; skew and wtd_h still sample from all rows
 * of the window, with counts smoothed by κ. Three passes over the rows, O(rows × models).
 *
 * Each model is also compared with the reference model (paired-differences.ts). With `interval:
 * 'bootstrap'` standard errors come from a Poisson bootstrap over users (poisson-bootstrap.ts), at
 * O(users × 100) for every number, and the rows must carry keys of users; with 'korn-graubard'
 * intervals are binomial (korn-graubard.ts).
 *
 * If the causes of interactions are followed, estimates that rest on interactions driven by
 * recommendations are withheld, and the organic rows are estimated separately
 * (feedback-estimates.ts). The result also has the estimates under other values of γ
 * (window-sensitivity.ts).
 *
 * @returns estimates ordered by model, metric, estimator, aggregation. A model has no estimate of a
 * metric for which none of its users is evaluated; an empty window has no estimates.
 * @throws UnskewError USAGE for a cut-off or a number of strata that is not a whole number above 0;
 * RangeError for an item without a count.
 * @example
 * const part = {
 *   users: 0, userStart: Int32Array.of(0), userCount: new Float64Array(0),
 *   userRandomized: new Float64Array(0), randomizedUsers: 0, randomizedItems: 0,
 *   rows: 0, item: new Int32Array(0), positive: new Uint8Array(0), traffic: new Uint8Array(0),
 *   ranks: [new Uint16Array(0)], lists: [new Uint16Array(0)],
 * };
 * const counts = { popularity: new Float64Array(0), items: 0 };
 * const options = { metrics: ['recall'], ks: [10], estimators: [], guarantees: [], strata: 5 };
 * const window = { part, counts, models: ['bestsellers'], options };
 * estimateWindow(window).results; // []
 */
export function estimateWindow({
  part,
  counts,
  models,
  options: asked,
  keep,
}: EstimatedWindow): WindowEstimates {
  checkOptions(asked);
  const traffic = separateTraffic(part);
  const randomized = randomizedTraffic(part, traffic.randomized, counts);
  const { estimators, refusals } = possibleEstimators(asked.estimators, randomized);
  const beta = propensityExponent(asked.gamma);
  const { cold, smoothing, strataScheme, strata } = asked;
  const { columns, levels } = madeOnce(
    counts.popularity,
    ['columns', beta, cold, smoothing, strataScheme, strata],
    () => itemColumns(counts, beta, asked),
  );
  const totals = totalsOf(counts);
  const rows = {
    part: traffic.organic,
    counts: totals,
    columns,
    models,
    options: asked,
  };
  const scale = needsScale(asked) ? absoluteScale(rows, randomized) : null;
  refusals.push(...formRefusals(estimators, scale), ...setRefusals(asked.metrics, estimators));
  const organic = {
    ...asked,
    estimators: estimators.filter((name) => isOrganic(name, scale)),
  };
  const organicJob = {
    ...rows,
    options: organic,
    scale,
  };
  const withLevels = {
    ...organicJob,
    columns: {
      ...columns,
      levels,
    },
  };
  keep?.(withLevels);
  const own = organicEstimates(withLevels);
  const other =
    traffic.randomized === null
      ? null
      : randomisedEstimates(
          {
            ...organicJob,
            part: traffic.randomized,
          },
          estimators,
        );
  const rowsOf = positivesByLevel(traffic.organic, levels);
  const byLevel = weightLevels(rowsOf, columns.weight, counts.popularity, levels.ofItem);
  const merged = <T extends Named>(a: readonly T[], b: readonly T[] | undefined) =>
    b === undefined
      ? a
      : mergedOrder([a, b], models, {
          ...asked,
          estimators,
        });
  const whole = {
    results: merged(own.results, other?.results),
    differences: merged(own.differences, other?.differences),
  };
  const judged = feedbackEstimates(organicJob, whole);
  const pairs = traffic.randomized === null ? own.counts : countPairs(part, counts.items);
  const drawn = drawnEstimates(own.prepared, rows, counts.itemKey);
  return {
    ...judged,
    effectiveSampleSizes: merged(own.effectiveSampleSizes, other?.effectiveSampleSizes),
    models: own.counts.summaries(models),
    counts: {
      ...pairs.totals(),
      repeatedPositives: part.repeatedPositives ?? 0,
      unranked: own.counts.totals().unranked,
    },
    refusals,
    interventions: own.interventions,
    ...(asked.segments && {
      segments: {
        ...asked.segments,
        numbers: givenOnly(own.segments, judged.results),
      },
    }),
    drawn: givenOnly(drawn, judged.results),
    weightDistribution: weightDistribution(byLevel.rows, byLevel.weight),
    absoluteScale: scale?.report ?? null,
    randomized,
    controlVariates: other === null ? [] : controlVariates(traffic, counts, columns.weight),
    agreements: rankingAgreements(judged.results),
    sensitivity: windowSensitivity(levels.counts, own.levels, judged.results, asked),
    ...(asked.weightsFrom === 'all'
      ? { singleCountShare: singleCountShare(byLevel.rows, byLevel.popularity, byLevel.weight) }
      : {}),
  };
}

/** Estimates from rows of randomised traffic; null if no such estimator is configured. */
function randomisedEstimates(
  job: OrganicJob,
  estimators: readonly EstimatorName[],
): OrganicWindow | null {
  const own = estimators.filter(isRandomised);
  if (own.length === 0) return null;
  return organicEstimates({
    ...job,
    options: {
      ...job.options,
      estimators: own,
    },
  });
}

function totalsOf({ items, popularity, interactions, randomized }: ItemCounts): ItemTotals {
  return {
    items,
    popularity,
    interactions,
    randomized,
  };
}

/** Whether the estimator uses rows of randomised traffic. */
function isRandomised(name: EstimatorName): boolean {
  return estimatorOf(name).kind === 'randomised';
}

/** Whether the estimator uses organic rows and has the propensities that it needs. */
function isOrganic(name: EstimatorName, scale: AbsoluteScale | null): boolean {
  return !isRandomised(name) && (scale !== null || estimatorOf(name).needs.scale === undefined);
}

/**
 * Compute the weight, its slope in γ, the stratum and the popularity level of every item, which
 * rows look up.
 */
function itemColumns(
  counts: ItemCounts,
  beta: number,
  options: EstimateOptions,
): {
  readonly columns: ItemColumns;
  readonly levels: PopularityLevels;
} {
  const { popularity, items } = counts;
  const weightOf = importanceWeight(beta, options);
  const weight = perItem(popularity, weightOf, new Float64Array(items));
  const slopeOf = importanceWeightSlope(beta, options);
  const weightSlope = perItem(popularity, slopeOf, new Float64Array(items));
  const stratum = stratify(counts, options.strataScheme, options.strata, beta);
  const levels = popularityLevels(popularity, items, options);
  return {
    columns: {
      weight,
      weightSlope,
      stratum,
    },
    levels,
  };
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

/**
 * Separate the rows of organic traffic from those of randomised traffic.
 *
 * A (user, item) pair with interactions in both kinds of traffic is a row of both results.
 * The weights n^−β undo an organic policy's selection, which randomised rows did not pass, so
 * randomised rows are not weighted; ure measures them.
 * O(rows) if there is randomised traffic, otherwise one scan of a column.
 *
 * @returns rows with the same segments; the part itself if all are organic.
 */
function separateTraffic(part: WindowPart): SeparateTraffic {
  if (!hasRandomized(part)) {
    return {
      organic: part,
      randomized: null,
    };
  }
  return {
    organic: rowsOf(part, ORGANIC_TRAFFIC),
    randomized: rowsOf(part, RANDOMIZED_TRAFFIC),
  };
}

/**
 * Whether any row comes from randomised traffic. It scans one column only, since most windows
 * contain organic rows only.
 */
function hasRandomized({ traffic, rows }: WindowPart): boolean {
  let any = 0;
  for (let r = 0; r < rows; r++) {
    any |= traffic[r];
  }
  return (any & RANDOMIZED_TRAFFIC) !== 0;
}

function rowsOf(part: WindowPart, bit: number): WindowPart {
  const { users, userStart, traffic } = part;
  const kept = new Int32Array(countOf(part, bit));
  const start = new Int32Array(users + 1);
  let rows = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if ((traffic[r] & bit) !== 0) {
        kept[rows++] = r;
      }
    }
  }
  start[users] = rows;
  return narrowedPart(part, kept, start);
}

function countOf({ traffic, rows }: WindowPart, bit: number): number {
  let count = 0;
  for (let r = 0; r < rows; r++) {
    if ((traffic[r] & bit) !== 0) {
      count++;
    }
  }
  return count;
}
