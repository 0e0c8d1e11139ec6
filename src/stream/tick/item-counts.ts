import type { WeightsFrom } from '../../estimators/options.js';
import type { Popularity } from '../../state/counts/popularity.js';
import type { ItemCounts } from '../../state/panes/window-part.js';
import type { Ids } from '../ids.js';

/** Counts of items for a tick. */
export interface CountedItems {
  /** Counts from which weights are computed: popularity and interventions. */
  readonly known: Popularity;
  /**
   * Counts from which exposures and the averages of windows are computed; in a stream the same
   * object as `known`.
   */
  readonly observed: Popularity;
  /**
   * With `all`, popularity is the sum of the counts in `known` and in `observed`, if these are
   * separate.
   */
  readonly weightsFrom?: WeightsFrom | undefined;
}

/** Copy the item counts once per tick, for all its rows. */
export function itemCounts(
  { known, observed, weightsFrom }: CountedItems,
  { items }: Ids,
): ItemCounts {
  const popularity = widened(known.popularity().counts, items.size);
  const randomized = widened(known.randomized.counts, items.size);
  // If train events are separate, randomised traffic of both parts is used.
  if (observed !== known) {
    const other = widened(observed.randomized.counts, items.size);
    for (let item = 0; item < items.size; item++) {
      randomized[item] += other[item];
    }
    if (weightsFrom === 'all') {
      const own = widened(observed.popularity().counts, items.size);
      for (let item = 0; item < items.size; item++) {
        popularity[item] += own[item];
      }
    }
  }
  return {
    items: items.size,
    popularity,
    interactions: widened(known.interactions.counts, items.size),
    randomized,
    itemKey: (item) => items.hash(item),
    compareIds: (a, b) => items.compare(a, b),
  };
}

/** Copy the counts, with the popularity of `known` alone. */
export function ofKnown({ known }: CountedItems, counts: ItemCounts): ItemCounts {
  return {
    ...counts,
    popularity: widened(known.popularity().counts, counts.items),
  };
}

/** Count how often each item was in a model's lists, over the whole horizon or a trailing one. */
export function exposureCounts(
  observed: Popularity,
  model: number,
  size: number,
  horizonMs?: number,
): Float64Array {
  if (model >= observed.models) return new Float64Array(size);
  return widened(observed.exposures(model, horizonMs).counts, size);
}

/**
 * Popularity per item before the trailing period of `periodMs`. γ is fitted to the exposures within
 * that period.
 */
export function laggedPopularity(
  { known, observed }: CountedItems,
  periodMs: number,
  size: number,
): Float64Array {
  const lagged = widened(known.popularity().counts, size);
  // Separate train events are all earlier than the evaluated ones.
  if (known !== observed) return lagged;
  const period = known.popularity(periodMs).counts;
  for (let i = 0; i < Math.min(size, period.length); i++) {
    lagged[i] -= period[i];
  }
  return lagged;
}

/** Copy counts as floats, for exactly `size` items. */
export function widened(counts: Int32Array, size: number): Float64Array {
  const wide = new Float64Array(size);
  wide.set(counts.length > size ? counts.subarray(0, size) : counts);
  return wide;
}
