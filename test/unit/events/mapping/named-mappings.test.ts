import { describe, expect, it } from 'vitest';
import {
  MAPPING_NAMES,
  type MappingName,
  mappingNamed,
} from '../../../../src/events/mapping/named-mappings.js';
import { CanonicalRecords } from '../../../../src/stream/intake/canonical-records.js';

const NOON = '2026-03-02T12:00:00.000Z';
const NOON_MS = Date.parse(NOON);
const ECOMMERCE = 'com_snowplowanalytics_snowplow_ecommerce';

function read(name: MappingName, event: object) {
  const records = new CanonicalRecords({
    ...{ events: 'mixed', mapping: mappingNamed(name), maxEventBytes: 1e6, maxFutureMs: 0 },
  });
  const from = { topic: 'all', partition: 0, offset: '7', key: null, headers: {} };
  const found = records.read(new TextEncoder().encode(JSON.stringify(event)), from, NOON_MS + 1);
  return found.kind === 'event' ? JSON.parse(found.value) : found;
}

const snowplow = (type: string, products: string[], more = {}) => ({
  ...{ app_id: 'shop', event: 'unstruct', event_name: 'snowplow_ecommerce_action' },
  ...{ event_id: 'e-1', collector_tstamp: NOON, derived_tstamp: NOON, user_id: null },
  domain_userid: 'visitor-1',
  [`unstruct_event_${ECOMMERCE}_snowplow_ecommerce_action_1`]: { type, ...more },
  [`contexts_${ECOMMERCE}_product_1`]: products.map((id, n) => ({ id, price: 5, position: n + 1 })),
});
const track = (event: string, properties: object) => ({
  ...{ type: 'track', event, messageId: 'm-1', anonymousId: 'a-1', userId: 'u-1' },
  ...{ timestamp: NOON, receivedAt: NOON, context: { library: { name: 'js' } }, properties },
});
const posthog = (event: string, properties: object) => ({
  ...{ uuid: '018e-1', event, distinct_id: 'd-1', timestamp: NOON, properties },
});
const ga4 = (event: string, items: object[]) => ({
  ...{ event_date: '20260302', event_timestamp: NOON_MS * 1000, event_name: event },
  ...{ user_id: null, user_pseudo_id: '12.34', items },
});
const cloud = (type: string, data: object) => ({
  ...{ specversion: '1.0', id: 'c-1', source: '/shop', type, time: NOON, subject: 'u-1', data },
});
const products = ['a', 'b'].map((id) => ({ product_id: id, position: 1 }));

/** Events of each system, as its documents describe them, and what they are here. */
const LISTS: [MappingName, object, object][] = [
  [
    'snowplow',
    snowplow('list_view', ['a', 'b'], { name: 'shop the look' }),
    { id: 'e-1', user: 'visitor-1', model: 'shop the look' },
  ],
  [
    'segment',
    track('Product List Viewed', { list_id: 'hot', products }),
    { id: 'm-1', user: 'u-1', model: 'hot' },
  ],
  [
    'rudderstack',
    track('Product List Viewed', { products }),
    { id: 'm-1', user: 'u-1', model: 'segment' },
  ],
  [
    'posthog',
    posthog('Product List Viewed', { list_id: 'hot', products }),
    { id: '018e-1', user: 'd-1', model: 'hot' },
  ],
  [
    'ga4',
    ga4('view_item_list', [{ item_id: 'a', item_list_id: 'related' }, { item_id: 'b' }]),
    { id: 'all/0/7', user: '12.34', model: 'related' },
  ],
  [
    'cloudevents',
    cloud('unskew.exposure', { model: 'm', items: ['a', 'b'] }),
    { id: 'c-1', user: 'u-1', model: 'm' },
  ],
  [
    'metarank',
    {
      ...{ event: 'ranking', id: 'r-1', timestamp: `${NOON_MS}`, user: 'u-1', session: 's' },
      items: [{ id: 'a', relevancy: 2 }, { id: 'b' }],
    },
    { id: 'r-1', user: 'u-1', model: 'metarank' },
  ],
];
const BOUGHT: [MappingName, object][] = [
  ['snowplow', snowplow('transaction', ['a'])],
  ['segment', track('Order Completed', { order_id: 'o', products })],
  ['rudderstack', track('Order Completed', { order_id: 'o', products })],
  ['posthog', posthog('Order Completed', { products })],
  ['ga4', ga4('purchase', [{ item_id: 'a' }])],
  ['cloudevents', cloud('unskew.interaction', { item: 'a', action: 'purchase' })],
  [
    'metarank',
    {
      ...{ event: 'interaction', type: 'purchase', id: 'i', timestamp: NOON_MS, item: 'a' },
      ...{ user: 'u-1', session: 's', ranking: 'r-1' },
    },
  ],
];
const CLICKED: [MappingName, object][] = [
  ['snowplow', snowplow('list_click', ['a'])],
  ['segment', track('Product Clicked', { product_id: 'a', list_id: 'hot' })],
  ['rudderstack', track('Product Clicked', { product_id: 'a' })],
  ['posthog', posthog('Product Clicked', { product_id: 'a' })],
  ['ga4', ga4('select_item', [{ item_id: 'a' }])],
];
const OTHERS: [MappingName, object][] = [
  ['snowplow', { event: 'page_view', event_id: 'e-2', collector_tstamp: NOON }],
  ['segment', { type: 'page', messageId: 'm-2', userId: 'u-1' }],
  ['rudderstack', track('Coupon Applied', {})],
  ['posthog', posthog('$pageview', { $current_url: '/' })],
  ['ga4', ga4('scroll', [])],
  ['cloudevents', cloud('com.example.other', {})],
  ['metarank', { event: 'item', id: 'x', timestamp: `${NOON_MS}`, item: 'a', fields: [] }],
];

describe('a mapping that is ready', () => {
  it.each(LISTS)('of %s reads a list', (name, event, wanted) => {
    expect(read(name, event)).toEqual({
      ...{ type: 'exposure', ts: NOON_MS, items: ['a', 'b'] },
      ...wanted,
    });
  });

  it.each(BOUGHT)('of %s reads a purchase', (name, event) => {
    expect(read(name, event)).toMatchObject({
      ...{ type: 'interaction', ts: NOON_MS, item: 'a', action: 'purchase' },
    });
  });

  it.each(CLICKED)('of %s reads a click', (name, event) => {
    expect(read(name, event)).toMatchObject({ type: 'interaction', item: 'a', action: 'click' });
  });

  it.each(OTHERS)('of %s passes other events over', (name, event) => {
    expect(read(name, event)).toEqual({ kind: 'ignored' });
  });

  it('of each name has a list, a purchase and another event here', () => {
    for (const cases of [LISTS, BOUGHT, OTHERS]) {
      expect(cases.map(([name]) => name).sort()).toEqual([...MAPPING_NAMES].sort());
    }
  });

  it('refuses a list without products, and says which field it was to come from', () => {
    const { reason, detail } = read('segment', track('Product List Viewed', {}));
    expect([reason, detail]).toEqual([
      'missing_field',
      expect.stringMatching(/items \(from \/properties\/products/),
    ]);
  });
});
