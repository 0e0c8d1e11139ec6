import type { Mapping } from './mapping.js';

/**
 * What LensKit writes as Parquet: nested recommendations (`ItemListCollection.save_parquet`), a
 * list of structures with `item_id`, `rank` and `score` for each `user_id`, and ratings to test
 * them by. The model has the name of the file of its lists. Lists have no time: all are placed
 * before all ratings, whose times are not used.
 *
 * **Source**: Ekstrand, *LensKit for Python*, 2025.1, `lenskit.data.ItemListCollection`.
 */
export const LENSKIT: Mapping = {
  tsUnit: 'iso',
  exposure: {
    ts: { constant: '2000-01-01T00:00:00Z' },
    user: '/user_id',
    model: { record: 'name' },
    items: {
      path: '/items',
      each: '/item_id',
    },
    scores: {
      path: '/items',
      each: '/score',
    },
    shown: { constant: false },
  },
  interaction: {
    ts: { constant: '2000-01-01T00:00:01Z' },
    user: '/user_id',
    item: '/item_id',
    value: '/rating',
  },
};
