import { placesBelow, rankGains, setGains } from '../../gains/metric-gain.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import type { WeightingRule } from '../registry/weighting-rule.js';
import type { EffectiveSampleSize, Estimate, EstimateDifference } from '../results/estimate.js';
import { ExpectedSet } from '../rows/expected-set.js';
import type { ItemColumns } from '../rows/selection.js';
import type { WindowCounts } from '../rows/window-counts.js';
import { intervalFactors } from '../uncertainty/interval.js';
import { SamplingErrors } from '../uncertainty/sampling-error.js';
import type { StratifiedBounds } from '../uncertainty/stratified-bound.js';
import { countWindow } from './count-pass.js';
import { Lane } from './lane.js';
import { laneDifferences } from './lane-differences.js';
import { laneEstimates, laneSampleSizes } from './lane-estimates.js';
import { studyLanes } from './lane-observers.js';
import { weighWindow } from './weigh-pass.js';

/** What the rules make of some rows of a window. */
export interface LaneWindow {
  readonly results: Estimate[];
  readonly differences: EstimateDifference[];
  readonly effectiveSampleSizes: EffectiveSampleSize[];
  readonly counts: WindowCounts;
}

/**
 * Applies rules to rows, for every model and metric, in two passes over the rows.
 *
 * @param rules those of `options.estimators`, in their order. @param bounds of gs, if asked for.
 */
export function* laneWindow(
  parts: readonly WindowPart[],
  columns: ItemColumns,
  models: readonly string[],
  rules: readonly WeightingRule[],
  options: EstimateOptions,
  bounds: StratifiedBounds | null,
  sliceRows: number,
): Generator<void, LaneWindow> {
  const reference = options.reference === undefined ? 0 : models.indexOf(options.reference);
  const lanes = makeLanes(models, reference, options);
  const studies = studyLanes(lanes, reference, options);
  const samplingErrors = new SamplingErrors(lanes, rules);
  const counts = yield* countWindow(parts, columns, lanes, models.length, options, sliceRows);
  yield* weighWindow(parts, columns, lanes, rules, samplingErrors, options, bounds, sliceRows);
  const results: Estimate[] = [];
  const differences: EstimateDifference[] = [];
  const effectiveSampleSizes: EffectiveSampleSize[] = [];
  const factorOf = intervalFactors();
  for (let m = 0; m < models.length; m++) {
    const own = lanes.filter(({ model }) => model === m);
    for (const lane of own) {
      const study = studies.get(lane)!;
      const found = laneEstimates(lane, models[m], study, options, factorOf);
      const complete = samplingErrors.complete(lane, found);
      results.push(...(bounds?.complete(lane, complete) ?? complete));
      if (study.paired === null) continue;
      const names = { model: models[m], reference: models[reference] };
      const other = studies.get(study.paired.reference);
      differences.push(...laneDifferences(lane, names, study, other, options, factorOf));
    }
    if (own.length > 0) effectiveSampleSizes.push(...laneSampleSizes(own[0], models[m], options));
    yield;
  }
  return { results, differences, effectiveSampleSizes, counts };
}

const AUC = { metric: 'auc', k: null, table: null, set: null } as const;

/**
 * Lanes by family first: models whose lists cover the same rows then stand side by side; and the
 * reference model first, so that the others find its sums.
 */
function makeLanes(models: readonly string[], reference: number, options: EstimateOptions): Lane[] {
  const rest = models.map((_, m) => m).filter((m) => m !== reference);
  const order = reference in models ? [reference, ...rest] : rest;
  const gains = [
    ...rankGains(options.metrics, options.ks).map((gain) => ({ ...gain, set: null })),
    ...setGains(options.metrics, options.ks).map(({ metric, k }) => ({
      ...{ metric, k, table: placesBelow(k) },
      set: new ExpectedSet(metric, k),
    })),
  ];
  const ranked = gains.length > 0 ? order.map((m) => new Lane(m, 'ranked', gains, options)) : [];
  const complete = options.metrics.includes('auc')
    ? order.map((m) => new Lane(m, 'complete', [AUC], options))
    : [];
  return [...ranked, ...complete];
}
