import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { UnskewError } from '../../src/errors.js';
import { eventually } from '../support/program.js';
import { freePort } from '../support/prometheus.js';
import { RedisServers } from '../support/redis-sentinel.js';

let servers: RedisServers;
beforeEach(async () => {
  servers = await RedisServers.create();
});
afterEach(() => servers?.stop());

async function newest(store: RedisCheckpointStore): Promise<string> {
  for await (const bytes of store.load(0)) return Buffer.from(bytes).toString();
  return '';
}

it('a store continues with the replica that Sentinel promoted', async () => {
  const { first, leader } = await servers.leaderAndReplica();
  const url = `redis-sentinel://127.0.0.1:${await servers.sentinel(first)}/lead`;
  const store = new RedisCheckpointStore({ url, namespace: 'g' });
  const epoch = await store.takeEpoch(0);
  expect(await store.save(0, epoch, [Buffer.from('before')])).toBe('saved');
  const other = new RedisCheckpointStore({ url: `redis://127.0.0.1:${first}`, namespace: 'g' });
  expect(await newest(other)).toBe('before');
  await other.close();
  // It hangs, as in a cut: no connection is closed.
  leader.kill('SIGSTOP');
  const saved = () =>
    store.save(0, epoch, [Buffer.from('after')]).catch((error: Error) => {
      if (error instanceof UnskewError && error.code === 'STATE') return error.message;
      throw error;
    });
  await eventually('a checkpoint at the new leader', saved, (said) => said === 'saved');
  expect(await newest(store)).toBe('after');
  expect(await store.takeEpoch(0)).toBeGreaterThan(epoch);
  await store.close();
});

it('a store whose server became a replica reconnects to its address', async () => {
  const { first, second } = await servers.leaderAndReplica();
  let target = second;
  // An address that others point elsewhere, such as a service's name: connections that are there stay.
  const address = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    near.on('error', () => {});
    far.on('error', () => {});
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  const { port } = address.address() as AddressInfo;
  const store = new RedisCheckpointStore({ url: `redis://127.0.0.1:${port}`, namespace: 'g' });
  const failure = await store.takeEpoch(0).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'STATE', message: expect.stringContaining('READONLY') });
  target = first;
  const taken = () => store.takeEpoch(0).catch(() => 0);
  await eventually('an epoch of the leader', taken, (epoch) => epoch > 0, 30_000);
  await store.close();
  address.close();
});

it('a Redis Cluster is rejected in one line', async () => {
  const port = await freePort();
  await servers.redis(port, '--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf');
  const store = new RedisCheckpointStore({ url: `redis://127.0.0.1:${port}`, namespace: 'g' });
  const failure = await store.takeEpoch(0).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'USAGE' });
  expect((failure as Error).message).toMatch(/is a Redis Cluster, which is not supported: /);
  await store.close();
});
