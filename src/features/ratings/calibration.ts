import type { RatingScale } from '../../events/rating-scale.js';
import type { CalibrationBin } from './rating-report.js';
import type { WeighedRatings } from './weighed-ratings.js';

/** Number of bins of a model's predictions. */
const BINS = 5;
/**
 * Number of cells between the lowest and the highest rating. Half as many cells lie below that
 * range, and half as many above it, for predictions outside of it.
 */
const CELLS = 500;
/**
 * Number of sums per cell, stored side by side: number of rows, ΣŶ (predictions), ΣY (ratings),
 * Σ(Y/P) and Σ(1/P), with the propensity P.
 */
const SUMS = 5;
const ROWS = 0;
const PREDICTED = 1;
const RATED = 2;
const WEIGHTED = 3;
const WEIGHTS = 4;

/**
 * Calibration of each model's predictions, in bins with about a fifth of the predictions each. A
 * bin states the mean prediction, the mean rating, and the mean rating weighted by 1 / P, with the
 * propensity P of the rated pair.
 */
export function ratingCalibration(
  ratings: WeighedRatings,
  models: readonly string[],
  scale: RatingScale,
): CalibrationBin[] {
  return models.flatMap((model, m) => namedBins(cellsOf(ratings, m, scale), model, scale));
}

function namedBins(cells: Float64Array, model: string, scale: RatingScale): CalibrationBin[] {
  const span = scale.highest - scale.lowest;
  const edge = (cell: number) => scale.lowest + (cell / CELLS - 0.5) * span;
  return binsOf(cells).map(([from, to]) => {
    const total = (sum: number) => totalOf(cells.subarray(from * SUMS, to * SUMS), sum);
    const rows = total(ROWS);
    const weights = total(WEIGHTS);
    return {
      model,
      from: from === 0 ? Number.NEGATIVE_INFINITY : edge(from),
      to: to === 2 * CELLS ? Number.POSITIVE_INFINITY : edge(to),
      rows,
      predicted: total(PREDICTED) / rows,
      rated: total(RATED) / rows,
      corrected: weights > 0 ? total(WEIGHTED) / weights : Number.NaN,
    };
  });
}

function cellsOf(
  { rated, weight }: WeighedRatings,
  model: number,
  { lowest, highest }: RatingScale,
): Float64Array {
  const cells = new Float64Array(2 * CELLS * SUMS);
  const { isRandom, rating } = rated;
  const scores = rated.scores[model];
  const span = highest - lowest;
  for (let r = 0; r < scores.length; r++) {
    const score = scores[r];
    if (isRandom[r] === 1 || Number.isNaN(score)) continue;
    const place = Math.floor(((score - lowest) / span + 0.5) * CELLS);
    const cell = SUMS * (place < 0 ? 0 : place < 2 * CELLS ? place : 2 * CELLS - 1);
    cells[cell + ROWS]++;
    cells[cell + PREDICTED] += score;
    cells[cell + RATED] += rating[r];
    cells[cell + WEIGHTED] += weight[r] * rating[r];
    cells[cell + WEIGHTS] += weight[r];
  }
  return cells;
}

/** Total of one of the sums (such as `RATED`) over all cells. */
function totalOf(cells: Float64Array, sum: number): number {
  let total = 0;
  for (let at = sum; at < cells.length; at += SUMS) {
    total += cells[at];
  }
  return total;
}

/** Ranges of consecutive cells with about a fifth of the rows each. Cells are not split. */
function binsOf(cells: Float64Array): [number, number][] {
  const total = totalOf(cells, ROWS);
  const bins: [number, number][] = [];
  let from = 0;
  let before = 0;
  let seen = 0;
  for (let cell = 0; cell < 2 * CELLS; cell++) {
    seen += cells[cell * SUMS + ROWS];
    const isFull = seen >= ((bins.length + 1) * total) / BINS && seen > before;
    if (!isFull || bins.length === BINS - 1) continue;
    bins.push([from, cell + 1]);
    from = cell + 1;
    before = seen;
  }
  if (seen > before) {
    bins.push([from, 2 * CELLS]);
  } else if (bins.length > 0) {
    bins[bins.length - 1][1] = 2 * CELLS;
  }
  return bins;
}
