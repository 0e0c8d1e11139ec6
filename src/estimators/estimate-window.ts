import { UnskewError } from '../errors.js';
import { rankGains } from '../gains/metric-gain.js';
import { importanceWeight, propensityExponent } from '../propensity/power-law.js';
import type { ItemCounts, WindowPart } from '../state/window-part.js';
import { countWindow } from './count-pass.js';
import type { EstimateOptions, WindowEstimates } from './estimate.js';
import { gs } from './gs.js';
import { intervened } from './intervened.js';
import { prepareIntervention } from './interventions.js';
import { Lane } from './lane.js';
import { laneEstimates, laneSampleSizes } from './lane-estimates.js';
import { naive } from './naive.js';
import { perItem } from './per-item.js';
import { snips } from './snips.js';
import { stratify } from './strata.js';
import { weighWindow } from './weigh-pass.js';
import type { WeightingRule } from './weighting-rule.js';

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
  options: EstimateOptions,
  sliceRows = 8192,
): Generator<void, WindowEstimates> {
  checkOptions(options);
  const beta = propensityExponent(options.gamma);
  const weightOf = importanceWeight(beta, options);
  const weight = yield* perItem(counts.popularity, weightOf, new Float64Array(counts.items));
  const stratum = yield* stratify(counts, options.strataScheme, options.strata, beta);
  const columns = { weight, stratum };
  const lanes = makeLanes(models, options);
  const rules = yield* makeRules(parts, counts, options, sliceRows);
  const windowCounts = yield* countWindow(parts, columns, lanes, models.length, options, sliceRows);
  yield* weighWindow(parts, columns, lanes, rules, options, sliceRows);
  const results = [];
  const effectiveSampleSizes = [];
  for (let m = 0; m < models.length; m++) {
    const own = lanes.filter(({ model }) => model === m);
    for (const lane of own) results.push(...laneEstimates(lane, models[m], options.estimators));
    if (own.length > 0) {
      effectiveSampleSizes.push(...laneSampleSizes(own[0], models[m], options.estimators));
    }
    yield;
  }
  return {
    results,
    effectiveSampleSizes,
    models: windowCounts.summaries(models),
    counts: windowCounts.totals(),
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

/** Lanes by family first: models whose lists cover the same rows then stand side by side. */
function makeLanes(models: readonly string[], options: EstimateOptions): Lane[] {
  const gains = rankGains(options.metrics, options.ks);
  const ranked =
    gains.length > 0 ? models.map((_, m) => new Lane(m, 'ranked', gains, options)) : [];
  const complete = options.metrics.includes('auc')
    ? models.map((_, m) => new Lane(m, 'complete', [AUC], options))
    : [];
  return [...ranked, ...complete];
}

function* makeRules(
  parts: readonly WindowPart[],
  counts: ItemCounts,
  options: EstimateOptions,
  sliceRows: number,
): Generator<void, WeightingRule[]> {
  const rules: WeightingRule[] = [];
  for (const name of options.estimators) {
    if (name === 'naive') rules.push(naive());
    else if (name === 'snips') rules.push(snips());
    else if (name === 'gs') rules.push(gs(options.strata));
    else
      rules.push(intervened(yield* prepareIntervention(name, parts, counts, options, sliceRows)));
    yield;
  }
  return rules;
}
