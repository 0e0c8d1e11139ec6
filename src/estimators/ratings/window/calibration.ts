import type { RatingScale } from '../../../events/rating-scale.js';
import type { CalibrationBin } from './rating-report.js';
import type { WeighedPart } from './weighed-part.js';

const BINS = 5;
/** Cells between the lowest and the highest rating; as many lie below and above them in all. */
const CELLS = 500;

/**
 * What users gave for what a model predicted, by fifths of its predictions.
 *
 * In each bin of Ŷ: mean Ŷ, mean Y, and Σ(Y/P) / Σ(1/P). A model that users rate what they like by
 * looks calibrated by the mean of Y and predicts too much for all pairs. Edges are quintiles of Ŷ
 * over the rated pairs, to 1/500 of the scale. Source: SNIPS (Schnabel et al. 2016, eq. 11) within
 * bins. O(rows).
 *
 * @returns the bins that hold a row, ascending; none without a prediction.
 */
export function* calibration(
  parts: readonly WeighedPart[],
  model: number,
  name: string,
  scale: RatingScale,
): Generator<void, CalibrationBin[]> {
  const span = scale.highest - scale.lowest;
  const sums = Array.from({ length: 5 }, () => new Float64Array(2 * CELLS));
  const [rows, predicted, rated, weighted, weights] = sums;
  for (const { part, weight } of parts) {
    const { isRandom, rating } = part;
    const scores = part.scores[model];
    for (let r = 0; r < scores.length; r++) {
      const score = scores[r];
      if (isRandom[r] === 1 || Number.isNaN(score)) continue;
      const place = Math.floor(((score - scale.lowest) / span + 0.5) * CELLS);
      const cell = place < 0 ? 0 : place < 2 * CELLS ? place : 2 * CELLS - 1;
      rows[cell]++;
      predicted[cell] += score;
      rated[cell] += rating[r];
      weighted[cell] += weight[r] * rating[r];
      weights[cell] += weight[r];
    }
    yield;
  }
  return binsOf(rows).map(([from, to]) => {
    const [n, ofPredictions, ofRatings, ofWeighted, ofWeights] = sums.map((cells) =>
      cells.subarray(from, to).reduce((sum, value) => sum + value, 0),
    );
    const edge = (cell: number) => scale.lowest + (cell / CELLS - 0.5) * span;
    return {
      model: name,
      from: from === 0 ? Number.NEGATIVE_INFINITY : edge(from),
      to: to === 2 * CELLS ? Number.POSITIVE_INFINITY : edge(to),
      rows: n,
      predicted: ofPredictions / n,
      rated: ofRatings / n,
      corrected: ofWeights > 0 ? ofWeighted / ofWeights : Number.NaN,
    };
  });
}

/** Runs of cells with a fifth of the rows each, as far as single cells allow. */
function binsOf(rows: Float64Array): [number, number][] {
  const total = rows.reduce((sum, count) => sum + count, 0);
  const bins: [number, number][] = [];
  let [from, before, seen] = [0, 0, 0];
  for (let cell = 0; cell < rows.length; cell++) {
    seen += rows[cell];
    const isFull = seen >= ((bins.length + 1) * total) / BINS && seen > before;
    if (!isFull || bins.length === BINS - 1) continue;
    bins.push([from, cell + 1]);
    [from, before] = [cell + 1, seen];
  }
  if (seen > before) bins.push([from, rows.length]);
  else if (bins.length > 0) bins[bins.length - 1][1] = rows.length;
  return bins;
}
