import type { Mapping } from './mapping.js';

/** Paths of the common fields of a product analytics system. */
interface Envelope {
  readonly id: string;
  readonly user: string | readonly string[];
  readonly ts: string | readonly string[];
  /** Model of a list without a `list_id`. */
  readonly model: string;
}

/** Kind of each event name of the e-commerce specification; events with other names are ignored. */
const KINDS = {
  'Product List Viewed': 'exposure',
  'Product Clicked': 'interaction',
  'Product Viewed': 'interaction',
  'Product Added': 'interaction',
  'Order Completed': 'interaction',
} as const;

const ACTIONS = {
  'Product Clicked': 'click',
  'Product Viewed': 'view',
  'Product Added': 'add_to_cart',
  'Order Completed': 'purchase',
};

function productEvents({ id, user, ts, model }: Envelope): Mapping {
  const item = {
    path: ['/properties/products', '/properties'],
    each: '/product_id',
  };
  return {
    kind: {
      path: '/event',
      values: KINDS,
      others: 'ignored',
    },
    tsUnit: 'iso',
    exposure: {
      id,
      ts,
      user,
      model: {
        path: '/properties/list_id',
        default: model,
      },
      items: {
        path: '/properties/products',
        each: '/product_id',
      },
    },
    interaction: {
      id,
      ts,
      user,
      item,
      action: {
        path: '/event',
        map: ACTIONS,
      },
    },
  };
}

/**
 * Mapping of track calls of Segment and RudderStack under their e-commerce specification. A list's
 * model is its `list_id`; without a login the user is the anonymous id.
 *
 * **Source**: Segment, *Spec: V2 Ecommerce Events*, and *Spec: Track*.
 */
export const SEGMENT: Mapping = productEvents({
  id: '/messageId',
  user: ['/userId', '/anonymousId'],
  ts: ['/timestamp', '/originalTimestamp'],
  model: 'segment',
});

/**
 * Mapping of events of PostHog under its e-commerce specification, which has Segment's names.
 *
 * **Source**: PostHog, *Ecommerce events specification*.
 */
export const POSTHOG: Mapping = productEvents({
  id: '/uuid',
  user: '/distinct_id',
  ts: '/timestamp',
  model: 'posthog',
});
