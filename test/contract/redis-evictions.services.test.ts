import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { RedisPaneExchange } from '../../src/adapters/redis/pane-exchange.js';

const BEGIN = { from: 3, closed: 3 };
const record = (pane: number) => ({ pane, bytes: Buffer.from(`pane ${pane}`) });
const upTo = (closed: number) => ({ closed, watermark: 1e3, newest: 1e3, isIdle: false });

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject('redisUrl'));
});
afterAll(() => redis.disconnect());

async function published() {
  const namespace = `test-${randomUUID()}`;
  const options = { url: inject('redisUrl'), namespace };
  const store = new RedisCheckpointStore(options);
  const exchange = new RedisPaneExchange(options);
  const epoch = await store.takeEpoch(0);
  await exchange.publish(0, epoch, BEGIN, upTo(5), [record(4), record(5)]);
  const evict = (name: string) => redis.unlink(`unskew:{${namespace}/0}:${name}`);
  const panes = async (after: number) =>
    (await exchange.records(0, after, after))?.map(({ pane }) => pane);
  const close = async () => {
    const all = await redis.keys(`unskew:{${namespace}/*`);
    if (all.length > 0) await redis.unlink(...all);
    await Promise.all([store.close(), exchange.close()]);
  };
  return { namespace, store, exchange, epoch, evict, panes, close };
}

// A server that evicts takes single keys, whichever it likes.
it.each(['panes', 'progress'])(
  'an exchange whose key %s was evicted says so, hands out nothing that is not whole, and is repaired',
  async (key) => {
    const { exchange, epoch, evict, panes, close } = await published();
    await evict(key);
    expect(await exchange.progress(1)).toEqual([undefined]);
    expect(await panes(3)).toBeUndefined();
    const before = { from: 3, closed: 5 };
    expect(await exchange.publish(0, epoch, before, upTo(6), [record(6)])).toBe('lost');
    const all = [record(4), record(5), record(6)];
    expect(await exchange.publish(0, epoch, BEGIN, upTo(6), all)).toBe('published');
    expect(await panes(3)).toEqual([4, 5, 6]);
    expect((await exchange.progress(1))[0]).toMatchObject({ from: 3, closed: 6 });
    await exchange.trim(0, epoch, 5);
    expect(await panes(5)).toEqual([6]);
    await close();
  },
);

it.each(['panes', 'progress'])(
  'an owner that begins where the key %s was evicted finds no record in its way',
  async (key) => {
    const { store, exchange, evict, panes, close } = await published();
    await evict(key);
    const epoch = await store.takeEpoch(0);
    expect(await exchange.publish(0, epoch, BEGIN, upTo(4), [record(4)])).toBe('published');
    expect(await panes(3)).toEqual([4]);
    await close();
  },
);

it('records of a version before, which were not counted, are taken as they are', async () => {
  const { namespace, exchange, epoch, panes, close } = await published();
  await redis.hdel(`unskew:{${namespace}/0}:progress`, 'count');
  expect(await panes(3)).toEqual([4, 5]);
  const before = { from: 3, closed: 5 };
  expect(await exchange.publish(0, epoch, before, upTo(6), [record(6)])).toBe('published');
  expect(await panes(3)).toEqual([4, 5, 6]);
  await close();
});

it('a checkpoint is whole until its pointer or one of its chunks is gone', async () => {
  const { store, epoch, evict, close } = await published();
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

it('a server says what it does when its memory is full', async () => {
  const { store, close } = await published();
  expect(await store.evictionPolicy!()).toBe('noeviction');
  await close();
});
