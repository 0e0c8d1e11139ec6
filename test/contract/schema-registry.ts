import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '../../src/events/formats/schema.js';
import type { SchemaRegistry } from '../../src/stream/read/schema-preparer.js';
import type { FakeSchema } from '../support/registry/fake-registry.js';

/** A registry with the means to write to it. */
export interface SchemaRegistryHarness {
  readonly registry: SchemaRegistry;
  /** @returns its id */
  register(subject: string, schema: FakeSchema): Promise<number>;
  close(): Promise<void>;
}

const USER = JSON.stringify({
  type: 'record',
  name: 'User',
  namespace: 'shop',
  fields: [{ name: 'id', type: 'long' }],
});
const CLICK = JSON.stringify({
  type: 'record',
  name: 'Click',
  namespace: 'shop',
  fields: [
    { name: 'who', type: 'shop.User' },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-micros' }, aliases: ['time'] },
  ],
});

/** What every registry of schemas does. */
export function schemaRegistryContract(
  name: string,
  start: () => Promise<SchemaRegistryHarness>,
): void {
  describe(`the schema registry of ${name}`, () => {
    let harness: SchemaRegistryHarness;
    beforeAll(async () => {
      harness = await start();
    });
    afterAll(() => harness.close());
    const found = async (id: number): Promise<Schema | undefined> =>
      harness.registry.find(`id ${id}`);

    it('returns an Avro schema with the schemas that it references', async () => {
      const user = randomUUID();
      const click = randomUUID();
      await harness.register(user, { schema: USER });
      const references = [{ name: 'shop.User', subject: user, version: 1 }];
      const id = await harness.register(click, { schema: CLICK, references });
      const who = { kind: 'record', fields: [{ name: 'id', aliases: [], type: { kind: 'long' } }] };
      const logical = { is: 'timestamp', perMs: 1000 };
      const at = { name: 'at', aliases: ['time'], type: { kind: 'long', logical } };
      const fields = [{ name: 'who', aliases: [], type: who }, at];
      expect(await found(id)).toEqual({ type: 'avro', root: { kind: 'record', fields } });
    });

    it('returns the messages of a .proto file in order, with imported types', async () => {
      const user = randomUUID();
      const click = randomUUID();
      const imported = 'syntax = "proto3"; package shop; message User { int64 id = 1; }';
      await harness.register(user, { schema: imported, schemaType: 'PROTOBUF' });
      const schema = `syntax = "proto3"; package shop; import "user.proto";
        import "google/protobuf/timestamp.proto";
        message Other { string x = 1; }
        message Click { message Place { int32 rank = 1; }
          shop.User who = 1; google.protobuf.Timestamp at = 2; optional double value = 3; }`;
      const references = [{ name: 'user.proto', subject: user, version: 1 }];
      const id = await harness.register(click, { schema, schemaType: 'PROTOBUF', references });
      const answer = await found(id);
      if (answer?.type !== 'protobuf') throw new Error(`found ${JSON.stringify(answer)}`);
      expect(answer.messages.map(({ message }) => message.name)).toEqual([
        'shop.Other',
        'shop.Click',
      ]);
      const [, { message, nested }] = answer.messages as [
        unknown,
        (typeof answer.messages)[number],
      ];
      expect(nested.map((tree) => tree.message.name)).toEqual(['shop.Click.Place']);
      const of = [...message.fields.values()].map(({ name: field, type, hasPresence }) =>
        [field, type.kind === 'message' ? type.of.name : type.kind, hasPresence].join(' '),
      );
      expect(of).toEqual([
        'who shop.User true',
        'at google.protobuf.Timestamp true',
        'value double true',
      ]);
    });

    it('identifies a JSON schema', async () => {
      const schema = '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}';
      const id = await harness.register(randomUUID(), { schema, schemaType: 'JSON' });
      expect(await found(id)).toEqual({ type: 'json_schema' });
    });

    it('returns nothing for an unknown id', async () => {
      expect(await found(987_654)).toBeUndefined();
    });
  });
}
