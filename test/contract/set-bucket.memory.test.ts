import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketAt, SetBucket } from '../../src/adapters/s3/set-bucket.js';
import { setStorageContract } from './set-storage.js';

const BUCKET = 'sets';
const directory = mkdtempSync(join(tmpdir(), 'unskew-s3-'));
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: BUCKET, configs: [] }],
});
let client: S3Client;
let endpoint: string;
let prefixes = 0;

beforeAll(async () => {
  const { port } = (await server.run()) as { port: number };
  endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials });
});
afterAll(async () => {
  client.destroy();
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

setStorageContract('a bucket', {
  storage: async () => new SetBucket(client, BUCKET, `nightly/${prefixes++}/`),
  contents: async ({ place }) => {
    const Prefix = `${place.replace(`s3://${BUCKET}/`, '')}/`;
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: BUCKET, Prefix }),
    );
    return Contents.map(({ Key = '' }) => Key);
  },
});

describe('a bucket of sets', () => {
  it('is found by its address, with or without a prefix', () => {
    const settings = { region: 'us-east-1', pathStyle: true };
    expect(bucketAt('s3://sets', settings).place).toBe('s3://sets');
    expect(bucketAt('s3://sets/a/b/', settings).place).toBe('s3://sets/a/b');
    expect(() => bucketAt('s3:///a', settings)).toThrow(/expected s3:\/\/bucket/);
  });

  it('says in one line which bucket it cannot write', async () => {
    const storage = new SetBucket(client, 'missing', '');
    const draft = await storage.create('one');
    const file = await draft.file('test.csv');
    await expect(file.close()).rejects.toThrow(/^cannot write s3:\/\/missing\/one\/test\.csv: /);
  });
});

it('gives up on a storage that takes requests and never answers', async () => {
  let asked = 0;
  const silent = createServer((socket) => {
    asked++;
    socket.on('error', () => {});
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  process.env['AWS_ACCESS_KEY_ID'] ??= 'S3RVER';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'S3RVER';
  const storage = bucketAt('s3://sets', {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    pathStyle: true,
    requestTimeoutMs: 200,
  });
  await expect(storage.list()).rejects.toMatchObject({
    code: 'FILE',
    message: expect.stringMatching(/^cannot read s3:\/\/sets\/.*TimeoutError/),
  });
  expect(asked).toBe(3);
  silent.close();
});
