import type { Mapping } from './mapping.js';

/**
 * Mapping of LensKit's Parquet files of recommendations and of test ratings. A row of
 * recommendations (`ItemListCollection.save_parquet`) has a `user_id` and a list of structures with
 * `item_id`, `rank` and `score`; the name of the file is the model. Recommendations have no times:
 * all of them get one constant time, and all ratings a later one, whatever times they have.
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
