import type { EstimateOptions } from '../options.js';

/** Items by the count that they are weighted by. */
export interface PopularityLevels {
  /** Count of each level, above 0; κ for that of items without a count. */
  readonly counts: Float64Array;
  /** Level of each item, −1 where its rows are left out. */
  readonly ofItem: Int32Array;
}

/**
 * The levels of popularity: all items with the same n_i have one.
 *
 * Items without a count have one of their own, weighted by κ, or none where they are left out.
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
  const seen = new Set<number>();
  // Without a count: a key of its own, so that κ and a count that equals it stay two levels.
  const keyOf = (item: number) => (popularity[item] > 0 ? popularity[item] : 0);
  for (let i = 0; i < items; i++) seen.add(keyOf(i));
  if (isDropped) seen.delete(0);
  // Ascending: sums over levels are then in no worker's order of items.
  const keys = Float64Array.from(seen).sort();
  const levelOf = new Map(Array.from(keys, (n, level) => [n, level]));
  const ofItem = new Int32Array(items);
  for (let i = 0; i < items; i++) ofItem[i] = levelOf.get(keyOf(i)) ?? -1;
  return { counts: keys.map((n) => (n === 0 ? smoothing : n)), ofItem };
}
