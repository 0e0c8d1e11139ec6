import { describe, expect, it } from 'vitest';
import { type Schema, SchemaTable } from '../../../../src/events/formats/schema.js';
import type { RecordBatch } from '../../../../src/stream/ports.js';
import { SchemaPreparer } from '../../../../src/stream/read/schema-preparer.js';
import { framed } from '../../../support/formats/writers.js';

const JSON_SCHEMA: Schema = { type: 'json_schema' };

function setUp(find: (key: string) => Promise<Schema | undefined>) {
  const schemas = new SchemaTable();
  const asked: string[] = [];
  const troubles: (string | undefined)[] = [];
  const clock = { now: 0 };
  const preparer = new SchemaPreparer({
    formats: { exposures: 'json', interactions: 'auto' },
    schemas,
    registry: {
      find: (key) => {
        asked.push(key);
        return find(key);
      },
    },
    now: () => clock.now,
    sleep: async (ms) => {
      clock.now += ms;
    },
    onChange: (trouble) => troubles.push(trouble),
  });
  return { preparer, schemas, asked, troubles, clock };
}

function batchOf(
  role: RecordBatch['role'],
  ...values: readonly (Uint8Array | null)[]
): RecordBatch {
  const offsets = Float64Array.from(values, (_, r) => r);
  return { role, partition: 0, offsets, values, recordTs: offsets, highWatermark: values.length };
}

describe('a batch of framed records', () => {
  it('is ready once all its schemas are found, each requested once', async () => {
    const { preparer, schemas, asked } = setUp(async () => JSON_SCHEMA);
    const seven = framed(7);
    const eight = framed(8);
    const batch = batchOf('interactions', seven, null, seven, eight, seven, Buffer.from('{}'));
    expect(await preparer.prepare(batch)).toBe(true);
    expect(await preparer.prepare(batch)).toBe(true);
    expect(asked).toEqual(['id 7', 'id 8']);
    expect(schemas.get('id 7')).toBe(JSON_SCHEMA);
  });

  it('is ready despite an unknown schema, which is requested again after 30 s', async () => {
    const { preparer, asked, clock, troubles } = setUp(async () => undefined);
    const batch = batchOf('interactions', framed(7));
    for (const now of [0, 29_999, 30_000]) {
      clock.now = now;
      expect(await preparer.prepare(batch)).toBe(true);
    }
    expect(asked).toHaveLength(2);
    expect(troubles).toEqual([]);
  });
});
