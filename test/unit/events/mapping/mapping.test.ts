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
import { parsePointer, resolvePointer } from '../../../../src/events/mapping/pointer.js';
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

describe('a JSON Pointer', () => {
  // The document and the pointers are those of RFC 6901, section 5.
  const document = JSON.parse(
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
  );
  it.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/foo/2', undefined],
    ['/foo/01', undefined],
    ['/foo/-', undefined],
    ['/foo/length', undefined],
    ['/foo/0/0', undefined],
    ['/toString', undefined],
    ['/__proto__', undefined],
    ['/none/of', undefined],
  ])('%j leads where the RFC says', (pointer, expected) => {
    const tokens = parsePointer(pointer);
    expect(tokens).not.toBeNull();
    expect(resolvePointer(document, tokens ?? [])).toEqual(expected);
  });

  it('turns ~01 into ~1, not into a slash', () => {
    expect(parsePointer('/~01')).toEqual(['~1']);
  });

  it.each(['foo', '#/foo', '/~', '/~2', 'a/b'])('is none: %j', (pointer) => {
    expect(parsePointer(pointer)).toBeNull();
  });
});

describe('a mapping', () => {
  it('takes fields from inside of objects and lists', () => {
    const { outcomes, users, items, interactions } = decodeAll(INTERACTION, [event]);
    expect(outcomes).toEqual(['accepted']);
    expect([users, items, interactions.ts[0]]).toEqual([['u'], ['a'], 5]);
  });

  it('takes the first pointer that leads to something', () => {
    const mapping: Mapping = {
      interaction: { id: '/id', ts: '/ts', user: ['/user', '/session'], item: '/item' },
    };
    const base = { id: '1', ts: 1, item: 'a' };
    const { users } = decodeAll(mapping, [
      { ...base, user: 'u', session: 's' },
      { ...base, session: 's' },
      { ...base, user: null, session: 's' },
    ]);
    expect(users).toEqual(['u', 's', 's']);
  });

  it('takes integers for ids, and no other numbers', () => {
    const { outcomes, users } = decodeAll(INTERACTION, [
      { ...event, who: { id: 42 } },
      { ...event, who: { id: 4.5 } },
      { ...event, who: { id: 2 ** 60 } },
    ]);
    expect(users).toEqual(['42']);
    expect(outcomes[1]).toBe(
      'wrong_type: user (from /who/id): expected a non-empty string, found 4.5',
    );
    expect(outcomes[2]).toMatch(/^wrong_type: user/);
  });

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

  it('refuses a number where times are text', () => {
    const { outcomes } = decodeAll({ ...INTERACTION, tsUnit: 'iso' }, [event]);
    expect(outcomes[0]).toMatch(/^bad_timestamp: ts \(from \/at\)/);
  });

  it('makes lists from objects, and constants', () => {
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

  it('goes by the topic where it does not tell the kind', () => {
    const both: Mapping = {
      ...INTERACTION,
      exposure: { id: '/uuid', ts: '/at', user: '/who/id', model: '/m', items: '/what' },
    };
    const withModel = { ...event, m: 'm' };
    expect(decodeAll(both, [withModel], 'exposures').exposures.length).toBe(1);
    expect(decodeAll(both, [withModel], 'interactions').interactions.length).toBe(1);
    expect(decodeAll(both, [withModel], 'mixed').outcomes[0]).toMatch(/^unknown_type: kind/);
    expect(decodeAll(INTERACTION, [withModel], 'exposures').outcomes[0]).toMatch(/^unknown_type/);
  });
});

describe('compileMapping', () => {
  const valid = INTERACTION.interaction;
  it.each<[string, unknown]>([
    ['mapping: expected exposure, interaction or impression', {}],
    [
      'mapping.extra: unknown; known here: kind, tsUnit, exposure, interaction, impression',
      { extra: 1 },
    ],
    ['mapping: expected an object, found null', null],
    [
      'mapping.tsUnit: expected one of ms, s, us, iso, found the string "ns"',
      { interaction: valid, tsUnit: 'ns' },
    ],
    ['mapping.interaction.user: missing', { interaction: { id: '/a', ts: '/b', item: '/c' } }],
    [
      'mapping.interaction.model: unknown; known here: id, ts, user, item, action, value, exposure, randomized, segments',
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
      'mapping.interaction.user: path and each are for lists, and user is none',
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
  ])('says: %s', (message, mapping) => {
    const compile = () => compileMapping(mapping as Mapping);
    expect(compile).toThrow(UnskewError);
    expect(compile).toThrow(new UnskewError('USAGE', message));
  });

  it('calls the mapping what it is called where it stands', () => {
    expect(() => compileMapping({}, 'source.mapping')).toThrow(/^source\.mapping: /);
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

  it('takes rankings and interactions and passes metadata over', () => {
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

  it('takes the session for the user where there is none', () => {
    const { user: _, ...anonymous } = ranking;
    expect(decodeAll(METARANK, [anonymous]).users).toEqual(['session1']);
  });

  it('names the model as it is set', () => {
    expect(decodeAll(metarankMapping('ltr-2'), [ranking]).models).toEqual(['ltr-2']);
  });

  it('refuses other kinds, and kinds that the topic does not carry', () => {
    const other = { ...ranking, event: 'impression' };
    const known = '"ranking", "interaction", "item", "user"';
    expect(decodeAll(METARANK, [other]).outcomes).toEqual([
      `unknown_type: /event: expected one of ${known}, found the string "impression" in mixed events`,
    ]);
    expect(decodeAll(METARANK, [ranking], 'interactions').outcomes[0]).toMatch(/^unknown_type: /);
    expect(decodeAll(METARANK, [{ id: 1 }]).outcomes[0]).toMatch(/^unknown_type: .* found nothing/);
  });
});
