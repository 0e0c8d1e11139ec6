import { listGains, placesBelow, rankGains, setGains } from '../../gains/metric-gain.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import type { WeightingRule } from '../registry/weighting-rule.js';
import type { EffectiveSampleSize, Estimate, EstimateDifference } from '../results/estimate.js';
import { ExpectedSet } from '../rows/expected-set.js';
import type { Family, ItemColumns } from '../rows/selection.js';
import type { WindowCounts } from '../rows/window-counts.js';
import { intervalFactors } from '../uncertainty/interval.js';
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
 * @param rules those of `options.estimators`, in their order.
 */
export function* laneWindow(
  parts: readonly WindowPart[],
  columns: ItemColumns,
  models: readonly string[],
  rules: readonly WeightingRule[],
  options: EstimateOptions,
  sliceRows: number,
): Generator<void, LaneWindow> {
  const reference = options.reference === undefined ? 0 : models.indexOf(options.reference);
  const lanes = makeLanes(models, reference, rules, options);
  const studies = studyLanes(lanes, reference, options);
  const counts = yield* countWindow(parts, columns, lanes, models.length, options, sliceRows);
  yield* weighWindow(parts, columns, lanes, rules, options, sliceRows);
  const results: Estimate[] = [];
  const differences: EstimateDifference[] = [];
  const effectiveSampleSizes: EffectiveSampleSize[] = [];
  const factorOf = intervalFactors();
  for (let m = 0; m < models.length; m++) {
    const own = lanes.filter(({ model }) => model === m);
    for (const lane of own) {
      const study = studies.get(lane)!;
      results.push(...laneEstimates(lane, models[m], rules, study, options, factorOf));
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

/**
 * Lanes by family first: models whose lists cover the same rows then stand side by side; and the
 * reference model first, so that the others find its sums.
 */
function makeLanes(
  models: readonly string[],
  reference: number,
  rules: readonly WeightingRule[],
  { metrics, ks, strata }: EstimateOptions,
): Lane[] {
  const rest = models.map((_, m) => m).filter((m) => m !== reference);
  const order = reference in models ? [reference, ...rest] : rest;
  const ranked = [
    ...rankGains(metrics, ks).map((gain) => ({ ...gain, ofList: null, set: null })),
    ...setGains(metrics, ks).map(({ metric, k, of }) => ({
      ...{ metric, k, table: placesBelow(k), ofList: null },
      set: new ExpectedSet(of, k),
    })),
  ];
  const complete = listGains(metrics).map(({ metric, k, of }) => ({
    ...{ metric, k, table: null, ofList: of, set: null },
  }));
  const lanesOf = (family: Family, gains: typeof complete | typeof ranked) =>
    gains.length > 0 ? order.map((m) => new Lane(m, family, gains, rules, strata)) : [];
  return [...lanesOf('ranked', ranked), ...lanesOf('complete', complete)];
}
