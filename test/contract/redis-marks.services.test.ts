import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { RedisMarkStore } from '../../src/adapters/redis/mark-store.js';
import { redisUrl } from '../support/shared/redis.js';
import { markStoreContract } from './mark-store.js';

markStoreContract('Redis', async () => {
  const url = redisUrl;
  const namespace = `test-${randomUUID()}`;
  return {
    open: () => new RedisMarkStore({ url, namespace }),
    close: async () => {
      const redis = new Redis(url);
      const keys = await redis.keys(`unskew:{${namespace}/*`);
      // Checkpoints of the same group take no notice of them.
      const checkpoints = new RedisCheckpointStore({ url, namespace });
      expect(await checkpoints.partitions()).toEqual([]);
      await checkpoints.close();
      if (keys.length > 0) await redis.unlink(...keys);
      redis.disconnect();
    },
  };
});

it('an unreachable Redis is reported in one line when marks are read', async () => {
  const store = new RedisMarkStore({
    url: 'redis://127.0.0.1:1',
    namespace: 'x',
    commandTimeoutMs: 500,
  });
  await expect(store.all()).rejects.toMatchObject({
    code: 'STATE',
    message: 'Redis at 127.0.0.1:1: no connection',
  });
  await store.close();
});
