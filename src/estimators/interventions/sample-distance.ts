import { inclusionProbability, type WeightCells } from './expected-inclusion.js';

/** Cells between two yields: about a millisecond. */
const SLICE_CELLS = 32_768;

/** What the weights of a draw amount to, and how far the sample is from following them. */
export interface WeightSummary {
  /** Rows that can be drawn. */
  readonly rows: number;
  /** Σ π, the expected size of the sample. */
  readonly expected: number;
  /** Kish's effective number of rows, (Σ w)² / Σ w². */
  readonly ess: number;
  /** Largest weight over the sum of all. */
  readonly largestShare: number;
  /** Total variation ½ Σ |π / Σ π − w / Σ w| between sample and weights. */
  readonly distance: number;
}

/**
 * Effective size of sampling weights, and the distance of the expected sample from them.
 *
 * A draw without replacement that keeps a large share of the rows cannot follow its weights: at
 * 100 % the sample is uniform, at next to nothing it follows them, and the distance says where in
 * between it is.
 * Source: Kish 1965 (ESS); total variation of the two distributions over rows. O(cells).
 *
 * @param cells rows by weight. @param time τ of the draw, see `samplingTime`.
 * @returns zeros if there is no row of weight. Yields between slices.
 * By hand: one weight for all rows: distance 0, ess = rows.
 */
export function* weightSummary(cells: WeightCells, time: number): Generator<void, WeightSummary> {
  const sums = {
    rows: 0,
    weight: 0,
    squares: 0,
    expected: 0,
    largest: 0,
  };
  for (let from = 0; from < cells.cells; from += SLICE_CELLS) {
    addCells(cells, from, Math.min(from + SLICE_CELLS, cells.cells), time, sums);
    yield;
  }
  const { rows, weight, squares, expected, largest } = sums;
  if (!(weight > 0)) {
    return {
      rows,
      expected,
      ess: 0,
      largestShare: 0,
      distance: 0,
    };
  }
  let distance = 0;
  for (let from = 0; from < cells.cells && expected > 0; from += SLICE_CELLS) {
    const to = Math.min(from + SLICE_CELLS, cells.cells);
    for (let c = from; c < to; c++) {
      const share = inclusionProbability(cells.weight[c], time) / expected;
      distance += cells.rows[c] * Math.abs(share - cells.weight[c] / weight);
    }
    yield;
  }
  const ess = (weight / squares) * weight;
  return {
    rows,
    expected,
    ess,
    largestShare: largest / weight,
    distance: distance / 2,
  };
}

function addCells(
  cells: WeightCells,
  from: number,
  to: number,
  time: number,
  sums: {
    rows: number;
    weight: number;
    squares: number;
    expected: number;
    largest: number;
  },
): void {
  for (let c = from; c < to; c++) {
    const weight = cells.weight[c];
    const rows = cells.rows[c];
    sums.rows += rows;
    sums.weight += rows * weight;
    sums.squares += rows * weight * weight;
    sums.expected += rows * inclusionProbability(weight, time);
    if (weight > sums.largest) {
      sums.largest = weight;
    }
  }
}
