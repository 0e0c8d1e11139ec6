import { madeOnce } from './made-once.js';
import type { ItemColumns } from './selection.js';
import type { StratumSums } from './stratum-sums.js';

/**
 * Cells of items with equal weight in one stratum. Weights depend on popularity alone, so rows are
 * counted by cell in whole numbers and weighted at the end. Sums then do not depend on the order of
 * rows or on item numbers.
 */
export interface StratumCells {
  /** Cell by item; −1 if its rows are left out. */
  readonly ofItem: Int32Array;
  /** Stratum of each cell. Cells are ordered by weight, then slope, then stratum. */
  readonly stratum: Uint16Array;
  /** Importance weight of each cell. */
  readonly weight: Float64Array;
  /** Slope of the weight in γ, of each cell. */
  readonly slope: Float64Array;
}

/** Group items into cells, O(items + cells · log cells). */
export function stratumCells(columns: ItemColumns): StratumCells {
  return madeOnce(columns.weight, ['cells'], () => cellsOf(columns));
}

function cellsOf(columns: ItemColumns): StratumCells {
  const { weight, weightSlope, stratum } = columns;
  // By weight, slope and stratum: if β = 0, all weights are 1 but slopes differ.
  const known = new Map<number, Map<number, Map<number, number>>>();
  const cells: {
    weight: number;
    slope: number;
    stratum: number;
  }[] = [];
  const cellOf = (own: number, slope: number, v: number) => {
    const strata = within(within(known, own), slope);
    let cell = strata.get(v);
    if (cell === undefined) {
      cell =
        cells.push({
          weight: own,
          slope,
          stratum: v,
        }) - 1;
      strata.set(v, cell);
    }
    return cell;
  };
  const ofItem = new Int32Array(weight.length).fill(-1);
  for (let item = 0; item < weight.length; item++) {
    if (weight[item] === 0) continue;
    ofItem[item] = cellOf(weight[item], weightSlope[item], stratum[item]);
  }
  const order = [...cells.keys()].sort(
    (a, b) =>
      cells[a].weight - cells[b].weight ||
      cells[a].slope - cells[b].slope ||
      cells[a].stratum - cells[b].stratum,
  );
  const place = new Int32Array(cells.length);
  order.forEach((cell, at) => {
    place[cell] = at;
  });
  return {
    ofItem: ofItem.map((cell) => (cell < 0 ? -1 : place[cell])),
    stratum: Uint16Array.from(order, (cell) => cells[cell].stratum),
    weight: Float64Array.from(order, (cell) => cells[cell].weight),
    slope: Float64Array.from(order, (cell) => cells[cell].slope),
  };
}

function within<Key, Value>(maps: Map<number, Map<Key, Value>>, key: number): Map<Key, Value> {
  let own = maps.get(key);
  if (own === undefined) {
    own = new Map();
    maps.set(key, own);
  }
  return own;
}

/** Add counts of rows by cell to the sums of their strata. */
export function sumCells(
  { stratum, weight, slope }: StratumCells,
  rows: Float64Array,
  into: StratumSums,
): void {
  for (let cell = 0; cell < rows.length; cell++) {
    const v = stratum[cell];
    into.rows[v] += rows[cell];
    into.weight[v] += rows[cell] * weight[cell];
    into.slope[v] += rows[cell] * slope[cell];
  }
}
