import { describe, expect, it } from 'vitest';
import { UnskewError } from '../../../../src/errors.js';
import {
  ExposureColumns,
  type IdTable,
  InteractionColumns,
} from '../../../../src/events/columns.js';
import { Decoder } from '../../../../src/events/decode.js';
import { FAULT_REASONS, IGNORED } from '../../../../src/events/fault.js';
import { compileMapping, type Mapping } from '../../../../src/events/mapping/mapping.js';
import { METARANK, metarankMapping } from '../../../../src/events/mapping/metarank.js';
import type { EventRole } from '../../../../src/events/parse.js';

function decodeAll(mapping: Mapping, events: readonly unknown[], role: EventRole = 'mixed') {
  const decoder = new Decoder({ maxFutureMs: 0, mapping });
  const names = (): IdTable & { names: string[] } => ({
    names: [],
    intern(bytes, start, end) {
      return this.names.push(new TextDecoder().decode(bytes.subarray(start, end))) - 1;
    },
  });
  const tables = { users: names(), items: names(), models: names() };
  const interactions = new InteractionColumns();
  const exposures = new ExposureColumns();
  const outcomes = events.map((event) => {
    const bytes = new TextEncoder().encode(JSON.stringify(event));
    const at = Number.POSITIVE_INFINITY;
    const code = decoder.decode(bytes, 0, bytes.length, role, at, tables, {
      interactions,
      exposures,
    });
    if (code === IGNORED) return 'ignored';
    return code === 0 ? 'accepted' : `${FAULT_REASONS[code]}: ${decoder.detail}`;
  });
  const { users, items, models } = tables;
  return {
    outcomes,
    interactions,
    exposures,
    users: users.names,
    items: items.names,
    models: models.names,
  };
}

const INTERACTION: Mapping = {
  interaction: { id: '/uuid', ts: '/at', user: '/who/id', item: '/what/0' },
};
const event = { uuid: 'x', at: 5, who: { id: 'u' }, what: ['a', 'b'] };

describe('a mapping', () => {
  it.each([
    ['ms', 1_700_000_000_123, 1_700_000_000_123],
    ['ms', '1700000000123', 1_700_000_000_123],
    ['s', 1_700_000_000, 1_700_000_000_000],
    ['s', 1_700_000_000.123, 1_700_000_000_123],
    ['s', '1700000000.1239', 1_700_000_000_123],
    ['us', 1_700_000_000_123_999, 1_700_000_000_123],
    ['us', -1, -1],
    ['us', '2023-11-14T22:13:20.123Z', 1_700_000_000_123],
    ['iso', '2023-11-14T22:13:20.123Z', 1_700_000_000_123],
  ] as const)('reads times in %s: %j', (tsUnit, at, ms) => {
    const { outcomes, interactions } = decodeAll({ ...INTERACTION, tsUnit }, [{ ...event, at }]);
    expect(outcomes).toEqual(['accepted']);
    expect(interactions.ts[0]).toBe(ms);
  });

  it('reads lists from objects, and constants', () => {
    const mapping: Mapping = {
      exposure: {
        id: '/id',
        ts: '/ts',
        user: '/user',
        model: { constant: 'm1' },
        items: { path: '/shown', each: '/product/id' },
        scores: { path: '/shown', each: '/score' },
        propensities: '/p',
        sampled: { constant: true },
        candidates: '/of',
        firstRank: '/place',
        request: '/page',
        share: '/arm/share',
        depth: { constant: 2 },
        propensityOf: '/of_what',
      },
    };
    const base = { id: '1', ts: 1, user: 'u', of: 7, p: [1, 0.5] };
    const shown = [
      { product: { id: 9 }, score: 2 },
      { product: { id: 'b' }, score: 1 },
    ];
    const { outcomes, items, models, exposures } = decodeAll(mapping, [
      { ...base, shown },
      { ...base, shown: [...shown, { product: {} }] },
      { ...base, shown: [shown[0], { product: { id: 'b' } }] },
      { ...base, shown, p: [1] },
      { ...base, shown: 'x' },
      { ...base, shown, place: -1 },
      { ...base, shown, arm: { share: 2 } },
      { ...base, shown, of_what: 'page' },
      { ...base, shown, page: 17, arm: { share: 0.9 }, of_what: 'item' },
    ]);
    expect(outcomes[0]).toBe('accepted');
    expect([items.slice(0, 2), models.slice(0, 1), exposures.candidates[0]]).toEqual([
      ['9', 'b'],
      ['m1'],
      7,
    ]);
    expect(outcomes[1]).toMatch(/^wrong_type: items\/2 \(from \/shown \/product\/id\): /);
    expect(outcomes[2]).toMatch(/^wrong_type: scores\/1 \(from \/shown \/score\): /);
    expect(outcomes[3]).toMatch(/^length_mismatch: propensities \(from \/p\): /);
    expect(outcomes[4]).toMatch(/^wrong_type: items \(from \/shown \/product\/id\): /);
    expect(outcomes[5]).toMatch(/^out_of_range: firstRank \(from \/place\): /);
    expect(outcomes[6]).toMatch(/^out_of_range: share \(from \/arm\/share\): /);
    expect(outcomes[7]).toMatch(/^out_of_range: propensityOf \(from \/of_what\): /);
    expect(exposures.length).toBe(2);
    const { share, depth, propensityOf } = exposures.requests;
    expect([share[1], depth[1], propensityOf[1]]).toEqual([0.9, 2, 2]);
  });
});

describe('compileMapping', () => {
  const valid = INTERACTION.interaction;
  it.each<[string, unknown]>([
    ['mapping: expected exposure, interaction or impression', {}],
    [
      'mapping.extra: unknown; known here: kind, columns, tsUnit, anonymous, exposure, interaction, impression',
      { extra: 1 },
    ],
    ['mapping: expected an object, found null', null],
    [
      'mapping.tsUnit: expected one of ms, s, us, ns, iso, mdy, dmy, found the string "h"',
      { interaction: valid, tsUnit: 'h' },
    ],
    ['mapping.interaction.user: missing', { interaction: { id: '/a', ts: '/b', item: '/c' } }],
    [
      'mapping.interaction.model: unknown; known here: id, ts, user, item, action, value, exposure, randomized, received, segments',
      { interaction: { ...valid, model: '/m' } },
    ],
    [
      'mapping.interaction.id: expected a JSON Pointer such as /user/id, found the string "id"',
      { interaction: { ...valid, id: 'id' } },
    ],
    [
      'mapping.interaction.user[1]: expected a JSON Pointer such as /user/id, found 5',
      { interaction: { ...valid, user: ['/a', 5] } },
    ],
    [
      'mapping.interaction.user: expected at least one JSON Pointer',
      { interaction: { ...valid, user: [] } },
    ],
    [
      'mapping.interaction.user: expected a JSON Pointer, a list of them, or an object with constant, found 5',
      { interaction: { ...valid, user: 5 } },
    ],
    [
      'mapping.interaction.user.constant: expected text, a number or a boolean, found null',
      { interaction: { ...valid, user: { constant: null } } },
    ],
    [
      'mapping.interaction.user: each and split are for lists, and user is not a list',
      { interaction: { ...valid, user: { path: '/a', each: '/b' } } },
    ],
    [
      'mapping.kind.values.x: expected exposure, interaction, impression or ignored, found the string "y"',
      { interaction: valid, kind: { path: '/k', values: { x: 'y' } } },
    ],
    [
      'mapping.kind.values.x: there is no mapping for exposure',
      { interaction: valid, kind: { path: '/k', values: { x: 'exposure' } } },
    ],
    [
      'mapping.kind.path: expected a JSON Pointer such as /user/id, found the string "k"',
      { interaction: valid, kind: { path: 'k', values: {} } },
    ],
    [
      'mapping.kind.path: expected at least one JSON Pointer',
      { interaction: valid, kind: { path: [], values: { click: 'interaction' } } },
    ],
    ['mapping: expected exposure, interaction or impression', { impression: null }],
    [
      'mapping.kind.values: expected an object, found a list',
      { interaction: valid, kind: { path: '/k', values: ['interaction'] } },
    ],
    [
      'mapping.exposure.items.each: expected a JSON Pointer such as /user/id, found the string "sku"',
      {
        exposure: {
          id: '/a',
          ts: '/a',
          user: '/a',
          model: '/a',
          items: { path: '/a', each: 'sku' },
        },
      },
    ],
  ])('rejects an invalid mapping: %s', (message, mapping) => {
    const compile = () => compileMapping(mapping as Mapping);
    expect(compile).toThrow(UnskewError);
    expect(compile).toThrow(new UnskewError('USAGE', message));
  });
});

describe('the mapping for Metarank', () => {
  const ranking = {
    event: 'ranking',
    id: 'r1',
    timestamp: '1599391467000',
    user: 'user1',
    session: 'session1',
    fields: [{ name: 'query', value: 'cat' }],
    items: [{ id: 'item3', relevancy: 2 }, { id: 'item1' }, { id: 'item2', relevancy: 0.5 }],
  };
  const interaction = {
    event: 'interaction',
    id: 'c1',
    ranking: 'r1',
    timestamp: 1599391468000,
    user: 'user1',
    session: 'session1',
    type: 'purchase',
    item: 'item1',
    fields: [{ name: 'count', value: 1 }],
  };

  it('reads rankings and interactions and ignores metadata', () => {
    const { outcomes, exposures, interactions, items, models } = decodeAll(METARANK, [
      { event: 'item', id: 'x', timestamp: '1599391467000', item: 'item1', fields: [] },
      { event: 'user', id: 'y', timestamp: '1599391467000', user: 'user1', fields: [] },
      ranking,
      interaction,
    ]);
    expect(outcomes).toEqual(['ignored', 'ignored', 'accepted', 'accepted']);
    expect(exposures.ts[0]).toBe(1599391467000);
    expect([...items]).toEqual(['item3', 'item1', 'item2', 'item1']);
    expect(models).toEqual(['metarank']);
    expect(interactions.exposureHigh[0]).toBe(exposures.idHigh[0]);
    expect(interactions.exposureLow[0]).toBe(exposures.idLow[0]);
  });

  it('uses the configured model name', () => {
    expect(decodeAll(metarankMapping('ltr-2'), [ranking]).models).toEqual(['ltr-2']);
  });
});
