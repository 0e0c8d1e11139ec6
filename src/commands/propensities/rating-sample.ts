/** Ratings by number of user and item, each pair once: the columns of a table. */
export interface RatingColumns {
  readonly user: Int32Array;
  readonly item: Int32Array;
  readonly rating: Float64Array;
}

/** What users chose to rate, and what they rated of randomly drawn items. */
export interface RatingSample {
  /** Ids in the order of their code units, so that no number depends on the order of events. */
  readonly users: readonly string[];
  readonly items: readonly string[];
  readonly chosen: RatingColumns;
  readonly random: RatingColumns;
  /** Event time of the newest rating, ms. */
  readonly newestTs: number;
}

/** A rating as it was read. */
export interface ReadRating {
  readonly user: number;
  readonly item: number;
  readonly ts: number;
  readonly rating: number;
}

/** Each pair's first rating; of two at the same time the lower one, whatever their order. */
export function firstOfEachPair(ratings: readonly ReadRating[]): RatingColumns {
  const sorted = [...ratings].sort(
    (a, b) => a.user - b.user || a.item - b.item || a.ts - b.ts || a.rating - b.rating,
  );
  const first = sorted.filter(
    ({ user, item }, r) => r === 0 || user !== sorted[r - 1].user || item !== sorted[r - 1].item,
  );
  return {
    user: Int32Array.from(first, ({ user }) => user),
    item: Int32Array.from(first, ({ item }) => item),
    rating: Float64Array.from(first, ({ rating }) => rating),
  };
}
