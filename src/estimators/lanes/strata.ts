import type { ItemCounts } from '../../state/panes/window-part.js';
import type { StrataScheme } from '../options.js';
import { perLevel, unnormalizedPropensity } from '../propensity/power-law.js';
import { perItem } from './per-item.js';

/** Counts from which strata are computed. */
export type StratifiedCounts = Pick<ItemCounts, 'items' | 'popularity' | 'compareIds'>;

/**
 * Divide the items with n_i > 0 into strata of similar propensity.
 *
 * popularity-width: min(S − 1, ⌊S (n − min) / (max − min)⌋); propensity-width: the same on n^β;
 * log: the same on ln n; popularity-rank: ⌊S r / I⌋, r the 0-based rank by n descending, ties by
 * id. If all items have the same n, there is one stratum. Items with n_i = 0 belong to the stratum
 * of the least popular seen items. Source: generalized-stratified, section 5.1 (popularity-width);
 * the others are variants of it.
 *
 * @param counts n_i (`popularity`) per item. @param scheme one of the four.
 * @param strata S ≥ 1. @param beta β, for propensity-width.
 * @returns a stratum in [0, S) per item; all 0 if no item was seen.
 * By hand: n = 1, 2, 9 with S = 2 by popularity-width: [0, 0, 1].
 */
export function stratify(
  counts: StratifiedCounts,
  scheme: StrataScheme,
  strata: number,
  beta: number,
): Uint16Array {
  const { items, popularity } = counts;
  const [min, max] = seenRange(popularity, items);
  const stratumOf = new Uint16Array(items);
  if (!(max > min)) return stratumOf;
  if (scheme === 'popularity-rank') return byRank(counts, strata, min);
  const scale = SCALES[scheme](beta);
  const ends = [scale(min), scale(max)];
  const low = Math.min(...ends);
  const width = Math.max(...ends) - low;
  if (!(width > 0)) return stratumOf;
  const stratumAt = perLevel((n) =>
    Math.min(strata - 1, Math.floor((strata * (scale(Math.max(n, min)) - low)) / width)),
  );
  return perItem(popularity, stratumAt, stratumOf);
}

type WidthScheme = Exclude<StrataScheme, 'popularity-rank'>;

const SCALES: Record<WidthScheme, (beta: number) => (count: number) => number> = {
  'popularity-width': () => (count) => count,
  'propensity-width': (beta) => (count) => unnormalizedPropensity(count, beta),
  log: () => Math.log,
};

function seenRange(popularity: Float64Array, items: number): [number, number] {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (let item = 0; item < items; item++) {
    const n = popularity[item];
    if (!(n > 0)) continue;
    if (n < min) {
      min = n;
    }
    if (n > max) {
      max = n;
    }
  }
  return [min, max];
}

function byRank(counts: StratifiedCounts, strata: number, min: number): Uint16Array {
  const { items, popularity } = counts;
  const byLevel = new Map<number, number[]>();
  let seen = 0;
  for (let item = 0; item < items; item++) {
    const n = popularity[item];
    if (!(n > 0)) continue;
    seen++;
    const level = byLevel.get(n);
    if (level === undefined) {
      byLevel.set(n, [item]);
    } else {
      level.push(item);
    }
  }
  const stratumOf = new Uint16Array(items);
  let rank = 0;
  for (const n of Float64Array.from(byLevel.keys()).sort().reverse()) {
    const level = byLevel.get(n)!;
    const first = Math.floor((strata * rank) / seen);
    const last = Math.floor((strata * (rank + level.length - 1)) / seen);
    // Ids only matter if a boundary divides items with equal counts.
    if (first !== last) {
      level.sort((a, b) => counts.compareIds(a, b));
    }
    for (const item of level) {
      stratumOf[item] = Math.floor((strata * rank++) / seen);
    }
  }
  const least = Math.floor((strata * (seen - 1)) / seen);
  for (let item = 0; item < items; item++) {
    if (!(popularity[item] >= min)) {
      stratumOf[item] = least;
    }
  }
  return stratumOf;
}
