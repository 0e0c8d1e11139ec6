import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventDraft } from '../../src/events/draft.js';
import {
  ACTION,
  EXPOSURE,
  FIELDS,
  ID,
  ITEM,
  MODEL,
  REQUEST_FIELD,
  USER,
} from '../../src/events/field.js';
import { EventParser, type EventRole } from '../../src/events/parse.js';
import { EventScanner } from '../../src/events/scan.js';
import { repetitions } from '../support/repetitions.js';

const LATEST_TS = 2_000_000_000_000;
const utf8 = new TextEncoder();

/** What a draft says of its event, written out. */
function described(draft: EventDraft): unknown {
  const text = (from: number, to: number) =>
    Array.from(draft.text.bytes.subarray(from, to))
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
  const field = (code: number) => text(draft.start[code], draft.end[code]);
  const segments = draft.dimensions.map((_, d) => text(draft.segmentStart[d], draft.segmentEnd[d]));
  const whose = { id: field(ID), ts: draft.ts, user: field(USER), isExposure: draft.isExposure };
  const both = { ...whose, received: draft.received, segments };
  if (!draft.isExposure) {
    const named = draft.end[EXPOSURE] < 0 ? null : field(EXPOSURE);
    const isRandomized = (draft.flags & 1) !== 0;
    const action = draft.end[ACTION] < 0 ? null : field(ACTION);
    return { ...both, item: field(ITEM), value: draft.value, action, named, isRandomized };
  }
  const items = Array.from({ length: draft.itemCount }, (_, i) =>
    text(draft.itemStart[i], draft.itemEnd[i]),
  );
  const { candidates, flags, share, depth, firstRank, propensityOf } = draft;
  const request = draft.end[REQUEST_FIELD] < 0 ? null : field(REQUEST_FIELD);
  const ofRequest = { request, share, depth, firstRank, propensityOf };
  const propensities = [...draft.propensity.subarray(0, draft.propensityCount)];
  return { ...both, model: field(MODEL), items, candidates, flags, propensities, ofRequest };
}

const scannerDraft = new EventDraft();
scannerDraft.wantSegments(['country', 'device']);
const scanner = new EventScanner(scannerDraft);
const parserDraft = new EventDraft();
parserDraft.wantSegments(['country', 'device']);
const parser = new EventParser(parserDraft);

/** Runs both ways over the same bytes; @returns whether the scanner took the event. */
function bothAgree(bytes: Uint8Array, role: EventRole): boolean {
  // Not at the start of the buffer, and with bytes after the end that must not be read.
  const framed = new Uint8Array(bytes.length + 9);
  framed.fill(0x22);
  framed.set(bytes, 5);
  const end = 5 + bytes.length;
  if (!scanner.scan(framed, 5, end, role, LATEST_TS)) return false;
  const code = parser.parse(framed, 5, end, role, LATEST_TS);
  expect({ code, detail: code === 0 ? '' : parser.detail }).toEqual({ code: 0, detail: '' });
  expect(described(scannerDraft)).toEqual(described(parserDraft));
  return true;
}

const role = fc.constantFrom<EventRole>('exposures', 'interactions', 'mixed');
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', 'é'.repeat(256), 'é'.repeat(257)),
  fc.constantFrom('x'.repeat(512), 'x'.repeat(513), '\ud800', 'a"b', 'a\\b', '\u2028', '\0'),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1, 0.1, 1e300, 5e-324, 8.64e15, 8.64e15 + 2, 123456789.123456),
);
const ts = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_001 }),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  number,
  text,
);
const anything = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(text, number), { maxLength: 4 }),
  fc.dictionary(text, number, { maxKeys: 2 }),
);
const list = fc.array(text, { maxLength: 6 });
const probability = fc.oneof(fc.double({ min: 0, max: 1 }), fc.constantFrom(1, 0, 0.5, 1.0000001));
const likely: Record<string, fc.Arbitrary<unknown>> = {
  type: fc.constantFrom('exposure', 'interaction', 'exposures', null),
  id: text,
  ts,
  user: text,
  item: text,
  model: text,
  exposure: fc.option(text),
  action: text,
  value: number,
  randomized: fc.option(fc.boolean()),
  shown: fc.option(fc.boolean()),
  sampled: fc.boolean(),
  candidates: fc.oneof(fc.integer({ min: -1, max: 20 }), number),
  firstRank: fc.oneof(fc.integer({ min: -1, max: 10_001 }), number),
  request: fc.option(text),
  share: fc.oneof(probability, number),
  depth: fc.oneof(fc.integer({ min: -1, max: 10_001 }), number),
  propensityOf: fc.constantFrom('slot', 'conditional', 'item', 'items', '', null, 1),
  items: list,
  scores: fc.array(number, { maxLength: 6 }),
  propensities: fc.array(probability, { maxLength: 6 }),
  segments: fc.dictionary(
    fc.constantFrom('country', 'device', 'tenure', '__proto__'),
    fc.oneof(
      { weight: 5, arbitrary: text },
      fc.constantFrom<unknown>(null, 1, true, [], { device: 'x' }, 'x'.repeat(64), 'x'.repeat(65)),
    ),
  ),
  received: fc.option(ts),
  context: anything,
  ['__proto__']: anything,
};
const field = fc
  .constantFrom(...Object.keys(likely))
  .chain((name) =>
    fc.tuple(fc.constant(name), fc.oneof({ weight: 9, arbitrary: likely[name] }, anything)),
  );

/** A sound event of either type, its optional fields there or not. */
const plain = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((id) => !/["\\]/.test(id));
const sound = fc
  .record({
    id: plain,
    ts: fc.oneof(
      fc.integer({ min: -999_999_999_999_999, max: LATEST_TS }),
      fc
        .date({ noInvalidDate: true, max: new Date(LATEST_TS), min: new Date(0) })
        .map((d) => d.toISOString()),
    ),
    user: plain,
    list: fc.uniqueArray(plain, { minLength: 1, maxLength: 40 }),
    decimals: fc.array(fc.integer({ min: 1, max: 999_999 }), { minLength: 40, maxLength: 40 }),
    optional: fc.subarray([
      'type',
      'action',
      'value',
      'exposure',
      'randomized',
      'shown',
      'candidates',
      'scores',
      'propensities',
      'sampled',
      'firstRank',
      'request',
      'share',
      'depth',
      'propensityOf',
      'segments',
      'extra',
    ]),
    isExposure: fc.boolean(),
  })
  .map(({ id, ts, user, list, decimals, optional, isExposure }) => {
    const scores = list.map((_, i) => decimals[i] / 1000);
    const propensities = list.map((_, i) => decimals[i] / 1e6);
    const all: Record<string, unknown> = {
      type: isExposure ? 'exposure' : 'interaction',
      id,
      ts,
      user,
      ...(isExposure ? { model: id, items: list } : { item: list[0] }),
      action: 'view',
      value: decimals[0] / 100,
      exposure: list[0],
      randomized: decimals[1] % 2 === 0,
      shown: decimals[2] % 2 === 0,
      sampled: decimals[3] % 2 === 0,
      candidates: list.length + decimals[4],
      firstRank: decimals[5] % (10_001 - list.length),
      request: id,
      share: decimals[6] / 1e6,
      depth: 1 + (decimals[7] % 10_000),
      propensityOf: (['slot', 'conditional', 'item'] as const)[decimals[8] % 3],
      segments: { country: 'de', other: [1], device: decimals[9] % 2 === 0 ? null : 'é' },
      extra: decimals[5] % 2 === 0 ? 'ü' : -0.5,
      ...(isExposure ? { scores, propensities } : {}),
    };
    const skipped = [
      'type',
      'action',
      'value',
      'exposure',
      'randomized',
      'shown',
      'candidates',
      'scores',
      'propensities',
      'sampled',
      'firstRank',
      'request',
      'share',
      'depth',
      'propensityOf',
      'extra',
    ].filter((name) => !optional.includes(name));
    for (const name of skipped) delete all[name];
    const role: EventRole = 'type' in all ? 'mixed' : isExposure ? 'exposures' : 'interactions';
    return { event: all, role };
  });

describe('the scanner and the parser', () => {
  it('agree on events with likely and unlikely fields in any order, repeated or not', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 14 }), role, (fields, role) => {
        const body = fields.map(
          ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
        );
        bothAgree(utf8.encode(`{${body.join(',')}}`), role);
      }),
      { numRuns: repetitions(600, 3000) },
    );
  });

  it('agree on valid events in plain form, all of which the scanner accepts', () => {
    fc.assert(
      fc.property(sound, fc.constantFrom('', ' ', '\r\n\t'), ({ event, role }, space) => {
        const body = Object.entries(event).map(
          ([name, value]) => `${space}"${name}"${space}:${space}${JSON.stringify(value)}${space}`,
        );
        const bytes = utf8.encode(`${space}{${body.join(',')}}${space}`);
        expect(bothAgree(bytes, role)).toBe(true);
      }),
      { numRuns: repetitions(200, 1000) },
    );
  });

  it('agree on valid events after bytes were changed, cut or doubled', () => {
    const edit = fc.record({
      kind: fc.constantFrom('set', 'cut', 'double', 'truncate'),
      at: fc.nat(400),
      length: fc.integer({ min: 1, max: 20 }),
      byte: fc.oneof(
        fc.integer({ min: 0, max: 255 }),
        fc.constantFrom(...utf8.encode('"\\{}[],:0-.eEnt')),
      ),
    });
    let taken = 0;
    fc.assert(
      fc.property(
        sound,
        role,
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        (given, role, edits) => {
          let bytes = Array.from(utf8.encode(JSON.stringify(given.event)));
          for (const { kind, at, length, byte } of edits) {
            const place = at % (bytes.length + 1);
            if (kind === 'set' && place < bytes.length) bytes[place] = byte;
            if (kind === 'cut') bytes.splice(place, length);
            if (kind === 'double') bytes.splice(place, 0, ...bytes.slice(place, place + length));
            if (kind === 'truncate') bytes = bytes.slice(0, bytes.length - length);
          }
          if (bothAgree(Uint8Array.from(bytes), role)) taken++;
        },
      ),
      { numRuns: repetitions(1000, 5000) },
    );
    expect(taken).toBeGreaterThan(repetitions(10, 50));
  });

  it('agree on valid events with a repeated field', () => {
    fc.assert(
      fc.property(sound, sound, fc.nat(), fc.boolean(), ({ event, role }, other, pick, isNull) => {
        const again = Object.entries(other.event);
        const [name, value] = again[pick % again.length];
        const fields = [...Object.entries(event), [name, isNull ? null : value]];
        const body = fields.map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
        bothAgree(utf8.encode(`{${body.join(',')}}`), role);
      }),
      { numRuns: repetitions(400, 2000) },
    );
  });

  it('agree on nested values of unused fields, also if damaged', () => {
    const edit = fc.record({
      at: fc.nat(200),
      byte: fc.constantFrom(...utf8.encode('"{}[],: 0-.ntf')),
    });
    let taken = 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.option(edit), (value, edit) => {
        const nested = utf8.encode(JSON.stringify(value));
        if (edit !== null) nested[edit.at % nested.length] = edit.byte;
        const before = utf8.encode('{"id":"i","ts":1,"context":');
        const after = utf8.encode(',"user":"u","item":"a"}');
        const isTaken = bothAgree(
          Uint8Array.from([...before, ...nested, ...after]),
          'interactions',
        );
        if (isTaken) taken++;
      }),
      { numRuns: repetitions(1000, 5000) },
    );
    expect(taken).toBeGreaterThan(repetitions(100, 500));
  });

  it('agree on nesting around the depth limit of the scanner', () => {
    for (let depth = 1; depth < 40; depth++) {
      const nested = `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`;
      const bytes = utf8.encode(`{"id":"i","ts":1,"context":${nested},"user":"u","item":"a"}`);
      expect(bothAgree(bytes, 'interactions')).toBe(depth <= 8);
    }
  });

  it('agree on numbers in every spelling', () => {
    const digits = (max: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: max });
    const spelling = fc
      .tuple(
        fc.constantFrom('', '-', '+'),
        digits(20),
        fc.constantFrom('', '.'),
        digits(20),
        fc.constantFrom('', 'e', 'E+', 'e-'),
        digits(3),
      )
      .map((parts) => parts.join(''));
    const place = fc.constantFrom(
      'value',
      'ts',
      'candidates',
      'share',
      'other',
      'scores',
      'propensities',
    );
    let taken = 0;
    fc.assert(
      fc.property(spelling, place, (spelled, place) => {
        const isList = place === 'scores' || place === 'propensities';
        const value = isList ? `[${spelled}]` : spelled;
        const ts = place === 'ts' ? '' : '"ts":1,';
        const kind = place === 'value' ? '"item":"a"' : '"model":"m","items":["a"],"item":"a"';
        const bytes = utf8.encode(`{"id":"i",${ts}"user":"u",${kind},"${place}":${value}}`);
        if (bothAgree(bytes, place === 'value' ? 'interactions' : 'exposures')) taken++;
      }),
      { numRuns: repetitions(1000, 5000) },
    );
    expect(taken).toBeGreaterThan(repetitions(10, 50));
  });

  it('agree on the numbers of a list around their limits', () => {
    const numbers = [-1, 0, 0.5, 1, 1.5, 2, 9_998, 9_999, 10_000, 10_001];
    const taken = ['share', 'depth', 'firstRank', 'candidates'].map((name) => {
      const isTaken = (value: number) => {
        const event = { id: 'e', ts: 1, user: 'u', model: 'm', items: ['a', 'b'], [name]: value };
        return bothAgree(utf8.encode(JSON.stringify(event)), 'exposures');
      };
      return [name, numbers.filter(isTaken)];
    });
    expect(Object.fromEntries(taken)).toEqual({
      share: [0, 0.5, 1],
      depth: [1, 2, 9_998, 9_999, 10_000],
      firstRank: [0, 1, 2, 9_998],
      candidates: [2, 9_998, 9_999, 10_000, 10_001],
    });
  });

  it('agree on every pair of bytes inside an id', () => {
    const bytes = utf8.encode('{"id":"a__b","ts":1,"user":"u","item":"i"}');
    const differing: string[] = [];
    for (let first = 0; first < 256; first++) {
      for (let second = 0; second < 256; second++) {
        bytes[8] = first;
        bytes[9] = second;
        const isTaken = scanner.scan(bytes, 0, bytes.length, 'interactions', LATEST_TS);
        const isSound = parser.parse(bytes, 0, bytes.length, 'interactions', LATEST_TS) === 0;
        const isEscape = first === 0x5c || second === 0x5c;
        if (!isEscape && isTaken !== isSound) differing.push(`${first} ${second}`);
      }
    }
    expect(differing).toEqual([]);
  });

  it('know the same fields', () => {
    const names = Object.keys(likely).filter((name) => name !== 'context' && name !== '__proto__');
    expect([...FIELDS].sort()).toEqual(names.sort());
  });
});
