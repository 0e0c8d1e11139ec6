import { readFileSync } from 'node:fs';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BucketCheckpointStore } from '../../src/adapters/s3/checkpoint-store.js';
import { BucketMarkStore } from '../../src/adapters/s3/mark-store.js';
import { openCheckpoint } from '../../src/stream/checkpoint/checkpoint.js';
import { withoutNames } from '../../src/stream/checkpoint/forget.js';
import { readStored } from '../../src/stream/checkpoint/stored-partition.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { bucketServer } from '../support/bucket-server.js';
import { checkpointStoreContract } from './checkpoint-store.js';
import { markStoreContract } from './mark-store.js';

const BUCKET = 'state';
let server: Awaited<ReturnType<typeof bucketServer>>;
let client: S3Client;
let prefixes = 0;

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
  server = await bucketServer(BUCKET);
  client = new S3Client({ region: 'us-east-1', endpoint: server.endpoint, forcePathStyle: true });
});
afterAll(async () => {
  client.destroy();
  await server.close();
  vi.unstubAllEnvs();
});

function aPrefix() {
  const prefix = `group ${prefixes++}`;
  const place = `s3://${BUCKET}/${prefix}`;
  const settings = () => ({ endpoint: server.endpoint, region: 'us-east-1', pathStyle: true });
  const keys = async () => {
    const command = new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `${prefix}/` });
    const { Contents = [] } = await client.send(command);
    return Contents.map(({ Key = '' }) => Key.slice(prefix.length + 1)).sort();
  };
  const text = async (name: string) => {
    const { Body } = await client.send(
      new GetObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${name}` }),
    );
    return Body!.transformToString();
  };
  const put = (name: string, Body: string) =>
    client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${name}`, Body }));
  const lose = (name: string) =>
    client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${name}` }));
  const open = () => new BucketCheckpointStore(place, settings());
  const marks = () => new BucketMarkStore(place, settings());
  return { keys, text, put, lose, open, marks };
}

checkpointStoreContract('A bucket', async () => {
  const { open, text, put } = aPrefix();
  return {
    open,
    damageNewest: async (partition) => {
      const { kept } = JSON.parse(await text(`${partition}/manifest`));
      const { segments } = JSON.parse(kept[0]);
      await put(`${partition}/${segments.at(-1)[0]}`, 'oth');
    },
    close: async () => {},
  };
});

markStoreContract('a bucket', async () => {
  const { marks, put } = aPrefix();
  return {
    open: marks,
    // As the store writes them: the other tests read what it has written itself.
    hold: async (all) => {
      await put('marks.json', JSON.stringify({ schema: 'unskew/marks@1', marks: all }));
    },
    close: async () => {},
  };
});

async function keptIn(store: BucketCheckpointStore): Promise<string[]> {
  const found: string[] = [];
  for await (const bytes of store.load(0)) found.push(Buffer.from(bytes).toString());
  return found;
}

it('a bucket holds the segments of two checkpoints and none of dead writers', async () => {
  const { open, keys, put } = aPrefix();
  const store = open();
  const stale = await store.takeEpoch(0);
  const epoch = await store.takeEpoch(0);
  await put(`0/${stale}-x`, 'of a writer that ended before its manifest');
  await put(`0/${epoch + 1}-x`, 'of one that comes after');
  for (let n = 0; n < 3; n++) await store.save(0, epoch, [Buffer.from(`${n}`)]);
  expect(await store.save(0, stale, [Buffer.from('stale')])).toBe('fenced');
  expect(await keys()).toHaveLength(4);
  expect(await keys()).toEqual(expect.arrayContaining([`0/${epoch + 1}-x`, '0/manifest']));
  expect(await keptIn(store)).toEqual(['2', '1']);
  await store.close();
});

it('a bucket that lost a partition fences the old epoch and gives a higher one', async () => {
  const { open, lose } = aPrefix();
  const store = open();
  const epoch = await store.takeEpoch(0);
  await lose('0/manifest');
  expect(await store.save(0, epoch, [Buffer.from('of nobody')])).toBe('fenced');
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(await store.takeEpoch(0)).toBeGreaterThan(epoch);
  await store.close();
});

it('a server without conditional writes is rejected, since it cannot fence stale writers', async () => {
  const other = await bucketServer(BUCKET, false);
  const store = new BucketCheckpointStore(`s3://${BUCKET}/a`, {
    endpoint: other.endpoint,
    region: 'us-east-1',
    pathStyle: true,
  });
  await expect(store.takeEpoch(0)).rejects.toMatchObject({
    code: 'USAGE',
    message: `s3://${BUCKET}/a: the server does not support conditional writes, so it cannot reject an outdated process`,
  });
  await store.close();
  await other.close();
});

it('a missing bucket is reported in one line', async () => {
  const store = new BucketCheckpointStore('s3://nowhere/a', {
    endpoint: server.endpoint,
    region: 'us-east-1',
    pathStyle: true,
  });
  await expect(store.takeEpoch(0)).rejects.toMatchObject({
    code: 'STATE',
    message: expect.stringMatching(/^cannot \w+ s3:\/\/nowhere\/a\/0\/manifest: NoSuchBucket/),
  });
  await store.close();
});

it('a bucket holds no object with the name of a forgotten user', async () => {
  const { open, keys, text } = aPrefix();
  const store = open();
  const file = new URL('../fixtures/checkpoint-v3-real-traffic.bin', import.meta.url);
  const forgotten = { salt: 'salt', users: [] };
  const renamed = (of: Uint8Array, user: string, letter: string) => {
    const letters = (count: number) => letter.repeat(count);
    const { chunks, found } = runAtOnce(withoutNames(of, [user], forgotten, letters));
    expect(found).toBe(1);
    return new Uint8Array(Buffer.concat(chunks));
  };
  // Names that are long enough to stand in no other bytes.
  const bytes = renamed(renamed(readFileSync(file), 'u0', 'e'), 'u1', 'o');
  const { users } = runAtOnce(readStored(runAtOnce(openCheckpoint(bytes))));
  const known = Array.from({ length: users.size }, (_, n) => users.text(n));
  const [name, other] = ['e', 'o'].map((letter) => known.find((each) => each.endsWith(letter))!);
  const holding = async (sought: string) => {
    const objects = await Promise.all((await keys()).map(text));
    return objects.filter((object) => object.includes(sought)).length;
  };
  const epoch = await store.takeEpoch(0);
  for (const cut of [100, 5000, 9000]) {
    const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
    expect(await store.save(0, epoch, chunks)).toBe('saved');
  }
  expect(await holding(name!)).toBeGreaterThan(0);
  const chunks = [renamed(bytes, name!, 'x')];
  expect(await store.replace(0, await store.takeEpoch(0), chunks)).toBe('saved');
  expect(await holding(name!)).toBe(0);
  expect(await holding(other!)).toBeGreaterThan(0);
});
