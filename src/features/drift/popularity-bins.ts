import { levelsOf } from '../../state/counts/levels.js';

/** Bins of about equal popularity, and one for the items that nobody had picked before. */
const EQUAL_BINS = 10;
export const POPULARITY_BINS = EQUAL_BINS + 1;

/**
 * Bins of items that held about the same share of the interactions before: the first holds the
 * rarest, the last but one the most popular, the last one those without any.
 *
 * bin = ⌊10 · (S(<n) + S(≤n)) / 2⌋, S the share of the total that items below, or up to, level n
 * hold. Items of one count share a bin, so nothing depends on the order of items.
 * **Source**: own; deciles of the cumulated popularity. O(items).
 *
 * @param popularity n_i ≥ 0 per item, from before what is to be binned. @param items how many.
 * @returns per item its bin, 0 to 10.
 * @example
 * popularityBins(Float64Array.of(0, 1, 9), 3); // [10, 0, 5]
 */
export function popularityBins(popularity: Float64Array, items: number): Uint8Array {
  const { count, items: at, total } = levelsOf(popularity, items);
  const binOf = new Map<number, number>();
  let below = 0;
  for (let level = 0; level < count.length; level++) {
    const share = count[level] * at[level];
    const middle = (below + share / 2) / total;
    binOf.set(count[level], Math.min(EQUAL_BINS - 1, Math.floor(EQUAL_BINS * middle)));
    below += share;
  }
  const bins = new Uint8Array(items);
  for (let item = 0; item < items; item++) {
    const n = popularity[item];
    bins[item] = n > 0 ? binOf.get(n)! : EQUAL_BINS;
  }
  return bins;
}

/** Counts of the items by bin; items beyond the bins' end were never picked before. */
export function binned(counts: ArrayLike<number>, size: number, bins: Uint8Array): number[] {
  const sums = new Array<number>(POPULARITY_BINS).fill(0);
  for (let item = 0; item < size; item++) {
    sums[item < bins.length ? bins[item] : EQUAL_BINS] += counts[item];
  }
  return sums;
}

/**
 * Share of the popular items: of those that held the upper half of the interactions before.
 *
 * @param counts of the bins, at least one event
 */
export function headShare(counts: readonly number[]): number {
  const sum = (own: readonly number[]) => own.reduce((total, count) => total + count, 0);
  return sum(counts.slice(EQUAL_BINS / 2, EQUAL_BINS)) / sum(counts);
}
