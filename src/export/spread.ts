import { levelConcentration, levelsOf, lorenzCurve } from '../state/counts/levels.js';

/** How evenly the rows of a set are distributed over its users, or over its items. */
export interface Spread {
  readonly rows: number;
  /** Number of users or items with a row. */
  readonly seen: number;
  readonly gini: number;
  /** KL divergence from uniform, in nats. */
  readonly kl: number;
  /** Total variation from uniform. */
  readonly totalVariation: number;
  /** e^entropy: number of evenly used users or items with the same diversity. */
  readonly effective: number;
}

/**
 * Compute the concentration of counts over a catalogue of `size`, including entries without a row.
 *
 * kl = ln M − entropy; totalVariation = ½ Σ |n / N − 1 / M|. The sums run over the counts in
 * ascending order, so that rounding does not depend on the order of users or items.
 *
 * @param counts rows of each user or item. @param size M: number of users or items that could have
 * a row.
 * @returns zeros if nothing was counted.
 */
export function spreadOf(counts: Float64Array, size: number): Spread {
  const levels = levelsOf(counts.slice().sort(), counts.length);
  const { total, seen } = levels;
  if (total === 0) {
    return {
      rows: 0,
      seen: 0,
      gini: 0,
      kl: 0,
      totalVariation: 0,
      effective: 0,
    };
  }
  const { gini, entropy } = levelConcentration(levels, size);
  let distance = (size - seen) / size;
  for (let l = 0; l < levels.count.length; l++) {
    distance += levels.items[l] * Math.abs(levels.count[l] / total - 1 / size);
  }
  return {
    rows: total,
    seen,
    gini,
    kl: Math.max(0, Math.log(size) - entropy),
    totalVariation: distance / 2,
    effective: Math.exp(entropy),
  };
}

/** Compute the Lorenz curve of counts over a catalogue of `size`, for the report. */
export function lorenzOf(counts: Float64Array, size: number): readonly number[] {
  return lorenzCurve(levelsOf(counts.slice().sort(), counts.length), size);
}

/**
 * Compute the total variation between the shares of counts and of targets; 0 if either is empty.
 *
 * ½ Σ |n_j / Σn − t_j / Σt|, summed in the order of the terms' sizes.
 */
export function distanceToTarget(counts: Float64Array, targets: Float64Array): number {
  const sum = (column: Float64Array): number => column.reduce((total, n) => total + n, 0);
  const total = sum(counts);
  const aimed = sum(targets);
  if (total === 0 || aimed === 0) return 0;
  const terms = counts.map((n, j) => Math.abs(n / total - targets[j] / aimed)).sort();
  return sum(terms) / 2;
}
