import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../src/events/formats/schema.js';
import { SchemaTable } from '../../../../src/events/formats/schema-table.js';
import type { RecordBatch } from '../../../../src/stream/ports.js';
import { SchemaPreparer } from '../../../../src/stream/schema-preparer.js';
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
  it('is ready once each schema that it names was found, and asks for each once', async () => {
    const { preparer, schemas, asked } = setUp(async () => JSON_SCHEMA);
    const [seven, eight] = [framed(7), framed(8)];
    const batch = batchOf('interactions', seven, null, seven, eight, seven, Buffer.from('{}'));
    expect(await preparer.prepare(batch)).toBe(true);
    expect(await preparer.prepare(batch)).toBe(true);
    expect(asked).toEqual(['id 7', 'id 8']);
    expect(schemas.get('id 7')).toBe(JSON_SCHEMA);
  });

  it('is ready at once on a topic of JSON, whatever its bytes', async () => {
    const { preparer, asked } = setUp(async () => JSON_SCHEMA);
    expect(await preparer.prepare(batchOf('exposures', framed(7)))).toBe(true);
    expect(asked).toEqual([]);
  });

  it('is ready without a schema that the registry does not know, which is asked for later', async () => {
    const { preparer, asked, clock, troubles } = setUp(async () => undefined);
    const batch = batchOf('interactions', framed(7));
    for (const now of [0, 29_999, 30_000]) {
      clock.now = now;
      expect(await preparer.prepare(batch)).toBe(true);
    }
    expect(asked).toHaveLength(2);
    expect(troubles).toEqual([]);
  });

  it('is not ready while the registry is away, which is reported once', async () => {
    let isAway = true;
    const { preparer, troubles } = setUp(async () => {
      if (isAway) throw new Error('the schema registry r cannot be reached');
      return JSON_SCHEMA;
    });
    const batch = batchOf('interactions', framed(7));
    expect(await preparer.prepare(batch)).toBe(false);
    expect(await preparer.prepare(batch)).toBe(false);
    expect(preparer.trouble).toBe('the schema registry r cannot be reached');
    isAway = false;
    expect(await preparer.prepare(batch)).toBe(true);
    expect(troubles).toEqual(['the schema registry r cannot be reached', undefined]);
  });

  it('is ready while the registry is away, if its schemas are known', async () => {
    let isAway = false;
    const { preparer } = setUp(async () => {
      if (isAway) throw new Error('away');
      return JSON_SCHEMA;
    });
    expect(await preparer.prepare(batchOf('interactions', framed(7)))).toBe(true);
    isAway = true;
    expect(await preparer.prepare(batchOf('interactions', framed(7)))).toBe(true);
    expect(await preparer.prepare(batchOf('interactions', framed(8)))).toBe(false);
    // What needs no schema but the known goes on, and says nothing of the registry.
    expect(await preparer.prepare(batchOf('interactions', framed(7)))).toBe(true);
    expect(preparer.trouble).toBe('away');
  });
});
