import type { Mapping } from './mapping.js';

/**
 * Mapping of OpenSearch's User Behavior Insights: documents of the indexes `ubi_queries` and
 * `ubi_events`. A document has `_index`, `_id` and `_source`, as in search results, dumps and files
 * for the bulk API. A list is the result that a query states; if it states none, the list is
 * assembled from the impressions of the query. The model of a list is its application. Actions that
 * the mapping does not list are ignored.
 *
 * **Source**: OpenSearch, *UBI index schemas*, 1.3.
 */
export const UBI: Mapping = {
  kind: {
    path: ['/_source/action_name', '/_index'],
    values: {
      ubi_queries: 'exposure',
      impression: 'impression',
      click: 'interaction',
      add_to_cart: 'interaction',
      watch: 'interaction',
      view: 'interaction',
      purchase: 'interaction',
    },
    others: 'ignored',
  },
  exposure: {
    id: '/_source/query_id',
    ts: '/_source/timestamp',
    user: '/_source/client_id',
    model: {
      path: '/_source/application',
      default: 'ubi',
    },
    items: ['/_source/query_response_hit_ids', '/_source/query_response_object_ids'],
  },
  impression: {
    ts: '/_source/timestamp',
    user: '/_source/client_id',
    model: {
      path: '/_source/application',
      default: 'ubi',
    },
    item: '/_source/event_attributes/object/object_id',
    list: '/_source/query_id',
    place: ['/_source/event_attributes/position/ordinal', '/_source/event_attributes/rank'],
  },
  interaction: {
    id: '/_id',
    ts: '/_source/timestamp',
    user: '/_source/client_id',
    item: '/_source/event_attributes/object/object_id',
    action: '/_source/action_name',
    exposure: '/_source/query_id',
  },
};
