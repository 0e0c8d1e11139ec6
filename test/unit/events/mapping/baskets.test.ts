import { describe, expect, it } from 'vitest';
import { compileMapping, type Mapping } from '../../../../src/events/mapping/mapping.js';
import { type MappingName, mappingNamed } from '../../../../src/events/mapping/named-mappings.js';
import { listOf } from '../../../../src/stream/intake/part.js';
import { Shuffle } from '../../../../src/stream/intake/shuffle.js';

function read(
  mapping: Mapping,
  events: readonly object[],
  role: 'mixed' | 'interactions' = 'mixed',
) {
  const reading = { events: role, mapping, maxEventBytes: 1_000_000, maxFutureMs: 0 };
  const shuffle = new Shuffle([{ topic: 'orders', ...reading }]);
  const records = events.map((event, n) => ({
    from: { topic: 'orders', partition: 1, offset: `${n}`, key: null, headers: {} },
    value: new TextEncoder().encode(JSON.stringify(event)),
    ts: 0,
  }));
  const { records: found, outcomes, letters } = shuffle.read('orders', 1, records, () => 1e15);
  const parsed = (way: 'exposures' | 'interactions' | 'parts') =>
    found[way].map(({ value }) => JSON.parse(value));
  return {
    interactions: parsed('interactions'),
    parts: parsed('parts'),
    outcomes: Object.fromEntries(outcomes),
    letters,
  };
}

const BASKET: Mapping = {
  interaction: {
    ts: '/at',
    user: '/who',
    action: { constant: 'purchase' },
    item: { path: '/lines', each: '/sku' },
    exposure: { path: '/lines', each: '/request' },
  },
};

describe('baskets of a topic', () => {
  it('may have 50,000 lines', () => {
    const lines = Array.from({ length: 50_000 }, (_, n) => ({ sku: `s${n}` }));
    const { interactions } = read(BASKET, [{ at: 5, who: 'u', lines }]);
    expect(interactions).toHaveLength(50_000);
  });

  it('become one interaction per line, identified by position, and count invalid lines', () => {
    const lines = [{ sku: 'a', request: 'r1' }, { sku: 17 }, { other: 1 }, { sku: 'b' }];
    const { interactions, outcomes, letters } = read(BASKET, [
      { at: 5, who: 'u', lines },
      { at: 6, who: 'v', lines: [{ sku: 'a' }] },
      { at: 7, who: 'v', lines: [] },
      { at: 8, who: 'v' },
    ]);
    const shared = { type: 'interaction', ts: 5, user: 'u', action: 'purchase' };
    expect(interactions).toEqual([
      { ...shared, id: 'orders/1/0', item: 'a', exposure: 'r1' },
      { ...shared, id: 'orders/1/0/1', item: '17' },
      { ...shared, id: 'orders/1/0/3', item: 'b' },
      { ...shared, ts: 6, user: 'v', id: 'orders/1/1', item: 'a' },
    ]);
    expect(outcomes).toEqual({ missing_field: 2, written: 1, ignored: 1 });
    expect(letters.map(({ offset, detail }) => [offset, detail.slice(0, 4)])).toEqual([
      [0, 'item'],
      [3, 'item'],
    ]);
  });

  it('become one interaction per product with the mapping for Segment', () => {
    const products = [{ product_id: 'a' }, { product_id: 'b' }];
    const order = { event: 'Order Completed', messageId: 'm', userId: 'u' };
    const at = { timestamp: '2026-01-01T00:00:00Z' };
    const found = read(mappingNamed('segment' satisfies MappingName), [
      { ...order, ...at, properties: { products } },
      { ...order, ...at, event: 'Product Clicked', properties: { product_id: 'a' } },
    ]);
    expect(found.interactions.map(({ id, item, action }) => [id, item, action])).toEqual([
      ['m', 'a', 'purchase'],
      ['m/1', 'b', 'purchase'],
      ['m', 'a', 'click'],
    ]);
  });

  it('take fields of one list only, and only in interactions', () => {
    const interaction = { ts: '/t', user: '/u', item: { path: '/lines', each: '/sku' } };
    const wrong = (mapping: object) => () => compileMapping(mapping as Mapping, 'mapping', true);
    expect(wrong({ interaction: { ...interaction, value: { path: '/x', each: '/y' } } })).toThrow(
      'mapping.interaction.value.path: expected the same path as for item',
    );
    const impression = { ...interaction, model: '/m' };
    expect(wrong({ impression })).toThrow('mapping.impression.item: each and split are for lists');
    expect(wrong({ anonymous: 'kept', interaction })).toThrow(
      'mapping.anonymous: expected ignored',
    );
    const join = { ...interaction, exposure: { join: ['/r', '/s'] } };
    expect(() => compileMapping({ interaction: { id: '/i', ...join } })).toThrow(
      'join is only for ids',
    );
    expect(wrong({ interaction: { ...join, exposure: { join: ['/r'] } } })).toThrow(
      'at least two JSON Pointers',
    );
  });
});

describe('events without a user', () => {
  it('are counted apart with `anonymous: ignored`, and are invalid otherwise', () => {
    const interaction = { ts: '/at', user: '/who', item: '/sku' };
    const impression = { ...interaction, model: { constant: 'm' } };
    const kind = { path: '/e', values: { seen: 'impression', click: 'interaction' } } as const;
    const events = ['seen', 'click'].flatMap((e) => [
      { e, at: 1, who: null, sku: 'a' },
      { e, at: 1, who: '', sku: 'a' },
      { e, at: 1, who: 'u', sku: 'a' },
    ]);
    const mapping = { kind, interaction, impression };
    // An event without a time as well is invalid, not anonymous.
    const none = read({ interaction, anonymous: 'ignored' }, [{ level: 'info' }]);
    expect(none.outcomes).toEqual({ missing_field: 1 });
    const apart = read({ ...mapping, anonymous: 'ignored' }, events);
    expect([apart.outcomes, apart.letters]).toEqual([{ anonymous: 4, written: 2 }, []]);
    expect(read(mapping, events).outcomes).toEqual({ missing_field: 2, id_empty: 2, written: 2 });
  });
});

describe('an attribution by request and surface', () => {
  it('has the id of the list assembled from the same request and surface', () => {
    const shared = { ts: '/at', user: '/who', item: '/sku' };
    const kind = { path: '/e', values: { seen: 'impression', click: 'interaction' } } as const;
    const model = { constant: 'm' };
    const { parts, interactions } = read(
      {
        kind,
        impression: { ...shared, model, list: '/rid', surface: '/slot' },
        interaction: { ...shared, exposure: { join: ['/rid', '/slot'] } },
      },
      [
        { e: 'seen', at: 1, who: 'u', sku: 'a', rid: 9, slot: 'HOME' },
        { e: 'click', at: 2, who: 'u', sku: 'a', rid: 9, slot: 'HOME' },
        { e: 'click', at: 2, who: 'u', sku: 'a', rid: 9 },
        { e: 'click', at: 2, who: 'u', sku: 'a', slot: 'HOME' },
      ],
    );
    const { id } = listOf(parts, 1).event;
    expect(interactions.map(({ exposure }) => exposure)).toEqual([id, '9', undefined]);
    expect(id).toBe('9/HOME');
  });
});
