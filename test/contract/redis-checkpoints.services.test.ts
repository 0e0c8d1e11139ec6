import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { COMMIT } from '../../src/adapters/redis/scripts.js';
import { openCheckpoint } from '../../src/stream/checkpoint/checkpoint.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { redisUrl } from '../support/shared/redis.js';
import { checkpointStoreContract } from './checkpoint-store.js';

function aNamespace() {
  const url = redisUrl;
  const namespace = `test-${randomUUID()}`;
  const redis = new Redis(url);
  const keys = (pattern: string) => redis.keys(`unskew:{${namespace}/${pattern}`);
  return {
    redis,
    keys,
    open: () => new RedisCheckpointStore({ url, namespace }),
    close: async () => {
      const all = await keys('*');
      if (all.length > 0) await redis.unlink(...all);
      redis.disconnect();
    },
  };
}

/** The manifest in what a pointer says. */
const manifestIn = (text: string) => JSON.parse(text.slice(text.indexOf('{')));

checkpointStoreContract('Redis', async () => {
  const { redis, keys, open, close } = aNamespace();
  return {
    open,
    close,
    damageNewest: async (partition) => {
      const newest = await redis.hget((await keys(`${partition}}:pointer`))[0]!, 'newest');
      const { segments } = manifestIn(newest!);
      await redis.unlink(...(await keys(`${partition}}:chunk:${segments.at(-1)[0]}`)));
    },
  };
});

it('Redis holds the segments of two checkpoints without expiry, and no others', async () => {
  const { redis, keys, open, close } = aNamespace();
  const store = open();
  const stale = await store.takeEpoch(0);
  const epoch = await store.takeEpoch(0);
  for (let n = 0; n < 4; n++) await store.save(0, epoch, [Buffer.from(`${n}`)]);
  expect(await store.save(0, stale, [Buffer.from('stale')])).toBe('fenced');
  const found = await keys('0}:chunk:[0-9]*');
  expect(found).toHaveLength(2);
  for (const key of found) expect(await redis.ttl(key)).toBe(-1);
  await store.close();
  await close();
});

it('Redis keeps a checkpoint once if the commit is repeated after a lost answer', async () => {
  const { redis, keys, open, close } = aNamespace();
  const store = open();
  const epoch = await store.takeEpoch(0);
  for (const text of ['first', 'second']) await store.save(0, epoch, [Buffer.from(text)]);
  const [epochKey] = await keys('0}:epoch');
  const [pointerKey] = await keys('0}:pointer');
  const newest = await redis.hget(pointerKey!, 'newest');
  const { segments } = manifestIn(newest!);
  const [segmentKey] = await keys(`0}:chunk:${segments[0][0]}`);
  const told = [epochKey!, pointerKey!, segmentKey!, epoch, newest!, 1, 1] as const;
  expect(await redis.eval(COMMIT, 3, ...told)).toBe(1);
  const found: string[] = [];
  for await (const bytes of store.load(0)) found.push(Buffer.from(bytes).toString());
  expect(found).toEqual(['second', 'first']);
  await store.close();
  await close();
});

it('a Redis that lost a segment of an unfinished checkpoint keeps the previous one', async () => {
  const { redis, keys, open, close } = aNamespace();
  const store = open();
  const epoch = await store.takeEpoch(0);
  await store.save(0, epoch, [Buffer.from('before')]);
  const [epochKey] = await keys('0}:epoch');
  const [pointerKey] = await keys('0}:pointer');
  const prefix = pointerKey!.replace('pointer', 'chunk:');
  const chunks = ['x:0', 'x:1'].map((name) => prefix + name);
  await redis.set(chunks[0]!, 'half', 'EX', 60);
  const told = [epochKey!, pointerKey!, ...chunks, epoch, '{}', 2, 1];
  expect(await redis.eval(COMMIT, 4, ...told)).toBe(-1);
  // What is there of it still goes by itself.
  expect(await redis.ttl(chunks[0]!)).toBeGreaterThan(0);
  const found: string[] = [];
  for await (const bytes of store.load(0)) found.push(Buffer.from(bytes).toString());
  expect(found).toEqual(['before']);
  await store.close();
  await close();
});

it('a Redis in the old format, with chunks per checkpoint, stays usable', async () => {
  const { redis, keys, open, close } = aNamespace();
  const store = open();
  await store.takeEpoch(0);
  const [epochKey] = await keys('0}:epoch');
  const key = (name: string) => epochKey!.replace('epoch', name);
  await redis.hset(key('pointer'), 'newest', 'b 2', 'previous', 'a 1');
  for (const [name, text] of Object.entries({ 'b:0': 'ne', 'b:1': 'west', 'a:0': 'previous' })) {
    await redis.set(key(`chunk:${name}`), text);
  }
  const kept = async () => {
    const found: string[] = [];
    for await (const bytes of store.load(0)) found.push(Buffer.from(bytes).toString());
    return found;
  };
  expect(await kept()).toEqual(['newest', 'previous']);
  expect(Buffer.from((await store.peek(0, 4))!).toString()).toBe('newe');
  const epoch = await store.takeEpoch(0);
  await store.save(0, epoch, [Buffer.from('new')]);
  expect(await kept()).toEqual(['new', 'newest']);
  await store.save(0, epoch, [Buffer.from('newer')]);
  expect(await keys('0}:chunk:[0-9]*')).toHaveLength(2);
  expect(await keys('0}:chunk:[ab]*')).toEqual([]);
  await store.close();
  await close();
});

it('an old program that reads chunks from Redis sees an unsupported version', async () => {
  const { redis, keys, open, close } = aNamespace();
  const store = open();
  await store.save(0, await store.takeEpoch(0), [Buffer.from('new')]);
  const [pointer] = await keys('0}:pointer');
  const [id, chunks] = (await redis.hget(pointer!, 'newest'))!.split(' ');
  expect(chunks).toBe('1');
  const bytes = await redis.getBuffer(pointer!.replace('pointer', `chunk:${id}:0`));
  expect(() => runAtOnce(openCheckpoint(bytes!))).toThrow(
    /of version 4; this version of unskew reads .*3:/,
  );
  await store.close();
  await close();
});

it('a Redis that lost everything accepts checkpoints of the current owner', async () => {
  const { redis, keys, open, close } = aNamespace();
  const store = open();
  await store.takeEpoch(0);
  const epoch = await store.takeEpoch(0);
  await store.save(0, epoch, [Buffer.from('before')]);
  await redis.unlink(...(await keys('*')));
  expect(await store.save(0, epoch, [Buffer.from('after')])).toBe('saved');
  const other = open();
  expect(await other.takeEpoch(0)).toBeGreaterThan(epoch);
  expect(await store.save(0, epoch, [Buffer.from('stale')])).toBe('fenced');
  await Promise.all([store.close(), other.close()]);
  await close();
});

it('a Redis that lost everything fences a stale writer once the owner has saved', async () => {
  const { redis, keys, open, close } = aNamespace();
  const store = open();
  const stale = await store.takeEpoch(0);
  const owner = await store.takeEpoch(0);
  const lose = async () => redis.unlink(...(await keys('*')));
  await lose();
  // Nobody can tell that it is stale before the owner comes.
  await store.save(0, stale, [Buffer.from('stale')]);
  expect(await store.save(0, owner, [Buffer.from('owner')])).toBe('saved');
  expect(await store.save(0, stale, [Buffer.from('stale')])).toBe('fenced');
  await lose();
  expect(await store.takeEpoch(0)).toBeGreaterThan(owner);
  expect(await store.save(0, owner, [Buffer.from('owner')])).toBe('fenced');
  await store.close();
  await close();
});

it('an unreachable Redis is reported in one line without its password', async () => {
  const store = new RedisCheckpointStore({ url: 'redis://u:secret@127.0.0.1:1', namespace: 'x' });
  const failure = await store.takeEpoch(0).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'STATE', message: 'Redis at 127.0.0.1:1: no connection' });
  expect(await store.save(0, 1, []).catch((error: Error) => error)).toMatchObject({
    code: 'STATE',
  });
  await store.close();
});
