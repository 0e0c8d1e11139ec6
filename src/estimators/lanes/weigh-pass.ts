import type { WindowPart } from '../../state/panes/window-part.js';
import { isFollowed } from '../feedback/feedback-mode.js';
import { Coefficients } from '../rules/coefficients.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import { isDividedBy } from '../segments/segment-axes.js';
import { CellWeigher, type CellWeights, SegmentCells } from '../segments/segment-cells.js';
import { type Lane, LaneScratch } from './lane.js';
import type { LaneJob } from './lane-job.js';
import { LaneRows, Selection } from './selection.js';
import type { StratumSums } from './stratum-sums.js';

/** Approximate number of rows that are weighted together. */
const CHUNK_ROWS = 2048;

/** A run of whole users that is processed at once: user segments `from` to `to` − 1. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
}

/** Split the users of a part into chunks with about `CHUNK_ROWS` rows each, in order. */
export function chunks({ users, userStart }: WindowPart): Chunk[] {
  const found: Chunk[] = [];
  let from = 0;
  while (from < users) {
    let to = from + 1;
    const end = userStart[from] + CHUNK_ROWS;
    while (to < users && userStart[to + 1] <= end) {
      to++;
    }
    found.push({ from, to });
    from = to;
  }
  return found;
}

/**
 * Second pass over the rows of a window: compute every rule's coefficients for each chunk, and add
 * the chunk to every lane. Lanes with the same rows share coefficients.
 */
export function weighWindow(
  { part, columns, options }: LaneJob,
  lanes: readonly Lane[],
  rules: readonly WeightingRule[],
): void {
  const limit = Math.max(...lanes.map(({ rankLimit }) => rankLimit));
  const positive = new Selection();
  const laneRows = new LaneRows();
  // A window with few rows needs less memory than a whole chunk.
  const rowsAtOnce = Math.min(CHUNK_ROWS, part.rows);
  const coefficients = rules.map(() => new Coefficients(rowsAtOnce));
  const scratch = new LaneScratch();
  const isDivided = lanes.some(({ segments }) => segments !== null);
  const cells = isDivided ? new SegmentCells(options.segments!) : null;
  const weighers =
    cells === null
      ? []
      : rules.map((_, e) => (isDividedBy(options.estimators[e]) ? new CellWeigher(cells) : null));
  let divided:
    | {
        cells: SegmentCells;
        weights: (CellWeights | undefined)[];
      }
    | undefined;
  for (const { from, to } of chunks(part)) {
    positive.takePositive(part, from, to, columns.weight);
    positive.lookUp(columns);
    positive.markGainful(part.ranks, limit);
    if (isFollowed(options)) {
      positive.markCaused();
    }
    laneRows.begin(positive);
    for (const lane of lanes) {
      for (const observer of lane.observers) {
        observer.begin(part, from, to);
      }
    }
    if (cells !== null) {
      cells.begin(part, from, to);
      for (const weigher of weighers) {
        weigher?.begin();
      }
      for (const lane of lanes) {
        lane.segments?.begin(cells);
      }
    }
    let weighed: Selection | null = null;
    // Lanes with the same rows share coefficients only if their strata are also equal.
    let strataOf: StratumSums | null = null;
    for (const lane of lanes) {
      const rows = laneRows.of(part, lane, options.catalogueSize);
      if (rows.rows === 0) continue;
      if (rows !== weighed || strataOf === null || !lane.strata.equals(strataOf)) {
        rows.strata = lane.strata;
        weigh(rows, rules, coefficients);
        if (cells !== null) {
          const weights = weighers.map((of, e) => of?.weigh(rows, coefficients[e], rules[e]));
          divided = { cells, weights };
        }
        weighed = rows;
        strataOf = lane.strata;
      }
      const levelOf = columns.levels?.ofItem;
      lane.add(
        {
          rows,
          coefficients,
          levelOf,
          divided,
        },
        scratch,
      );
    }
  }
}

function weigh(
  rows: Selection,
  rules: readonly WeightingRule[],
  coefficients: readonly Coefficients[],
): void {
  rules.forEach((rule, e) => {
    coefficients[e].reserve(rows.rows);
    rule.weigh(rows, coefficients[e]);
    coefficients[e].settle(rows, rule);
  });
}
