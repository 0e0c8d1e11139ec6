import type { WeightCells } from '../../sampling/expected-inclusion.js';
import type { WeightQuantile } from './set-summary.js';

const PROBABILITIES = [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1];

/** Quantiles of the weights of all rows that can be drawn: the least weight that reaches each share. */
export function weightQuantiles({ cells, weight, rows }: WeightCells): readonly WeightQuantile[] {
  if (cells === 0) return [];
  const total = rows.reduce((sum, n) => sum + n, 0);
  let cell = 0;
  let upTo = rows[0];
  return PROBABILITIES.map((p) => {
    while (upTo < p * total && cell < cells - 1) upTo += rows[++cell];
    return { p, weight: weight[cell] };
  });
}
