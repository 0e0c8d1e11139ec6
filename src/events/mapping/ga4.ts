import type { Mapping } from './mapping.js';

/**
 * Mapping of the e-commerce events of Google Analytics 4: rows of its BigQuery export as JSON. The
 * model of a list is its `item_list_id`. The export has no event ids, so an event's id is its
 * position in the log or file.
 *
 * **Source**: Google, *BigQuery Export schema*.
 */
export const GA4: Mapping = {
  kind: {
    path: '/event_name',
    values: {
      view_item_list: 'exposure',
      select_item: 'interaction',
      view_item: 'interaction',
      add_to_cart: 'interaction',
      purchase: 'interaction',
    },
    others: 'ignored',
  },
  tsUnit: 'us',
  exposure: {
    ts: '/event_timestamp',
    user: ['/user_id', '/user_pseudo_id'],
    model: {
      path: '/items/0/item_list_id',
      default: 'ga4',
    },
    items: {
      path: '/items',
      each: '/item_id',
    },
  },
  interaction: {
    ts: '/event_timestamp',
    user: ['/user_id', '/user_pseudo_id'],
    item: {
      path: '/items',
      each: '/item_id',
    },
    action: {
      path: '/event_name',
      map: {
        select_item: 'click',
        view_item: 'view',
        purchase: 'purchase',
      },
      default: 'add_to_cart',
    },
  },
};
