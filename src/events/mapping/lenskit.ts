import type { Mapping } from './mapping.js';

/**
 * Mapping of LensKit's Parquet files: recommendations (`ItemListCollection.save_parquet`), which
 * have a list of structures with `item_id`, `rank` and `score` for each `user_id`, and test
 * ratings. The name of a file of lists is the model. Lists have no time, so all get a time before
 * all ratings, whose own times are not used.
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
