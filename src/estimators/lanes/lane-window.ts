import type { WindowPart } from '../../state/panes/window-part.js';
import { levelGains, type MeasureLevels } from '../diagnostics/level-gains.js';
import type { EstimateOptions } from '../options.js';
import { LaneSums } from '../partitions/lane-sums.js';
import { ALONE } from '../partitions/rounds.js';
import type { EffectiveSampleSize, EstimateDifference, EstimateRow } from '../results/estimate.js';
import type { SegmentNumbers } from '../results/segment-report.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import { segmentOffsets } from '../segments/segment-axes.js';
import { segmentNumbers } from '../segments/segment-numbers.js';
import { SegmentSums } from '../segments/segment-sums.js';
import { intervalFactors } from '../uncertainty/interval.js';
import { countWindow } from './count-pass.js';
import { laneDifferences } from './lane-differences.js';
import { laneEstimates, laneSampleSizes } from './lane-estimates.js';
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
