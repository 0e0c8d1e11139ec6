import type { RatingData } from './rating-log.js';

/** Ratings of the items of a model, and how many there are of others. */
export interface KnownItems {
  readonly data: RatingData;
  readonly leftOut: number;
}

/** The ratings as a model sees them: its items and their numbers. */
export function knownItems(data: RatingData, items: readonly string[]): KnownItems {
  const numberOf = new Map(items.map((item, number) => [item, number]));
  const { ratings } = data;
  const number = Array.from(ratings.item, (item) => numberOf.get(data.items[item]) ?? -1);
  const rows = Int32Array.from(ratings.item.keys()).filter((row) => number[row] >= 0);
  return {
    data: {
      ...data,
      items,
      ratings: {
        ...{ users: ratings.users, items: items.length },
        user: rows.map((row) => ratings.user[row]),
        item: rows.map((row) => number[row]),
        rating: Float64Array.from(rows, (row) => ratings.rating[row]),
      },
      logged: () => {
        const logged = data.logged();
        return Float64Array.from(rows, (row) => logged[row]);
      },
    },
    leftOut: ratings.item.length - rows.length,
  };
}
