import { describe, expect, it } from 'vitest';
import { SchemaTable } from '../../../../src/events/formats/schema.js';
import { CLOUDEVENTS } from '../../../../src/events/mapping/cloudevents.js';
import { compileMapping } from '../../../../src/events/mapping/mapping.js';
import { AheadGate } from '../../../../src/stream/intake/ahead-gate.js';
import { progressRecord, sourceOfRecord } from '../../../../src/stream/intake/record-sources.js';
import { Shuffle } from '../../../../src/stream/intake/shuffle.js';
import type { SourceProgress } from '../../../../src/stream/panes/source-times.js';
import type { OutgoingRecord } from '../../../../src/stream/ports.js';
import { avroOf, framed } from '../../../support/formats/writers.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const READING = { maxEventBytes: 10_000, maxFutureMs: 0 } as const;
const NOW = 1_000_000;

const record = (offset: number, event: object | string, headers = {}, topic = 'clicks') => ({
  from: { topic, partition: 3, offset: `${offset}`, key: 'session', headers },
  value: bytes(typeof event === 'string' ? event : JSON.stringify(event)),
  ts: 0,
});

const clicks = () => new Shuffle([{ topic: 'clicks', events: 'interactions', ...READING }]);

describe('records of a topic with any key', () => {
  it('become canonical records keyed by user, with their source in the headers', () => {
    const event = { id: 'x', ts: 5000, user: 'u', item: 'a', colour: 'red' };
    const { records } = clicks().read('clicks', 3, [record(7, event)], () => NOW);
    expect(records.exposures).toEqual([]);
    const [{ key, value, headers }] = records.interactions as unknown as [OutgoingRecord];
    expect(key).toBe('u');
    expect(JSON.parse(value as string)).toEqual({
      type: 'interaction',
      id: 'x',
      ts: 5000,
      user: 'u',
      item: 'a',
    });
    expect(sourceOfRecord(headers, null)).toEqual({ source: 'clicks/3', newest: 5000 });
  });

  it('of a shared topic are routed by kind, with values from header and topic', () => {
    const shuffle = new Shuffle([
      {
        topic: 'home',
        events: 'mixed',
        ...READING,
        mapping: {
          kind: { path: '/e', values: { view: 'exposure', buy: 'interaction', ping: 'ignored' } },
          exposure: {
            ts: '/t',
            user: '/u',
            items: '/list',
            model: { header: 'model', default: 'unknown' },
          },
          interaction: {
            ts: '/t',
            user: '/u',
            item: '/i',
            exposure: { record: 'topic' },
            action: { path: '/e', map: { buy: 'purchase' }, default: 'click' },
          },
        },
      },
    ]);
    const { records, outcomes } = shuffle.read(
      'home',
      3,
      [
        record(1, { e: 'view', t: 1, u: 'u', list: ['a'] }, { model: 'm2' }, 'home'),
        record(2, { e: 'view', t: 1, u: 'u', list: ['a'] }, {}, 'home'),
        record(3, { e: 'buy', t: 1, u: 'u', i: 'a' }, {}, 'home'),
        record(4, { e: 'ping' }, {}, 'home'),
      ],
      () => NOW,
    );
    const parsed = records.exposures.map(({ value }) => JSON.parse(value as string));
    expect(parsed.map(({ model }) => model)).toEqual(['m2', 'unknown']);
    const [bought] = records.interactions;
    expect(JSON.parse(bought!.value as string)).toMatchObject({
      action: 'purchase',
      exposure: 'home',
    });
    expect(outcomes.get('ignored')).toBe(1);
  });
});

describe('CloudEvents of both kinds in one topic', () => {
  const read = (event: object, headers = {}) => {
    const mapping = CLOUDEVENTS;
    const shuffle = new Shuffle([{ topic: 'home', events: 'mixed', ...READING, mapping }]);
    const { records, outcomes } = shuffle.read(
      'home',
      3,
      [record(1, event, headers, 'home')],
      () => NOW,
    );
    const values = [...records.exposures, ...records.interactions].map(({ value }) => value);
    return { events: values.map((value) => JSON.parse(value as string)), outcomes };
  };
  const headers = (type: string) => ({
    ce_specversion: '1.0',
    ce_type: type,
    ce_id: 'e1',
    ce_time: '1970-01-01T00:00:05Z',
    ce_subject: 'ann',
  });
  const shown = { type: 'exposure', id: 'e1', ts: 5000, user: 'ann', model: 'm' };

  it('are told apart by a header in binary mode, despite a data field type', () => {
    const list = { model: 'm', items: ['a', 'b'], type: 'shelf' };
    expect(read(list, headers('unskew.exposure')).events).toMatchObject([
      { ...shown, items: ['a', 'b'] },
    ]);
    const click = { item: 'a', action: 'click', user: 'bob' };
    expect(read(click, headers('unskew.interaction')).events).toMatchObject([
      { type: 'interaction', id: 'e1', ts: 5000, user: 'bob', item: 'a', action: 'click' },
    ]);
    expect(read(click, headers('com.other')).outcomes.get('ignored')).toBe(1);
  });

  it('are read in structured mode too', () => {
    const { events } = read({
      specversion: '1.0',
      type: 'unskew.exposure',
      id: 'e1',
      time: '1970-01-01T00:00:05Z',
      subject: 'ann',
      data: { model: 'm', items: ['a'] },
    });
    expect(events).toMatchObject([{ ...shown, items: ['a'] }]);
  });
});

describe('the reported progress of sources', () => {
  it('is read back as written, and other records are not taken for it', () => {
    const progress: SourceProgress = {
      partitions: { clicks: 2 },
      newest: { 'clicks/0': 5 },
      emptyAt: { 'clicks/1': 7 },
    };
    const { headers, value } = progressRecord(progress);
    expect(sourceOfRecord(headers, bytes(value))).toEqual(progress);
    expect(sourceOfRecord(undefined, bytes('{}'))).toBeUndefined();
    expect(sourceOfRecord({ 'unskew-progress': '1' }, bytes('{}'))).toBeUndefined();
    expect(sourceOfRecord({ 'unskew-progress': '1' }, bytes('x'))).toBeUndefined();
    expect(sourceOfRecord({ 'unskew-source': 'a/0' }, null)).toBeUndefined();
  });
});

describe('records of one impression each', () => {
  const impression = {
    ts: '/t',
    user: '/u',
    item: '/sku',
    list: '/rid',
    place: '/pos',
    surface: '/shelf',
    model: { path: '/experiments', where: { '/name': 'ranker' }, at: '/variant', default: 'none' },
  } as const;
  const kind = { path: '/e', values: { seen: 'impression', click: 'interaction' } } as const;
  const interaction = { ts: '/t', user: '/u', item: '/sku' };
  const shuffle = () =>
    new Shuffle([
      { topic: 'home', events: 'mixed', ...READING, mapping: { kind, impression, interaction } },
    ]);
  const read = (...events: object[]) =>
    shuffle().read(
      'home',
      3,
      events.map((event, n) => record(n, event, {}, 'home')),
      () => NOW,
    );
  const seen = { e: 'seen', t: 5, u: 'u', sku: 17, rid: 'r1', pos: 2, shelf: 'top' };

  it('become parts with their offset as id and an experiment variant as model', () => {
    const other = { name: 'colour', variant: 'red' };
    const { records } = read(
      { ...seen, experiments: [other, { name: 'ranker', variant: 'B' }] },
      { ...seen, experiments: [other] },
      { ...seen, e: 'click' },
    );
    expect(records.exposures).toEqual([]);
    expect(records.interactions).toHaveLength(1);
    const parts = records.parts.map(({ key, value }) => ({ key, ...JSON.parse(value as string) }));
    const event = { type: 'exposure', id: 'home/3/0', ts: 5, user: 'u', model: 'B', items: ['17'] };
    expect(parts[0]).toEqual({ key: 'u', event, list: 'r1', place: 2, surface: 'top' });
    expect(parts[1].event.model).toBe('none');
  });

  it('need a complete mapping, and an intake that assembles lists', () => {
    expect(() => compileMapping({ impression })).toThrow(
      'mapping.impression: only the intake can assemble lists',
    );
    const wrong = (model: object) => () =>
      compileMapping({ impression: { ...impression, model: model as never } }, 'mapping', true);
    expect(wrong({ path: '/x', where: { '/a': 'b' } })).toThrow(
      'expected both where and at, or neither',
    );
    expect(wrong({ path: '/x', where: { a: 'b' }, at: '/c' })).toThrow('JSON Pointer');
    const { model: _model, ...rest } = impression;
    expect(() => compileMapping({ impression: rest as never }, 'mapping', true)).toThrow(
      'mapping.impression.model: missing',
    );
  });
});

describe('sources that are read at different speeds', () => {
  it('wait for the slowest source that is not empty and is read here', () => {
    const gate = new AheadGate(1000);
    for (const source of ['a/0', 'a/1', 'b/0']) gate.hold(source);
    gate.read('a/0', 9000);
    expect(gate.change()).toEqual({ pause: ['a/0'], resume: [] });
    gate.read('a/1', 8500);
    gate.ends('b/0', true);
    expect(gate.change()).toEqual({ pause: [], resume: ['a/0'] });
    gate.ends('b/0', false);
    expect(gate.change()).toEqual({ pause: ['a/0', 'a/1'], resume: [] });
    gate.read('b/0', 7600);
    gate.read('c/0', 1);
    expect(gate.change()).toEqual({ pause: [], resume: ['a/1'] });
    gate.clear();
    expect(gate.change()).toEqual({ pause: [], resume: [] });
  });
});

describe('framed records with any key', () => {
  const click = {
    type: 'record',
    name: 'Click',
    fields: [
      { name: 'ts', type: { type: 'long', logicalType: 'timestamp-millis' } },
      ...['user', 'item'].map((name) => ({ name, type: 'string' })),
    ],
  };
  const schemas = new SchemaTable();
  const { schema, write } = avroOf(click);
  schemas.add('id 7', schema);
  const own = { events: 'interactions', format: 'avro', schemas, ...READING } as const;
  const bytesOf = (value: Uint8Array, frame?: Uint8Array) => ({ ...record(1, ''), value, frame });

  it('are read by their schema, or refused with a reason', () => {
    const sound = write({ ts: 5000, user: 'u', item: 'a' });
    const header = framed(7);
    const { records, letters } = new Shuffle([{ topic: 'clicks', ...own }]).read(
      'clicks',
      3,
      [
        bytesOf(framed(7, sound)),
        bytesOf(sound, header),
        bytesOf(framed(8, sound)),
        bytesOf(framed(7, sound, Buffer.of(1))),
        bytesOf(bytes('{}')),
      ],
      () => NOW,
    );
    const found = records.interactions.map(({ value }) => JSON.parse(value as string));
    const event = { type: 'interaction', id: 'clicks/3/1', ts: 5000, user: 'u', item: 'a' };
    expect(found).toEqual([event, event]);
    expect(letters.map(({ reason }) => reason)).toEqual([
      'unknown_schema',
      'schema_mismatch',
      'not_framed',
    ]);
  });

  it('may be impressions, which are read by a mapping', () => {
    const mapping = {
      impression: {
        ts: '/ts',
        user: '/user',
        item: '/item',
        list: '/user',
        model: { constant: 'm' },
      },
    };
    const shuffle = new Shuffle([{ topic: 'clicks', ...own, events: 'exposures', mapping }]);
    const value = framed(7, write({ ts: 5000, user: 'u', item: 'a' }));
    const { records } = shuffle.read('clicks', 3, [bytesOf(value)], () => NOW);
    expect(JSON.parse(records.parts[0]!.value as string)).toMatchObject({
      event: { model: 'm', items: ['a'] },
      list: 'u',
    });
  });
});

describe('a record that makes its reader throw', () => {
  it('is refused as a schema mismatch, and the records after it are read', () => {
    const { schema, write } = avroOf({
      type: 'record',
      name: 'Click',
      fields: [{ name: 'user', type: 'string' }],
    });
    const schemas = new SchemaTable();
    schemas.add('id 7', schema);
    schemas.add('id 8', { type: 'avro', root: {} as never });
    const format = { format: 'auto', schemas } as const;
    const shuffle = new Shuffle([
      { topic: 'clicks', events: 'interactions', ...format, ...READING },
    ]);
    const event = { id: 'x', ts: 5, user: 'u', item: 'a' };
    const values = [
      framed(8, Buffer.of(2)),
      framed(7, write({ user: 'u' })),
      bytes(JSON.stringify(event)),
    ];
    const all = values.map((value, n) => ({ ...record(n, ''), value }));
    const { records, outcomes, letters } = shuffle.read('clicks', 3, all, () => NOW);
    expect(records.interactions).toHaveLength(1);
    expect(Object.fromEntries(outcomes)).toEqual({
      schema_mismatch: 1,
      missing_field: 1,
      written: 1,
    });
    expect(letters[0]!.detail).toMatch(/^it cannot be read: /);
  });
});
