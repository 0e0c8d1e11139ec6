import { UnskewError } from '../errors.js';
import { rankGains } from '../gains/metric-gain.js';
import {
  importanceWeight,
  importanceWeightSlope,
  propensityExponent,
} from '../propensity/power-law.js';
import type { ItemCounts, WindowPart } from '../state/window-part.js';
import { countWindow } from './count-pass.js';
import type { Estimate, EstimateDifference, EstimateOptions, WindowEstimates } from './estimate.js';
import { windowExponentTest } from './exponent-test.js';
import { intervalFactors } from './interval.js';
import { Lane } from './lane.js';
import { laneDifferences } from './lane-differences.js';
import { laneEstimates, laneSampleSizes } from './lane-estimates.js';
import { studyLanes } from './lane-observers.js';
import { perItem } from './per-item.js';
import { randomizedTraffic } from './randomized-traffic.js';
import { rankingAgreements } from './ranking-agreement.js';
import { SamplingErrors } from './sampling-error.js';
import { stratify } from './strata.js';
import { withOwnRows } from './ure.js';
import { weighWindow } from './weigh-pass.js';
import { weightDistribution } from './weight-distribution.js';
import { possibleEstimators, windowRules } from './window-rules.js';

/**
 * All estimates of one window under one propensity snapshot.
 *
 * R = Σ_u N_u / Σ_u D_u for every model, metric, estimator and aggregation, with coefficients by
 * the estimator's rule (naive.ts, snips.ts, gs.ts, intervened.ts), its standard error clustered by
 * user (moments.ts) and its interval (interval.ts).
 * Source: Yang et al. 2018 (naive, SNIPS), generalized-stratified (GS), Carraro & Bridge 2020
 * (SKEW, WTD_H).
 *
 * A user's rows are the positive ones with a list of the model; lists of a sampled candidate set
 * serve auc alone, and auc takes only lists that rank all their candidates. With `cold: drop` the
 * rows of items with n_i = 0 leave the evaluation for every estimator alike, so that estimators
 * differ by weights only; the sampling space of skew and wtd_h stays all rows of the window, and
 * their counts are smoothed by κ in either case. Three passes over the rows, O(rows × models).
 *
 * Each model is also compared with the reference model (paired-differences.ts). With `interval:
 * 'bootstrap'` standard errors come from a Poisson bootstrap over users (poisson-bootstrap.ts), at
 * O(users × 100) for every number, and parts must carry keys of users.
 *
 * @param parts disjoint users; how they are divided changes nothing but rounding.
 * @param counts the snapshot; every row's item is below `counts.items`.
 * @param models names, in the order of the parts' `ranks`.
 * @param sliceRows rows of work between two yields, at which the caller may let others run.
 * @returns estimates ordered by model, metric, estimator, aggregation. A model without an evaluated
 * user has none for that metric; an empty window has none at all.
 * @throws UnskewError USAGE for a cut-off or a number of strata that is no whole number above 0;
 * RangeError for an item without a count.
 * @example
 * const work = estimateWindow(parts, counts, ['bestsellers'], options);
 * let step = work.next();
 * while (!step.done) step = work.next();
 * step.value.results[0].value;
 */
export function* estimateWindow(
  parts: readonly WindowPart[],
  counts: ItemCounts,
  models: readonly string[],
  asked: EstimateOptions,
  sliceRows = 4096,
): Generator<void, WindowEstimates> {
  checkOptions(asked);
  const randomized = yield* randomizedTraffic(parts, counts, sliceRows);
  const { estimators, refusals } = possibleEstimators(asked.estimators, randomized);
  const options = { ...asked, estimators };
  const beta = propensityExponent(options.gamma);
  const weightOf = importanceWeight(beta, options);
  const weight = yield* perItem(counts.popularity, weightOf, new Float64Array(counts.items));
  const slopeOf = importanceWeightSlope(beta, options);
  const weightSlope = yield* perItem(counts.popularity, slopeOf, new Float64Array(counts.items));
  const stratum = yield* stratify(counts, options.strataScheme, options.strata, beta);
  const columns = { weight, weightSlope, stratum };
  const reference = options.reference === undefined ? 0 : models.indexOf(options.reference);
  const lanes = makeLanes(models, reference, options);
  const studies = studyLanes(lanes, reference, options);
  const { rules, interventions } = yield* windowRules(parts, counts, options, sliceRows);
  const samplingErrors = new SamplingErrors(lanes, rules);
  const windowCounts = yield* countWindow(parts, columns, lanes, models.length, options, sliceRows);
  yield* weighWindow(parts, columns, lanes, rules, samplingErrors, options, sliceRows);
  const results: Estimate[] = [];
  const differences: EstimateDifference[] = [];
  const effectiveSampleSizes = [];
  const factorOf = intervalFactors();
  for (let m = 0; m < models.length; m++) {
    const own = lanes.filter(({ model }) => model === m);
    for (const lane of own) {
      const study = studies.get(lane)!;
      const found = laneEstimates(lane, models[m], study, options, factorOf);
      results.push(...withOwnRows(samplingErrors.complete(lane, found)));
      if (study.paired === null) continue;
      const names = { model: models[m], reference: models[reference] };
      const other = studies.get(study.paired.reference);
      differences.push(...laneDifferences(lane, names, study, other, options, factorOf));
    }
    if (own.length > 0) effectiveSampleSizes.push(...laneSampleSizes(own[0], models[m], options));
    yield;
  }
  return {
    results,
    differences,
    effectiveSampleSizes,
    models: windowCounts.summaries(models),
    counts: windowCounts.totals(),
    refusals,
    interventions,
    weightDistribution: yield* weightDistribution(parts, weight, sliceRows),
    randomized,
    exponentTest:
      randomized.positives === 0 ? null : yield* windowExponentTest(parts, counts, beta, sliceRows),
    agreements: rankingAgreements(results),
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

const AUC = { metric: 'auc', k: null, table: null } as const;

/**
 * Lanes by family first: models whose lists cover the same rows then stand side by side; and the
 * reference model first, so that the others find its sums.
 */
function makeLanes(models: readonly string[], reference: number, options: EstimateOptions): Lane[] {
  const rest = models.map((_, m) => m).filter((m) => m !== reference);
  const order = reference in models ? [reference, ...rest] : rest;
  const gains = rankGains(options.metrics, options.ks);
  const ranked = gains.length > 0 ? order.map((m) => new Lane(m, 'ranked', gains, options)) : [];
  const complete = options.metrics.includes('auc')
    ? order.map((m) => new Lane(m, 'complete', [AUC], options))
    : [];
  return [...ranked, ...complete];
}
