import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { redisUrl } from '../support/shared/redis.js';

let redis: Redis;
beforeAll(() => {
  redis = new Redis(redisUrl);
});
afterAll(() => redis.disconnect());

async function opened() {
  const namespace = `test-${randomUUID()}`;
  const store = new RedisCheckpointStore({ url: redisUrl, namespace });
  const epoch = await store.takeEpoch(0);
  const evict = (name: string) => redis.unlink(`unskew:{${namespace}/0}:${name}`);
  const close = async () => {
    const all = await redis.keys(`unskew:{${namespace}/*`);
    if (all.length > 0) await redis.unlink(...all);
    await store.close();
  };
  return { store, epoch, evict, close };
}

it('a checkpoint is whole until its pointer is evicted', async () => {
  const { store, epoch, evict, close } = await opened();
  expect(await store.isWhole(0)).toBe(false);
  const chunks = [Buffer.from('a'), Buffer.from('b')];
  await store.save(0, epoch, chunks);
  expect(await store.isWhole(0)).toBe(true);
  await evict('pointer');
  expect(await store.isWhole(0)).toBe(false);
  await store.save(0, epoch, chunks);
  expect(await store.isWhole(0)).toBe(true);
  await close();
});

it('a store reports the eviction policy of its server', async () => {
  const { store, close } = await opened();
  expect(await store.evictionPolicy!()).toBe('noeviction');
  await close();
});
