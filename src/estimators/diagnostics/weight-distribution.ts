import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import type { WeightBin } from '../results/window-estimates.js';

/** Count the positive rows by popularity level of their item. O(rows). */
export function positivesByLevel(
  { rows, item, positive }: WindowPart,
  { ofItem, counts }: PopularityLevels,
): Float64Array {
  const found = new Float64Array(counts.length);
  for (let r = 0; r < rows; r++) {
    const level = ofItem[item[r]];
    // Items without a level have no weight.
    if (level >= 0) {
      found[level] += positive[r];
    }
  }
  return found;
}

/**
 * Number of rows and weight of one row, by popularity level. Sums over levels do not depend on how
 * items are numbered.
 */
export interface WeightLevels {
  readonly rows: Float64Array;
  readonly weight: Float64Array;
  /** Count n of each level; 0 for the level of items without a count. */
  readonly popularity: Float64Array;
}

/**
 * Collect the weight and the count of each level.
 *
 * @param rows by level. @param weight, popularity by item.
 */
export function weightLevels(
  rows: Float64Array,
  weight: Float64Array,
  popularity: Float64Array,
  ofItem: Int32Array,
): WeightLevels {
  const column = () => new Float64Array(rows.length);
  const levels = {
    rows,
    weight: column(),
    popularity: column(),
  };
  for (let item = 0; item < ofItem.length; item++) {
    const level = ofItem[item];
    if (level < 0) continue;
    levels.weight[level] = weight[item];
    levels.popularity[level] = popularity[item];
  }
  return levels;
}

/**
 * Distribution of importance weights over the positive rows of a window.
 *
 * Bin b contains the rows with 2^b ≤ w / w̄ < 2^(b+1), where w̄ is the mean weight of the rows; a
 * ratio less than 10^−9 (relative) below 2^b counts as 2^b.
 * It shows whether a few rows dominate a weighted mean. O(items).
 * Weights span at most n^β, so there are a few dozen bins.
 *
 * @param rowsOf positive rows by item, or by level. @param weight unnormalised weights of the same;
 * rows of weight 0 do not count.
 * @returns bins with rows, ascending; empty if no row has weight.
 * By hand: weights 1, 1, 4, mean 2: bins from 0.5 (2 rows, share 1/3) and from 2 (1 row, share
 * 2/3).
 */
export function weightDistribution(rowsOf: Float64Array, weight: Float64Array): WeightBin[] {
  let rows = 0;
  let total = 0;
  for (let i = 0; i < weight.length; i++) {
    if (weight[i] > 0) {
      rows += rowsOf[i];
    }
    total += rowsOf[i] * weight[i];
  }
  const bins = new Bins();
  for (let i = 0; i < weight.length; i++) {
    if (rowsOf[i] === 0 || !(weight[i] > 0)) continue;
    bins.add((weight[i] * rows) / total, rowsOf[i], rowsOf[i] * weight[i]);
  }
  return bins.filled(total);
}

/** Range of the exponent of a double: from −1074 to 1023. */
const LEAST_EXPONENT = -1074;
const EXPONENTS = 2098;
/**
 * Tolerance at the edges of bins. Equal weights lie on the edge at the mean, and rounding must not
 * choose their bin.
 */
const EDGE = 1 + 1e-9;

class Bins {
  readonly #rows = new Float64Array(EXPONENTS);
  readonly #sum = new Float64Array(EXPONENTS);

  add(ratio: number, rows: number, sum: number): void {
    const exponent = Math.floor(Math.log2(ratio * EDGE));
    this.#rows[exponent - LEAST_EXPONENT] += rows;
    this.#sum[exponent - LEAST_EXPONENT] += sum;
  }

  filled(total: number): WeightBin[] {
    const bins: WeightBin[] = [];
    this.#rows.forEach((rows, b) => {
      if (rows === 0) return;
      bins.push({
        from: 2 ** (b + LEAST_EXPONENT),
        rows,
        weightShare: this.#sum[b] / total,
      });
    });
    return bins;
  }
}

/** Popularity levels: items that are weighted by the same count share a level. */
export interface PopularityLevels {
  /** Count n of each level, above 0; κ (`smoothing`) for the level of items without a count. */
  readonly counts: Float64Array;
  /** Level of each item; −1 if its rows are left out. */
  readonly ofItem: Int32Array;
}

/**
 * Group items into popularity levels: all items with the same n_i share a level.
 *
 * Items without a count form a level of their own, weighted as if counted κ (`smoothing`) times.
 * They have no level if κ = 0 or `cold` is `drop`.
 * Source: as `importanceWeight`. O(items).
 *
 * @param popularity n_i per item (events).
 * @example
 * popularityLevels(Float64Array.of(3, 0, 3), 3, { cold: 'drop', smoothing: 0.5 }).ofItem; // [0, -1, 0]
 */
export function popularityLevels(
  popularity: Float64Array,
  items: number,
  { cold, smoothing }: Pick<EstimateOptions, 'cold' | 'smoothing'>,
): PopularityLevels {
  const isDropped = cold === 'drop' || smoothing === 0;
  // Items without a count have a key of their own, so κ and an equal count stay two levels. The key
  // always exists, since the log does not determine whether an item without a count is known.
  const seen = new Set([0]);
  const keyOf = (item: number) => (popularity[item] > 0 ? popularity[item] : 0);
  for (let i = 0; i < items; i++) {
    seen.add(keyOf(i));
  }
  if (isDropped) {
    seen.delete(0);
  }
  // In ascending order, so that sums over levels do not depend on item numbers.
  const keys = Float64Array.from(seen).sort();
  const levelOf = new Map(Array.from(keys, (n, level) => [n, level]));
  const ofItem = new Int32Array(items);
  for (let i = 0; i < items; i++) {
    ofItem[i] = levelOf.get(keyOf(i)) ?? -1;
  }
  return {
    counts: keys.map((n) => (n === 0 ? smoothing : n)),
    ofItem,
  };
}

/**
 * Share of the importance weight that is on items counted once.
 *
 * s₁ = Σ_{n_i = 1} w / Σ w over the positive rows.
 * Source: after Good 1953, who estimates the probability of unseen items by the share of items seen
 * once; here by weight. Above 0.2 the estimates depend strongly on items that happened to be found.
 *
 * @param rowsOf positive rows by item, or by level. @param popularity n_i. @param weight of the
 * same; rows of weight 0 do not count.
 * @returns NaN without weight; O(items).
 * @example
 * const rowsOf = Float64Array.of(1, 1); // one row each of items with n = 1 and n = 4
 * singleCountShare(rowsOf, Float64Array.of(1, 4), Float64Array.of(1, 1 / 4)); // 0.8
 */
export function singleCountShare(
  rowsOf: Float64Array,
  popularity: Float64Array,
  weight: Float64Array,
): number {
  let once = 0;
  let total = 0;
  for (let i = 0; i < rowsOf.length; i++) {
    const own = rowsOf[i] * weight[i];
    total += own;
    if (popularity[i] === 1) {
      once += own;
    }
  }
  return once / total;
}
