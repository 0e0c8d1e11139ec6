import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, inject, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { RedisPaneExchange } from '../../src/adapters/redis/pane-exchange.js';
import { paneExchangeContract } from './pane-exchange.js';

paneExchangeContract('Redis', async () => {
  const options = { url: inject('redisUrl'), namespace: `test-${randomUUID()}` };
  const redis = new Redis(options.url);
  const remove = async (names: readonly string[]) => {
    const found = await redis.keys(`unskew:{${options.namespace}/*`);
    const due = found.filter((key) => names.some((name) => key.endsWith(name)));
    if (due.length > 0) await redis.unlink(...due);
  };
  return {
    open: () => new RedisPaneExchange(options),
    openStore: () => new RedisCheckpointStore(options),
    lose: () => remove([':panes', ':progress', ':concluded']),
    close: async () => {
      await remove(['']);
      redis.disconnect();
    },
  };
});

it('an exchange in a Redis that is away is one line that shows no password', async () => {
  const url = 'redis://u:secret@127.0.0.1:1';
  const exchange = new RedisPaneExchange({ url, namespace: 'x' });
  const failure = await exchange.progress(2).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'STATE', message: 'Redis at 127.0.0.1:1: no connection' });
  await exchange.close();
});
