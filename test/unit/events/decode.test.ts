import { describe, expect, it } from 'vitest';
import {
  ExposureColumns,
  type IdTable,
  InteractionColumns,
  RANDOMIZED,
  SHOWN,
} from '../../../src/events/columns.js';
import { Decoder, type DecoderOptions } from '../../../src/events/decode.js';
import { FAULT_REASONS } from '../../../src/events/fault.js';
import type { EventRole } from '../../../src/events/parse.js';
import { READINGS } from '../../../src/events/readings.js';
import { SegmentValues } from '../../../src/events/segment-table.js';

const NOW = Date.UTC(2025, 5, 1);

/** An id table that shows what it was given. */
class Names implements IdTable {
  readonly names: string[] = [];

  intern(bytes: Uint8Array, start: number, end: number): number {
    const name = new TextDecoder().decode(bytes.subarray(start, end));
    if (!this.names.includes(name)) this.names.push(name);
    return this.names.indexOf(name);
  }
}

function setUp(options: Partial<DecoderOptions> = {}) {
  const decoder = new Decoder({ maxFutureMs: 60_000, ...options });
  const tables = { users: new Names(), items: new Names(), models: new Names() };
  const batch = { interactions: new InteractionColumns(1), exposures: new ExposureColumns(1, 2) };
  const decode = (event: unknown, role: EventRole = 'mixed') => {
    const isBytes = event instanceof Uint8Array;
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    const bytes = isBytes ? event : new TextEncoder().encode(text);
    const code = decoder.decode(bytes, 0, bytes.length, role, NOW, tables, batch);
    return FAULT_REASONS[code];
  };
  return { decoder, tables, decode, ...batch };
}

const INTERACTION = { type: 'interaction', id: 'i1', ts: NOW, user: 'u1', item: 'a' };
const EXPOSURE = { type: 'exposure', id: 'e1', ts: NOW, user: 'u1', model: 'm', items: ['a', 'b'] };

describe('an accepted interaction', () => {
  it('fills one row, with value 1 and no flags by default', () => {
    const { decode, interactions, tables, decoder } = setUp();
    expect(decode(INTERACTION)).toBe('accepted');
    expect(interactions.length).toBe(1);
    expect(interactions.ts[0]).toBe(NOW);
    expect(interactions.value[0]).toBe(1);
    expect(interactions.flags[0]).toBe(0);
    expect([tables.users.names, tables.items.names]).toEqual([['u1'], ['a']]);
    expect([decoder.kind, decoder.eventId]).toEqual(['interaction', 'i1']);
  });

  it('is the same row whether its text is plain or escaped', () => {
    const { decode, interactions, tables } = setUp();
    decode('{"type":"interaction","id":"i1","ts":5,"user":"é","item":"a","value":2.5}');
    decode(
      '{"type":"interaction","\\u0069d":"i\\u0031","ts":5,"user":"\\u00e9","item":"a","value":25e-1}',
    );
    expect(tables.users.names).toEqual(['é']);
    expect(interactions.idHigh[1]).toBe(interactions.idHigh[0]);
    expect(interactions.idLow[1]).toBe(interactions.idLow[0]);
    expect(interactions.value[1]).toBe(2.5);
  });
});

describe('an accepted exposure', () => {
  it('fills one row with its list, shown and without candidates by default', () => {
    const { decode, exposures, tables, decoder } = setUp();
    expect(decode(EXPOSURE)).toBe('accepted');
    expect(decode({ ...EXPOSURE, items: ['b', 'c', 'a'], shown: false })).toBe('accepted');
    expect([...exposures.listStart.subarray(0, 3)]).toEqual([0, 2, 5]);
    expect([...exposures.items.subarray(0, 5)]).toEqual([0, 1, 1, 2, 0]);
    expect([...exposures.flags.subarray(0, 2)]).toEqual([SHOWN, 0]);
    expect(exposures.candidates[0]).toBe(-1);
    expect(tables.models.names).toEqual(['m']);
    expect(decoder.kind).toBe('exposure');
  });

  it('may give booleans as 1 and 0', () => {
    const { decode, exposures } = setUp();
    expect(decode({ ...EXPOSURE, shown: 0, randomized: 1 })).toBe('accepted');
    expect(decode({ ...EXPOSURE, shown: 1, randomized: 0 })).toBe('accepted');
    expect([...exposures.flags.subarray(0, 2)]).toEqual([RANDOMIZED, SHOWN]);
  });

  it('may have ten thousand items', () => {
    const { decode, exposures } = setUp();
    const items = Array.from({ length: 10_000 }, (_, i) => `item ${i}`);
    expect(decode({ ...EXPOSURE, items })).toBe('accepted');
    expect(exposures.listStart[1]).toBe(10_000);
    expect(decode({ ...EXPOSURE, items: [...items.slice(1), 'item 9999'] })).toBe('accepted');
    expect(exposures.listStart[2]! - exposures.listStart[1]!).toBe(9999);
  });

  it('may have no items', () => {
    const { decode, exposures } = setUp();
    expect(decode({ ...EXPOSURE, items: [] })).toBe('accepted');
    expect([...exposures.listStart.subarray(0, 2)]).toEqual([0, 0]);
  });

  it('keeps the first position of a repeated item, with its propensity', () => {
    const { decode, exposures, decoder } = setUp();
    const items = ['a', 'b', 'a', 'c', 'b'];
    const propensities = [0.5, 0.25, 0.9, 0.125, 0.9];
    expect(decode({ ...EXPOSURE, items, propensities })).toBe('accepted');
    expect(exposures.listStart[1]).toBe(3);
    expect([...exposures.propensities.subarray(0, 3)]).toEqual([0.5, 0.25, 0.125]);
    expect(decoder.readings.counts[READINGS.indexOf('repeated_item')]).toBe(1);
  });

  it('may have a propensity slightly above 1, which is set to 1', () => {
    const { decode, exposures } = setUp();
    expect(decode({ ...EXPOSURE, propensities: [1.0000001, 0.5] })).toBe('accepted');
    expect(exposures.propensities[0]).toBe(1);
  });
});

describe('ids and times in common forms', () => {
  it('include whole numbers as ids, but no fractions', () => {
    const { decode } = setUp();
    expect(decode({ ...INTERACTION, user: 5, item: 7, exposure: 900002 })).toBe('accepted');
    expect(decode({ ...INTERACTION, user: 5.5 })).toBe('wrong_type');
  });

  it('include seconds, times with a space, and times without a zone as UTC', () => {
    const { decode, interactions, decoder } = setUp();
    const times = [
      1735689601,
      1735689601.25,
      '1735689601',
      '2025-01-01 00:00:01+00:00',
      '2025-01-01 02:00:01.250+02',
      '2025-01-01 00:00:01 UTC',
      '2025-01-01T00:00:01',
      '2025-01-01',
    ];
    for (const ts of times) expect(decode({ ...INTERACTION, ts })).toBe('accepted');
    const first = 1735689601000;
    expect([...interactions.ts.subarray(0, times.length)]).toEqual([
      first,
      first + 250,
      first,
      first,
      first + 250,
      first,
      first,
      first - 1000,
    ]);
    const { counts } = decoder.readings;
    expect(counts[READINGS.indexOf('seconds')]).toBe(3);
    expect(counts[READINGS.indexOf('no_zone')]).toBe(2);
  });

  it.each(['soon', '2025-02-30 00:00:00', '2025-01-01 25:00:00', '01/02/2025', '2025-1-1'])(
    'do not include the time %j',
    (ts) => {
      expect(setUp().decode({ ...INTERACTION, ts })).toBe('bad_timestamp');
    },
  );
});

describe('an event with segments', () => {
  const tables = () => [new SegmentValues(), new SegmentValues()];
  const decodeAll = (...events: object[]) => {
    const decoder = new Decoder({ maxFutureMs: 60_000, segments: ['country', 'device'] });
    const batch = { interactions: new InteractionColumns(1), exposures: new ExposureColumns(1, 2) };
    const ids = { users: new Names(), items: new Names(), models: new Names() };
    const segments = tables();
    for (const event of events) {
      const bytes = new TextEncoder().encode(JSON.stringify(event));
      expect(
        decoder.decode(bytes, 0, bytes.length, 'mixed', NOW, { ...ids, segments }, batch),
      ).toBe(0);
    }
    const said = ({ segments: { codes } }: InteractionColumns | ExposureColumns) =>
      Array.from(codes, (code, n) => segments[n % 2]!.names[code]!);
    return { interactions: said(batch.interactions), exposures: said(batch.exposures) };
  };

  it('has a value for each configured dimension, and none without text', () => {
    const { interactions, exposures } = decodeAll(
      { ...INTERACTION, segments: { device: 'tv', other: { a: 1 }, country: 'de' } },
      { ...INTERACTION, id: 'i2', segments: { country: '', device: null } },
      { ...INTERACTION, id: 'i3' },
      { ...INTERACTION, id: 'i4', segments: { country: 'f\u0072', device: 'tv' } },
      { ...EXPOSURE, segments: { country: 'fr' } },
    );
    expect(interactions).toEqual(['de', 'tv', '', '', '', '', 'fr', 'tv']);
    expect(exposures.slice(0, 2)).toEqual(['fr', '']);
  });

  it('is read by a mapping, with numbers and booleans as text', () => {
    const mapping = {
      interaction: {
        id: '/id',
        ts: '/ts',
        user: '/user',
        item: '/item',
        segments: { country: ['/geo', '/land'], device: { path: '/mobile', default: 'web' } },
      },
    };
    const decoder = new Decoder({ maxFutureMs: 0, segments: ['country', 'device'], mapping });
    const batch = { interactions: new InteractionColumns(1), exposures: new ExposureColumns(1, 2) };
    const ids = { users: new Names(), items: new Names(), models: new Names() };
    const segments = tables();
    const { type: _, ...event } = INTERACTION;
    for (const more of [{ land: 7, mobile: true }, { geo: 'de' }, { geo: ['de'] }]) {
      const bytes = new TextEncoder().encode(JSON.stringify({ ...event, ...more }));
      decoder.decode(bytes, 0, bytes.length, 'interactions', NOW, { ...ids, segments }, batch);
    }
    expect(decoder.detail).toBe(
      'segments/country (from /geo or /land): expected a text of at most 64 bytes, found a list',
    );
    expect(batch.interactions.length).toBe(2);
    expect(segments.map(({ names }) => names.slice(2))).toEqual([
      ['7', 'de'],
      ['true', 'web'],
    ]);
  });
});

describe('a rejected event', () => {
  const long = 'é'.repeat(256);
  const cases: [reason: string, event: unknown, detail: RegExp][] = [
    ['not_json', '', /empty/],
    ['not_json', '  \r\n', /empty/],
    ['not_json', '{"type":"interaction","value":NaN}', /^(it is not|invalid) JSON/],
    ['not_json', '{"type":"interaction"', /./],
    ['not_json', '\ufeff{}', /byte order mark/],
    ['not_json', `${JSON.stringify(INTERACTION)}{}`, /^(it is not|invalid) JSON/],
    ['invalid_utf8', Uint8Array.of(0x22, 0xff, 0x22), /UTF-8/],
    ['invalid_utf8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), /UTF-8/],
    ['not_an_object', 'null', /found null/],
    ['not_an_object', '[]', /found a list/],
    ['not_an_object', '5', /found 5/],
    ['unknown_type', { ...INTERACTION, type: 'click' }, /^type: .* found the string "click"$/],
    ['missing_field', { ...INTERACTION, id: undefined }, /^id: missing/],
    ['missing_field', { ...INTERACTION, ts: undefined }, /^ts: missing/],
    ['missing_field', { ...INTERACTION, user: undefined }, /^user: missing/],
    ['missing_field', { ...INTERACTION, item: undefined }, /^item: missing/],
    ['missing_field', { ...EXPOSURE, model: undefined }, /^model: missing/],
    ['missing_field', { ...EXPOSURE, items: undefined }, /^items: missing/],
    [
      'wrong_type',
      { ...INTERACTION, user: 5.5 },
      /^user: expected text or a whole number, found 5.5$/,
    ],
    ['wrong_type', { ...INTERACTION, item: ['a'] }, /^item: .* found a list$/],
    ['wrong_type', { ...INTERACTION, ts: true }, /^ts: .* found true$/],
    ['wrong_type', { ...INTERACTION, action: 1 }, /^action: expected a string/],
    [
      'wrong_type',
      { ...INTERACTION, value: '1' },
      /^value: expected a number, found the string "1"/,
    ],
    ['wrong_type', { ...INTERACTION, randomized: 2 }, /^randomized: expected true or false/],
    ['wrong_type', { ...INTERACTION, exposure: {} }, /^exposure: .* found an object$/],
    ['wrong_type', { ...EXPOSURE, items: 'a' }, /^items: /],
    ['wrong_type', { ...EXPOSURE, items: ['a', 2.5] }, /^items\/1: /],
    ['wrong_type', { ...EXPOSURE, items: ['a', null] }, /^items\/1: /],
    ['wrong_type', { ...EXPOSURE, shown: 'yes' }, /^shown: /],
    ['wrong_type', { ...EXPOSURE, scores: [1, '2'] }, /^scores\/1: /],
    ['wrong_type', { ...EXPOSURE, propensities: {} }, /^propensities: /],
    ['wrong_type', { ...EXPOSURE, candidates: '9' }, /^candidates: /],
    [
      'not_a_number',
      '{"type":"interaction","id":"i","ts":1,"user":"u","item":"a","value":1e999}',
      /value/,
    ],
    ['not_a_number', '{"type":"interaction","id":"i","ts":-1e999,"user":"u","item":"a"}', /^ts: /],
    ['bad_timestamp', { ...INTERACTION, ts: 1.5 }, /^ts: .* found 1.5$/],
    ['bad_timestamp', { ...INTERACTION, ts: 8.64e15 + 2 }, /^ts: /],
    ['bad_timestamp', { ...INTERACTION, ts: -8.64e15 - 2 }, /^ts: /],
    ['bad_timestamp', { ...INTERACTION, ts: '' }, /^ts: /],
    ['future_timestamp', { ...INTERACTION, ts: NOW + 60_001 }, /^ts: 2025-06-01T00:01:00.001Z/],
    ['future_timestamp', { ...INTERACTION, ts: '2099-01-01T00:00:00Z' }, /^ts: 2099/],
    ['id_empty', { ...INTERACTION, id: '' }, /^id: /],
    ['id_empty', { ...INTERACTION, exposure: '' }, /^exposure: /],
    ['id_empty', { ...EXPOSURE, items: ['a', ''] }, /^items\/1: /],
    ['id_too_long', { ...INTERACTION, user: `${long}x` }, /^user: expected at most 512 bytes/],
    ['id_too_long', { ...INTERACTION, user: 'x'.repeat(900_000) }, /^user: /],
    ['ill_formed_id', { ...INTERACTION, user: 'a\ud800' }, /^user: unpaired UTF-16 surrogate/],
    ['ill_formed_id', { ...EXPOSURE, items: ['a', '\udfff'] }, /^items\/1: /],
    ['list_too_long', { ...EXPOSURE, items: Array(10_001).fill('a') }, /found 10001/],
    ['length_mismatch', { ...EXPOSURE, scores: [1] }, /^scores: expected 2 numbers.* found 1$/],
    ['length_mismatch', { ...EXPOSURE, propensities: [1, 1, 1] }, /^propensities: /],
    ['out_of_range', { ...EXPOSURE, propensities: [0.5, 0] }, /^propensities\/1: .* found 0$/],
    ['out_of_range', { ...EXPOSURE, propensities: [1.0001, 1] }, /^propensities\/0: /],
    ['out_of_range', { ...EXPOSURE, propensities: [-0.1, 1] }, /^propensities\/0: /],
    ['out_of_range', { ...EXPOSURE, candidates: 1 }, /^candidates: .* at least 2/],
    ['out_of_range', { ...EXPOSURE, candidates: 2.5 }, /^candidates: /],
    ['out_of_range', { ...EXPOSURE, candidates: -5 }, /^candidates: /],
    ['wrong_type', { ...EXPOSURE, firstRank: '1' }, /^firstRank: expected a number/],
    ['out_of_range', { ...EXPOSURE, firstRank: -1 }, /^firstRank: .* from 0 to 9998, found -1$/],
    ['out_of_range', { ...EXPOSURE, firstRank: 0.5 }, /^firstRank: /],
    ['out_of_range', { ...EXPOSURE, firstRank: 9999 }, /^firstRank: .* found 9999$/],
    [
      'wrong_type',
      { ...EXPOSURE, request: 7.5 },
      /^request: expected text or a whole number.* 7.5$/,
    ],
    ['id_empty', { ...EXPOSURE, request: '' }, /^request: /],
    ['id_too_long', { ...EXPOSURE, request: 'x'.repeat(513) }, /^request: /],
    ['wrong_type', { ...EXPOSURE, share: '0.5' }, /^share: expected a number/],
    ['out_of_range', { ...EXPOSURE, share: -0.01 }, /^share: .* from 0 to 1, found -0.01$/],
    ['out_of_range', { ...EXPOSURE, share: 1.01 }, /^share: /],
    ['out_of_range', { ...EXPOSURE, depth: 0 }, /^depth: .* from 1 to 10000, found 0$/],
    ['out_of_range', { ...EXPOSURE, depth: 2.5 }, /^depth: /],
    ['out_of_range', { ...EXPOSURE, depth: 10_001 }, /^depth: /],
    ['bad_segment', { ...EXPOSURE, segments: 'de' }, /^segments: expected an object of texts/],
    ['bad_segment', { ...EXPOSURE, segments: { device: 1 } }, /^segments\/device: .*found 1$/],
    ['bad_segment', { ...EXPOSURE, segments: { device: 'x'.repeat(65) } }, /at most 64 bytes/],
    ['wrong_type', { ...EXPOSURE, propensityOf: 1 }, /^propensityOf: .*slot, conditional, item/],
    ['out_of_range', { ...EXPOSURE, propensityOf: 'list' }, /^propensityOf: .* string "list"$/],
  ];

  it.each(cases.map(([reason, event, detail], i) => ({ case: i, reason, event, detail })))(
    'is $reason (case $case: $detail)',
    ({ reason, event, detail }) => {
      const { decode, decoder, tables, interactions, exposures } = setUp({ segments: ['device'] });
      expect(decode(event)).toBe(reason);
      expect(decoder.detail).toMatch(detail);
      expect(decoder.detail.length).toBeLessThanOrEqual(300);
      const interned = [...tables.users.names, ...tables.items.names, ...tables.models.names];
      expect([interned, interactions.length, exposures.length]).toEqual([[], 0, 0]);
    },
  );
});
