import { describe, expect, it } from 'vitest';
import { survey } from '../../../../src/events/survey-kinds.js';

const T = 1_767_225_600_000;
const many = (make: (n: number) => object) => Array.from({ length: 20 }, (_, n) => make(n));
const pathsOf = (topic: string, records: readonly object[]) =>
  Object.fromEntries(
    [...survey(topic, records).kinds].map(([kind, { fields, items, tsUnit }]) => [
      kind,
      {
        ...Object.fromEntries(
          Object.entries(fields).flatMap(([role, found]) =>
            found[0] === undefined ? [] : [[role, found[0].path]],
          ),
        ),
        ...(items && { items: items.each ? `${items.path} ${items.each}` : items.path }),
        tsUnit,
      },
    ]),
  );

describe('records of an unknown schema', () => {
  it('with a list of objects are exposures, with fields found at any depth', () => {
    const records = many((n) => ({
      event_id: `e${n}`,
      time: T / 1000 + n,
      user: { id: `u${n % 5}`, age: 30 },
      context: { ranker: 'two-tower' },
      slots: [{ sku: 'a' }, { sku: 'b' }],
    }));
    expect(pathsOf('shop.views', records)).toEqual({
      exposure: {
        id: '/event_id',
        time: '/time',
        user: '/user/id',
        model: '/context/ranker',
        items: '/slots /sku',
        tsUnit: 's',
      },
    });
  });

  it('with one item are impressions if they have a position, or interactions by topic name', () => {
    const record = (n: number) => ({
      ts: new Date(T + n).toISOString(),
      userId: 7,
      product_id: n,
      position: 1,
      request_id: 'r',
    });
    expect(pathsOf('shop.seen', many(record))).toMatchObject({
      impression: { user: '/userId', item: '/product_id', place: '/position', list: '/request_id' },
    });
    const clicks = pathsOf('shop.clicks', many(record));
    expect(clicks).toMatchObject({ interaction: { item: '/product_id', tsUnit: 'iso' } });
    expect(clicks).not.toHaveProperty('impression');
  });

  it('of several kinds are distinguished by the field that names the kind', () => {
    const shared = { user_id: 'u', ts: T };
    const found = survey('web', [
      ...many(() => ({ ...shared, event: 'list_served', items: ['a', 'b'] })),
      ...many(() => ({ ...shared, event: 'click', item_id: 'a' })),
      ...many(() => ({ ...shared, event: 'purchase', item_id: 'a' })),
      ...many(() => ({ ...shared, event: 'heartbeat' })),
    ]);
    expect(found.kind).toEqual({
      path: '/event',
      values: {
        list_served: 'exposure',
        click: 'interaction',
        purchase: 'interaction',
        heartbeat: 'ignored',
      },
    });
    expect([...found.kinds.keys()]).toEqual(['exposure', 'interaction']);
  });
});
