import { describe, expect, it } from 'vitest';
import { FAULT_REASONS } from '../../../../src/events/fault.js';
import {
  CLICKED,
  clicked,
  SHOWN,
  SHOWN_MAPPING,
  shown,
  TS,
} from '../../../support/formats/shop.js';
import { avroOf, Decoded, framed, protobufOf } from '../../../support/formats/writers.js';

const json = (event: object) => Buffer.from(JSON.stringify(event));
const ROLES = ['exposures', 'interactions'] as const;

/** Canonical fields, ids as integers where they are. */
const CLICK = {
  type: 'record',
  name: 'Click',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'ts', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'user', type: 'int' },
    { name: 'item', type: 'string' },
    { name: 'value', type: ['null', 'double'], default: null },
    { name: 'action', type: ['null', 'string'], default: null },
  ],
};

function reasonOf(decoded: Decoded, role: (typeof ROLES)[number], bytes: Buffer, header?: Buffer) {
  return FAULT_REASONS[decoded.read(role, bytes, header).code];
}

describe('a framed event', () => {
  it('in Avro decodes like the same event in JSON', () => {
    const { schema, write } = avroOf(SHOWN);
    const mapped = new Decoded({ mapping: SHOWN_MAPPING });
    mapped.schemas.add('id 3', schema);
    const plain = new Decoded();
    for (let n = 0; n < 50; n++) {
      const { value, json: event } = shown(n);
      const found = mapped.read('exposures', framed(3, write(value)));
      expect(found).toEqual(plain.read('exposures', json(event)));
      expect(found.code).toBe(0);
    }
  });

  it('in Protobuf decodes like the same event in JSON', () => {
    const { schema, write } = protobufOf(CLICKED);
    const mapped = new Decoded({ mapping: SHOWN_MAPPING });
    mapped.schemas.add('id 4', schema);
    const plain = new Decoded();
    for (let n = 0; n < 50; n++) {
      const { value, json: event } = clicked(n);
      const found = mapped.read('interactions', framed(4, write(value)));
      expect(found).toEqual(plain.read('interactions', json(event)));
      expect(found.code).toBe(0);
    }
  });

  it('with a JSON Schema decodes like the same JSON without a frame', () => {
    const decoded = new Decoded();
    decoded.schemas.add('id 5', { type: 'json_schema' });
    const { json: event } = clicked(7);
    const plain = decoded.read('interactions', json(event));
    expect(plain.code).toBe(0);
    expect(decoded.read('interactions', framed(5, json(event)))).toEqual(plain);
  });

  it('may name its schema by a GUID, before the payload or in a header', () => {
    const { schema, write } = avroOf(CLICK);
    const decoded = new Decoded();
    const guid = Buffer.from('89791762233614ff92e4ba8ffa5dd002', 'hex');
    decoded.schemas.add('guid 89791762233614ff92e4ba8ffa5dd002', schema);
    const payload = write({ id: 'c', ts: TS, user: 7, item: 'i', value: null, action: null });
    const head = Buffer.concat([Buffer.of(1), guid]);
    const before = decoded.read('interactions', Buffer.concat([head, payload]));
    expect(before).toMatchObject({ code: 0, row: { user: '7', item: 'i', value: 1, ts: TS } });
    expect(decoded.read('interactions', payload, head)).toEqual(before);
  });

  it('in Protobuf may name its message in the header', () => {
    const text = `syntax = "proto3"; message First { string x = 1; }
      message Second { message Click { string id = 1; int64 ts = 2; string user = 3; string item = 4; } }`;
    const { schema } = protobufOf(text);
    const decoded = new Decoded();
    decoded.schemas.add(`guid ${'ab'.repeat(16)}`, schema);
    const head = Buffer.concat([Buffer.of(1), Buffer.alloc(16, 0xab)]);
    // Two indexes, 1 and 0, zigzag.
    const header = Buffer.concat([head, Buffer.of(4, 2, 0)]);
    const same =
      'syntax = "proto3"; message Click { string id = 1; int64 ts = 2; string user = 3; string item = 4; }';
    const payload = protobufOf(same).write({ id: 'c', ts: TS, user: 'u', item: 'i' }).subarray(1);
    const found = decoded.read('interactions', payload, header);
    expect(found).toMatchObject({ code: 0, row: { user: 'u', item: 'i', value: 1, ts: TS } });
    expect(
      decoded.read('interactions', Buffer.concat([head, Buffer.of(4, 2, 0), payload])),
    ).toEqual(found);
  });

  it.each([
    ['unknown_schema', framed(9, Buffer.of(1, 2, 3))],
    ['not_framed', Buffer.from('{"id":"a"}')],
    ['not_framed', Buffer.of(0, 0)],
    ['schema_mismatch', framed(1, Buffer.of(200, 1, 97))],
    ['schema_mismatch', framed(1)],
    ['invalid_utf8', framed(1, Buffer.of(2, 0xff, 2, 2, 2, 97, 0, 0))],
  ])('that cannot be read is rejected as %s', (reason, bytes) => {
    const decoded = new Decoded({}, 'avro');
    decoded.schemas.add('id 1', avroOf(CLICK).schema);
    expect(reasonOf(decoded, 'interactions', bytes)).toBe(reason);
  });

  it('is rejected with excess bytes or with another kind of schema', () => {
    const decoded = new Decoded({}, 'avro');
    const { schema, write } = avroOf(CLICK);
    decoded.schemas.add('id 1', schema);
    decoded.schemas.add('id 2', protobufOf(CLICKED).schema);
    decoded.schemas.add('id 3', { type: 'unreadable', why: 'a type that is not read' });
    const payload = write({ id: 'c', ts: TS, user: 7, item: 'i', value: null, action: null });
    expect(reasonOf(decoded, 'interactions', framed(1, payload, Buffer.of(0)))).toBe(
      'schema_mismatch',
    );
    expect(reasonOf(decoded, 'interactions', framed(2, payload))).toBe('unknown_schema');
    expect(reasonOf(decoded, 'interactions', framed(3, payload))).toBe('unknown_schema');
    expect(decoded.decoder.detail).toBe('cannot use the schema with id 3: a type that is not read');
  });

  it('is checked by the rules for all events', () => {
    const decoded = new Decoded({ maxFutureMs: 60_000 });
    const { schema, write } = avroOf(CLICK);
    decoded.schemas.add('id 1', schema);
    const click = { id: 'c', ts: TS, user: 7, item: 'i', value: null, action: null };
    const reason = (more: object) =>
      reasonOf(decoded, 'interactions', framed(1, write({ ...click, ...more })));
    expect(reason({})).toBe('accepted');
    expect(reason({ item: '' })).toBe('id_empty');
    expect(reason({ item: 'x'.repeat(513) })).toBe('id_too_long');
    expect(reason({ value: Number.NaN })).toBe('not_a_number');
  });
});

describe('a schema that evolves', () => {
  const of = (...fields: readonly object[]) => ({ type: 'record', name: 'Click', fields });
  const base = [
    { name: 'id', type: 'string' },
    { name: 'ts', type: 'long' },
    { name: 'item', type: 'string' },
  ];
  const user = { name: 'user', type: 'string' };
  const click = { id: 'c', ts: TS, item: 'i' };

  it('may add a field, or rename one with an alias, but not remove a required one', () => {
    const decoded = new Decoded({
      mapping: {
        interaction: { id: '/id', ts: '/ts', user: '/user', item: '/item', action: '/page' },
      },
    });
    const versions = [
      [of(...base, user), { ...click, user: 'u' }],
      [
        of({ name: 'page', type: ['null', 'string'] }, ...base, user),
        { ...click, page: 'p', user: 'u' },
      ],
      [
        of(...base, { name: 'user_id', aliases: ['user'], type: 'string' }),
        { ...click, user_id: 'u' },
      ],
    ] as const;
    for (const [n, [schema, value]] of versions.entries()) {
      const version = avroOf(schema);
      decoded.schemas.add(`id ${n}`, version.schema);
      const found = decoded.read('interactions', framed(n, version.write(value)));
      expect(found).toMatchObject({ code: 0, row: { user: 'u', item: 'i', ts: TS } });
    }
    // A required field that the schema no longer has is missing.
    const without = avroOf(of(...base));
    decoded.schemas.add('id 9', without.schema);
    expect(reasonOf(decoded, 'interactions', framed(9, without.write(click)))).toBe(
      'missing_field',
    );
  });

  it('in Protobuf may add and remove fields', () => {
    const decoded = new Decoded();
    const old =
      'syntax = "proto3"; message C { string id = 1; int64 ts = 2; string user = 3; string item = 4; }';
    const later = old.replace(
      'message C {',
      'message C { optional double value = 9; string page = 10;',
    );
    decoded.schemas.add('id 1', protobufOf(old).schema);
    const value = { ...click, user: 'u', value: 3, page: 'p' };
    const found = decoded.read('interactions', framed(1, protobufOf(later).write(value)));
    expect(found).toMatchObject({ code: 0, row: { user: 'u', value: 1 } });
    decoded.schemas.add('id 2', protobufOf(later).schema);
    const known = decoded.read('interactions', framed(2, protobufOf(later).write(value)));
    expect(known).toMatchObject({ code: 0, row: { user: 'u', value: 3 } });
    const absent = decoded.read('interactions', framed(2, protobufOf(old).write(value)));
    expect(absent).toMatchObject({ code: 0, row: { value: 1 } });
  });
});

describe('malicious payloads', () => {
  const nested = {
    type: 'record',
    name: 'Node',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'next', type: ['null', 'Node'] },
      { name: 'nothing', type: { type: 'array', items: 'null' } },
    ],
  };

  it('with deep nesting, false lengths or false counts are rejected', () => {
    const decoded = new Decoded({
      mapping: { interaction: { id: '', ts: '', user: '', item: '' } },
    });
    decoded.schemas.add('id 1', avroOf(nested).schema);
    const reason = (...payload: readonly Buffer[]) =>
      reasonOf(decoded, 'interactions', framed(1, ...payload));
    // A record within a record, 100,000 deep.
    expect(reason(Buffer.alloc(200_000, Buffer.of(0, 2)))).toBe('schema_mismatch');
    const huge = Buffer.of(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
    expect(reason(huge)).toBe('schema_mismatch');
    // A list of nulls, which take no bytes.
    expect(reason(Buffer.of(0, 0), huge, Buffer.of(0))).toBe('schema_mismatch');
    expect(decoded.decoder.detail).toContain('more values than bytes');
  });

  it('with groups or invalid tags and lengths of Protobuf are rejected', () => {
    const decoded = new Decoded();
    decoded.schemas.add('id 1', protobufOf(CLICKED).schema);
    const reason = (...bytes: number[]) =>
      reasonOf(decoded, 'interactions', framed(1, Buffer.of(0, ...bytes)));
    expect(reason((9 << 3) | 3)).toBe('schema_mismatch');
    expect(decoded.decoder.detail).toContain('a group');
    expect(reason(0)).toBe('schema_mismatch');
    expect(reason(10, 200, 1)).toBe('schema_mismatch');
    expect(reason(10, 0xff, 0xff, 0xff, 0xff, 0x0f)).toBe('schema_mismatch');
    expect(reason((1 << 3) | 5, 0, 0, 0, 0)).toBe('schema_mismatch');
    expect(reasonOf(decoded, 'interactions', framed(1, Buffer.of(2, 8, 10)))).toBe(
      'schema_mismatch',
    );
  });
});

describe('a mapping with values and defaults', () => {
  it('maps values of a framed event, and fills in defaults', () => {
    const decoded = new Decoded({
      mapping: {
        interaction: {
          id: '/id',
          ts: '/ts',
          user: '/user',
          item: '/item',
          action: { path: '/action', map: { buy: 'purchase' }, default: 'click' },
        },
      },
      actions: { purchase: 5, click: 1 },
    });
    const { schema, write } = avroOf(CLICK);
    decoded.schemas.add('id 7', schema);
    const click = { id: 'c', ts: TS, user: 5, item: 'i', value: null };
    const actions = ['buy', 'look', null].map((action) => {
      expect(decoded.read('interactions', framed(7, write({ ...click, action }))).code).toBe(0);
      return decoded.batch.interactions.action[0];
    });
    const [buy, look, none] = actions;
    expect(look).not.toBe(buy);
    expect(none).toBe(look);
  });
});
