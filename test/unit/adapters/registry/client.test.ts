import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { RegistryClient, type RegistryOptions } from '../../../../src/adapters/registry/client.js';
import { certificate } from '../../../support/certificate.js';
import { FakeRegistry } from '../../../support/registry/fake-registry.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const AVRO = { schema: '"string"' };
const STRING = { type: 'avro', root: { kind: 'string' } };

async function setUp(options: Partial<RegistryOptions> = {}) {
  const fake = await FakeRegistry.start();
  cleanups.push(() => fake.stop());
  fake.schemas.set('schemas/ids/7', AVRO);
  return { fake, client: new RegistryClient({ url: fake.url, timeoutMs: 5000, ...options }) };
}

describe('the schema registry client', () => {
  it('asks for an id once, for concurrent and later lookups', async () => {
    const { fake, client } = await setUp();
    expect(await Promise.all([client.find('id 7'), client.find('id 7')])).toEqual([STRING, STRING]);
    expect(await client.find('id 7')).toEqual(STRING);
    expect(fake.asked.map(({ path }) => path)).toEqual(['schemas/ids/7']);
  });

  it('asks for a GUID as text', async () => {
    const { fake, client } = await setUp();
    fake.schemas.set('schemas/guids/89791762-2336-14ff-92e4-ba8ffa5dd002', AVRO);
    expect(await client.find('guid 89791762233614ff92e4ba8ffa5dd002')).toEqual(STRING);
  });

  it('treats invalid and rejected schema names as unknown, but not proxy errors', async () => {
    const { fake, client } = await setUp();
    expect(await client.find('id 4294967295')).toBeUndefined();
    expect(fake.asked).toEqual([]);
    const refused = (code: number) => JSON.stringify({ error_code: code, message: 'no such name' });
    fake.next.push({ status: 422, body: refused(42201) }, { status: 400, body: refused(400) });
    expect(await client.find('id 2147483000')).toBeUndefined();
    expect(await client.find('guid 89791762233614ff92e4ba8ffa5dd002')).toBeUndefined();
    const unknown = { status: 404, body: 'no such page' };
    fake.next.push(unknown, { status: 200, body: '["AVRO"]' });
    expect(await client.find('guid 00000000000000000000000000000001')).toBeUndefined();
    fake.next.push(unknown, unknown);
    await expect(client.find('guid 00000000000000000000000000000002')).rejects.toThrow(
      'registry.url is complete',
    );
    fake.next.push({ status: 400, body: 'a proxy' });
    await expect(client.find('id 9')).rejects.toThrow('answers with 400');
  });

  it('asks again for a schema that was missing', async () => {
    const { fake, client } = await setUp();
    expect(await client.find('id 8')).toBeUndefined();
    fake.schemas.set('schemas/ids/8', AVRO);
    expect(await client.find('id 8')).toEqual(STRING);
  });

  it('retries temporary errors twice, and then gives the reason', async () => {
    const { fake, client } = await setUp();
    const broken = { status: 503, body: 'later' };
    fake.next.push(broken, broken);
    expect(await client.find('id 7')).toEqual(STRING);
    fake.next.push(broken, broken, broken);
    const error = {
      code: 'BROKER',
      message: expect.stringMatching(/^the schema registry 127\.0\.0\.1:\d+ answers with 503$/),
    };
    await expect(client.find('id 9')).rejects.toMatchObject(error);
    expect(fake.asked.length).toBe(6);
  });

  it('times out if no answer comes', async () => {
    const { fake, client } = await setUp({ timeoutMs: 50 });
    fake.next.push(undefined, undefined, undefined);
    await expect(client.find('id 7')).rejects.toThrow('does not answer within 50 ms');
  });

  it.each([
    ['refuses the credentials (401)', { status: 401, body: '' }],
    ['refuses the credentials (403)', { status: 403, body: '{"error_code":40301}' }],
    ['does not answer like a schema registry (404)', { status: 404, body: '<h1>Not found</h1>' }],
    ['does not answer like a schema registry (200)', { status: 200, body: '<h1>Welcome</h1>' }],
  ])('fails on an answer that %s', async (why, answer) => {
    const { fake, client } = await setUp({ username: 'u', password: 'secret-word' });
    fake.next.push(answer);
    const error = await client.find('id 7').catch((thrown: Error) => thrown);
    expect(String(error)).toContain(why);
    expect(String(error)).not.toContain('secret-word');
    expect(fake.asked).toHaveLength(1);
  });

  it('fails if the registry cannot be reached', async () => {
    const { fake, client } = await setUp();
    await fake.stop();
    cleanups.length = 0;
    await expect(client.find('id 7')).rejects.toThrow('cannot be reached: ECONNREFUSED');
  });

  it('returns an unreadable schema with the reason', async () => {
    const { fake, client } = await setUp();
    fake.schemas.set('schemas/ids/1', { schema: '{"type":"record"}' });
    fake.schemas.set('schemas/ids/2', {
      schema: 'syntax = "proto3"; message A { B b = 1; }',
      schemaType: 'PROTOBUF',
    });
    fake.schemas.set('schemas/ids/3', { schema: '{}', schemaType: 'XML' });
    fake.schemas.set('schemas/ids/4', {
      ...AVRO,
      references: [{ name: 'a', subject: 'gone', version: 1 }],
    });
    for (const id of [1, 2, 3, 4]) {
      expect(await client.find(`id ${id}`)).toEqual({
        type: 'unreadable',
        why: expect.stringMatching(/./),
      });
    }
  });

  it('reads a schema whose references refer to each other', async () => {
    const { fake, client } = await setUp();
    const references = [{ name: 'a', subject: 'a', version: 1 }];
    fake.schemas.set('subjects/a/versions/1', { ...AVRO, references });
    fake.schemas.set('schemas/ids/1', { ...AVRO, references });
    expect(await client.find('id 1')).toEqual(STRING);
  });

  it('authenticates by user and password, or by token', async () => {
    const basic = await setUp({ username: 'aladdin', password: 'opensesame' });
    await basic.client.find('id 7');
    // The example of RFC 7617, without its space.
    expect(basic.fake.asked[0]?.headers.authorization).toBe('Basic YWxhZGRpbjpvcGVuc2VzYW1l');
    const bearer = await setUp({ token: 'abc' });
    await bearer.client.find('id 7');
    expect(bearer.fake.asked[0]?.headers.authorization).toBe('Bearer abc');
  });

  it('trusts the configured CA over TLS, and presents its own certificate', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-registry-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    const { key, cert } = await certificate(folder);
    const [ofKey, ofCert] = await Promise.all([readFile(key), readFile(cert)]);
    const fake = await FakeRegistry.start({ key: ofKey, cert: ofCert, ca: ofCert });
    cleanups.push(() => fake.stop());
    fake.schemas.set('schemas/ids/7', AVRO);
    const url = `https://localhost:${fake.port}/api`;
    const whole = new RegistryClient({ url, timeoutMs: 5000, ca: cert, certificate: cert, key });
    expect(await whole.find('id 7')).toEqual(STRING);
    for (const less of [{ certificate: cert, key }, { ca: cert }]) {
      const client = new RegistryClient({ url, timeoutMs: 5000, ...less });
      await expect(client.find('id 7')).rejects.toThrow('cannot be reached');
    }
  });

  it('names a file that it cannot read', () => {
    const options = { url: 'https://localhost/', timeoutMs: 1, ca: '/nowhere/ca.pem' };
    expect(() => new RegistryClient(options)).toThrow('cannot read registry.ca');
  });
});
