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
  const counts: number[] = [];
  const known = new Map<number, number>();
  const ofItem = new Int32Array(items);
  for (let i = 0; i < items; i++) {
    // Without a count: a key of its own, so that κ and a count that equals it stay two levels.
    const n = popularity[i] > 0 ? popularity[i] : 0;
    let level = known.get(n);
    if (level === undefined) {
      level = n === 0 && isDropped ? -1 : counts.push(n === 0 ? smoothing : n) - 1;
      known.set(n, level);
    }
    ofItem[i] = level;
  }
  return { counts: Float64Array.from(counts), ofItem };
}
