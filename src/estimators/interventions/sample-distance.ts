import { inclusionProbability, type WeightCells } from './expected-inclusion.js';

/**
 * Summary of the sampling weights w of a draw, and the distance of the expected sample from them.
 */
export interface WeightSummary {
  /** Number of rows that can be drawn: those with w above 0. */
  readonly rows: number;
  /** Σ π, the expected size of the sample, with π the inclusion probability of a row. */
  readonly expected: number;
  /** Kish's effective number of rows, (Σ w)² / Σ w². */
  readonly ess: number;
  /** Largest weight divided by the sum of all weights. */
  readonly largestShare: number;
  /** Total variation ½ Σ |π / Σ π − w / Σ w| between sample and weights. */
  readonly distance: number;
}

/**
 * Compute the effective sample size of sampling weights, and the distance of the expected sample
 * from them.
 *
 * A draw without replacement that keeps a large share of the rows cannot follow its weights. A tiny
 * sample follows them, and at 100 % the sample is uniform. The distance measures how far the sample
 * is from the weights. Source: Kish 1965 (ESS); total variation of the two distributions over rows.
 * O(cells).
 *
 * @param cells rows by weight. @param time τ of the draw, see `samplingTime`.
 * @returns zeros if no row has a weight above 0. By hand: one weight for all rows: distance 0, ess
 * = rows.
 */
export function weightSummary(cells: WeightCells, time: number): WeightSummary {
  let rows = 0;
  let weight = 0;
  let squares = 0;
  let expected = 0;
  let largest = 0;
  for (let c = 0; c < cells.cells; c++) {
    const n = cells.rows[c];
    const w = cells.weight[c];
    rows += n;
    weight += n * w;
    squares += n * w * w;
    expected += n * inclusionProbability(w, time);
    largest = Math.max(largest, w);
  }
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
  for (let c = 0; c < cells.cells && expected > 0; c++) {
    const share = inclusionProbability(cells.weight[c], time) / expected;
    distance += cells.rows[c] * Math.abs(share - cells.weight[c] / weight);
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
