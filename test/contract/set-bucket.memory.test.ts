import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Objects } from '../../src/adapters/s3/objects.js';
import { bucketAt, resultBucketAt, SetBucket } from '../../src/adapters/s3/set-bucket.js';
import { bucketServer } from '../support/bucket-server.js';
import { setStorageContract } from './set-storage.js';

const BUCKET = 'sets';
let server: Awaited<ReturnType<typeof bucketServer>>;
let client: S3Client;
let endpoint: string;
let prefixes = 0;

beforeAll(async () => {
  server = await bucketServer(BUCKET);
  endpoint = server.endpoint;
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

function bucketOf(prefix: string, bucket = BUCKET): SetBucket {
  const place = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
  return new SetBucket(new Objects(client, bucket), place, prefix);
}

setStorageContract('a bucket', {
  storage: async () => bucketOf(`nightly/${prefixes++}/`),
  contents: async ({ place }) => {
    const Prefix = `${place.replace(`s3://${BUCKET}/`, '')}/`;
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: BUCKET, Prefix }),
    );
    return Contents.map(({ Key = '' }) => Key);
  },
});

describe('a bucket that stores sets', () => {
  it('is found by its address, with or without a prefix', () => {
    const settings = { region: 'us-east-1', pathStyle: true };
    expect(bucketAt('s3://sets', settings).place).toBe('s3://sets');
    expect(bucketAt('s3://sets/a/b/', settings).place).toBe('s3://sets/a/b');
    expect(() => bucketAt('s3:///a', settings)).toThrow(/expected s3:\/\/bucket/);
  });

  it('names the file that it cannot write', async () => {
    const storage = bucketOf('', 'missing');
    const draft = await storage.create('one');
    const file = await draft.file('test.csv');
    await expect(file.close()).rejects.toThrow(/^cannot write s3:\/\/missing\/one\/test\.csv: /);
  });
});

it('a storage that never answers times out after three attempts', async () => {
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

describe('a bucket that stores results', () => {
  it('replaces a file with a newer one, but not with a backfilled one', async () => {
    const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    const settings = { region: 'us-east-1', pathStyle: true, endpoint };
    const place = resultBucketAt(`s3://${BUCKET}/results`, settings);
    await place.put('day=2026-01-01/a.parquet', Buffer.from('first'));
    await place.put('day=2026-01-01/a.parquet', Buffer.from('second'));
    // What is computed later takes no file's place.
    expect(await place.putNew('day=2026-01-01/a.parquet', Buffer.from('later'))).toBe(false);
    const objects = new Objects(client, BUCKET);
    expect(await objects.keys('results/')).toEqual(['results/day=2026-01-01/a.parquet']);
    const parts: Uint8Array[] = [];
    for await (const part of objects.get('results/day=2026-01-01/a.parquet')) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('second');
    expect(await place.putNew('day=2025-12-31/a.parquet', Buffer.from('later'))).toBe(true);
    expect(await objects.keys('results/')).toHaveLength(2);
    vi.unstubAllEnvs();
  });
});
