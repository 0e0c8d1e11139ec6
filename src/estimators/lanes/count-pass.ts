import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import { estimatorOf } from '../registry/registry.js';
import { chunks } from '../rows/chunks.js';
import { LaneRows } from '../rows/lane-rows.js';
import { type ItemColumns, Selection } from '../rows/selection.js';
import { StratumSums } from '../rows/stratum-sums.js';
import { WindowCounts } from '../rows/window-counts.js';
import type { Lane } from './lane.js';

/**
 * First pass: counts, and every lane's totals per stratum, if an estimator has to know them.
 *
 * @param isUncounted leaves the counts at 0: nobody asks for them.
 */
export function* countWindow(
  parts: readonly WindowPart[],
  columns: ItemColumns,
  lanes: readonly Lane[],
  models: number,
  options: EstimateOptions,
  sliceRows: number,
  isUncounted = false,
): Generator<void, WindowCounts> {
  const windowCounts = new WindowCounts(columns.weight.length, models);
  const positive = new Selection();
  const laneRows = new LaneRows();
  const rankedThroughout = new Set<number>();
  const strata = new StratumSums(options.strata);
  const sumsStrata = options.estimators.some((name) => estimatorOf(name).needs.strata);
  if (isUncounted && !sumsStrata) return windowCounts;
  let work = 0;
  for (const { part, from, to } of chunks(parts)) {
    positive.takePositive(part, from, to, columns);
    laneRows.begin(positive);
    rankedThroughout.clear();
    let summed: Selection | null = null;
    for (const lane of lanes) {
      const ranked = laneRows.of(part, lane, options.catalogueSize);
      if (ranked === positive) rankedThroughout.add(lane.model);
      if (!sumsStrata || ranked.rows === 0) continue;
      if (ranked !== summed) ranked.sumStrata(strata);
      summed = ranked;
      lane.strata.add(strata);
    }
    if (!isUncounted) windowCounts.add(part, from, to, positive, rankedThroughout);
    work += part.userStart[to] - part.userStart[from];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
  for (const lane of lanes) lane.strata.settle();
  return windowCounts;
}

/** Counts the pairs of a window whose rows are evaluated apart, by where they came from. */
export function* countPairs(
  parts: readonly WindowPart[],
  items: number,
): Generator<void, WindowCounts> {
  const pairs = new WindowCounts(items, 0);
  for (const { part, from, to } of chunks(parts)) {
    pairs.addPairs(part, from, to);
    yield;
  }
  return pairs;
}
