import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import { LaneTallies } from '../partitions/lane-tallies.js';
import { ALONE, type Rounds } from '../partitions/rounds.js';
import { estimatorOf } from '../rules/registry.js';
import { chunks } from './chunks.js';
import type { Lane } from './lane.js';
import { type ItemColumns, LaneRows, Selection } from './selection.js';
import { type StratumCells, stratumCells, sumCells } from './stratum-cells.js';
import { WindowCounts } from './window-counts.js';

/**
 * First pass: counts, and every lane's totals per stratum, if an estimator has to know them.
 *
 * @param isUncounted leaves the counts at 0: nobody asks for them. @param rounds bring the counts of all
 * partitions together.
 */
export function* countWindow(
  parts: readonly WindowPart[],
  columns: ItemColumns,
  lanes: readonly Lane[],
  models: number,
  options: EstimateOptions,
  sliceRows: number,
  isUncounted = false,
  rounds = ALONE,
): Generator<void, WindowCounts> {
  const counts = new WindowCounts(columns.weight.length, models);
  const sumsStrata = options.estimators.some((name) => estimatorOf(name).needs.strata);
  if (isUncounted && !sumsStrata) return counts;
  const cells = sumsStrata ? stratumCells(columns) : null;
  yield;
  const none = new LaneTallies(counts, lanes.length, cells?.weight.length ?? 0, rounds.names);
  const tallies = yield* rounds.gather(none, parts, (own, part) =>
    countPart(part, columns, lanes, cells, options, sliceRows, own),
  );
  if (cells !== null) {
    lanes.forEach((lane, l) => {
      sumCells(cells, tallies.rowsOf(l), lane.strata);
      lane.strata.settle();
    });
  }
  return isUncounted ? counts.ofOthers() : tallies.counts;
}

function* countPart(
  whole: WindowPart,
  columns: ItemColumns,
  lanes: readonly Lane[],
  cells: StratumCells | null,
  { catalogueSize }: EstimateOptions,
  sliceRows: number,
  tallies: LaneTallies,
): Generator<void, void> {
  const positive = new Selection();
  const laneRows = new LaneRows();
  const rankedThroughout = new Set<number>();
  const withAll: number[] = [];
  let work = 0;
  for (const { part, from, to } of chunks([whole])) {
    positive.takePositive(part, from, to, columns);
    laneRows.begin(positive);
    rankedThroughout.clear();
    withAll.length = 0;
    for (const [l, lane] of lanes.entries()) {
      const ranked = laneRows.of(part, lane, catalogueSize);
      if (ranked === positive) {
        rankedThroughout.add(lane.model);
        withAll.push(l);
      } else if (cells !== null) tallies.add(ranked, cells, l);
    }
    if (cells !== null) {
      if (withAll.length === lanes.length) tallies.add(positive, cells);
      else for (const l of withAll) tallies.add(positive, cells, l);
    }
    tallies.counts.add(part, from, to, positive, rankedThroughout);
    work += part.userStart[to] - part.userStart[from];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
}

/** Counts the pairs of a window whose rows are evaluated apart, by where they came from. */
export function* countPairs(
  parts: readonly WindowPart[],
  items: number,
  rounds: Rounds,
): Generator<void, WindowCounts> {
  const none = new LaneTallies(new WindowCounts(items, 0), 0, 0, rounds.names);
  const { counts } = yield* rounds.gather(none, parts, function* count(own, whole) {
    for (const { part, from, to } of chunks([whole])) {
      own.counts.addPairs(part, from, to);
      yield;
    }
  });
  return counts;
}
