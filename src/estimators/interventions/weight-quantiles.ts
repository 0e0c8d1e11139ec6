import { WEIGHT_QUANTILES, type WeightQuantile } from '../results/weight-spread.js';
import { levelIndex } from './level-index.js';

/**
 * Quantiles of the weights above 0, relative to their mean.
 *
 * The q-quantile is the smallest weight that at least a share q of the weights does not exceed.
 * Source: the inverse of the empirical distribution. O(weights), yielding between slices.
 *
 * @param columns weights; those that are 0 or less do not count.
 * @returns nothing if no weight is above 0.
 * By hand: weights 1, 1, 4: mean 2, so that the median is 0.5 and the greatest 2.
 */
export function* weightQuantiles(
  columns: readonly Float64Array[],
): Generator<void, WeightQuantile[]> {
  const levels = yield* levelIndex(columns);
  const rows = new Float64Array(levels.counts.length);
  for (const column of columns) {
    for (const weight of column) if (weight > 0) rows[levels.indexOf(weight)]++;
    yield;
  }
  return levelQuantiles([...rows.keys()].map((level) => [levels.counts[level], rows[level]]));
}

/** The same of weights above 0, ascending, with how many there are of each. */
export function levelQuantiles(
  levels: readonly (readonly [weight: number, rows: number])[],
): WeightQuantile[] {
  const total = levels.reduce((sum, [, n]) => sum + n, 0);
  if (total === 0) return [];
  const mean = levels.reduce((sum, [weight, n]) => sum + (n === 0 ? 0 : n * weight), 0) / total;
  let level = -1;
  let below = 0;
  return WEIGHT_QUANTILES.map((quantile) => {
    const wanted = Math.max(1, Math.ceil(quantile * total - 1e-9));
    while (below < wanted) below += levels[++level][1];
    return { quantile, weight: levels[level][0] / mean };
  });
}
