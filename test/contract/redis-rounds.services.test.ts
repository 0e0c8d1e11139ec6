import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, inject, it } from 'vitest';
import { RedisRoundLog } from '../../src/adapters/redis/round-log.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { roundLogCableContract, roundLogContract, roundLogTailContract } from './round-log.js';

const harness = async () => {
  const namespace = `test-${randomUUID()}`;
  const cable = await TcpProxy.before(inject('redisUrl').replace('redis:', 'tcp:'));
  const redis = new Redis(inject('redisUrl'));
  const key = (name: string) => `unskew:{${namespace}/rounds}:${name}`;
  const url = `redis://${cable.address}`;
  return {
    open: () => new RedisRoundLog({ url, namespace }),
    lose: async () => void (await redis.del(key('head'), key('log'))),
    // As a replica that takes over: it has neither the entry nor the head that the entry left.
    loseNewest: async () => {
      const [newest, before] = (await redis.xrevrange(key('log'), '+', '-', 'COUNT', 2)) as [
        [string, string[]],
        [string, string[]],
      ];
      await redis.xdel(key('log'), newest[0]);
      await redis.xsetid(key('log'), before[0]);
      const [, count] = before[0].split('-');
      await redis.hset(key('head'), { count: count!, name: before[1][1]! });
    },
    cut: () => cable.cut(),
    restore: () => cable.restore(),
    close: async () => {
      await redis.del(key('head'), key('log'));
      redis.disconnect();
      await cable.cut().catch(() => {});
    },
  };
};

roundLogContract('Redis', harness);
roundLogTailContract('Redis', harness);
roundLogCableContract('Redis', harness);

for (const gone of ['head', 'log']) {
  it(`notices that Redis threw away the key of the ${gone}`, async () => {
    const namespace = `test-${randomUUID()}`;
    const redis = new Redis(inject('redisUrl'));
    const log = new RedisRoundLog({ url: inject('redisUrl'), namespace });
    await log.append(Buffer.from('a'));
    const found = await log.read(null, 1_000);
    const { position } = (found as Extract<typeof found, { kind: 'found' }>).records[0]!;
    await redis.del(`unskew:{${namespace}/rounds}:${gone}`);
    expect(await log.read(position, 10)).toMatchObject({ kind: 'gone', why: 'lost' });
    await log.append(Buffer.from('b'));
    expect(await log.read(position, 10)).toMatchObject({ kind: 'gone', why: 'lost' });
    expect(await log.read(null, 10)).toMatchObject({ records: [{ bytes: Buffer.from('b') }] });
    await log.close();
    await redis.del(...['head', 'log'].map((name) => `unskew:{${namespace}/rounds}:${name}`));
    redis.disconnect();
  });
}

it('is one line that shows no password where Redis is away', async () => {
  const url = 'redis://u:secret@127.0.0.1:1';
  const log = new RedisRoundLog({ url, namespace: 'x' });
  const failure = await log.append(Buffer.from('a')).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'STATE', message: 'Redis at 127.0.0.1:1: no connection' });
  await log.close();
});
