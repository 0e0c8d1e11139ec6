import type { Mapping } from './mapping.js';

const ACTION =
  '/unstruct_event_com_snowplowanalytics_snowplow_ecommerce_snowplow_ecommerce_action_1';
const PRODUCTS = '/contexts_com_snowplowanalytics_snowplow_ecommerce_product_1';

/**
 * Mapping of Snowplow's enriched events as its analytics SDKs write them in JSON, with the
 * e-commerce action and its products. A list's model is the name of the list; events with other
 * actions or none are ignored.
 *
 * **Source**: Snowplow, *Ecommerce events*, schema `snowplow_ecommerce_action` 1-0-2.
 */
export const SNOWPLOW: Mapping = {
  kind: {
    path: `${ACTION}/type`,
    values: {
      list_view: 'exposure',
      list_click: 'interaction',
      product_view: 'interaction',
      add_to_cart: 'interaction',
      transaction: 'interaction',
    },
    others: 'ignored',
  },
  tsUnit: 'iso',
  exposure: {
    id: '/event_id',
    ts: ['/derived_tstamp', '/collector_tstamp'],
    user: ['/user_id', '/domain_userid'],
    model: {
      path: `${ACTION}/name`,
      default: 'snowplow',
    },
    items: {
      path: PRODUCTS,
      each: '/id',
    },
  },
  interaction: {
    id: '/event_id',
    ts: ['/derived_tstamp', '/collector_tstamp'],
    user: ['/user_id', '/domain_userid'],
    item: {
      path: PRODUCTS,
      each: '/id',
    },
    action: {
      path: `${ACTION}/type`,
      map: {
        list_click: 'click',
        product_view: 'view',
        transaction: 'purchase',
      },
      default: 'add_to_cart',
    },
  },
};
