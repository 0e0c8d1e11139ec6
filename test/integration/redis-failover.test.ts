import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { RedisPaneExchange } from '../../src/adapters/redis/pane-exchange.js';
import { UnskewError } from '../../src/errors.js';
import { eventually } from '../support/program.js';
import { freePort } from '../support/prometheus.js';

const children: ChildProcess[] = [];
let folder: string;

beforeEach(async () => {
  await requireCommand('redis-server', 'redis-server', () => {});
  folder = await mkdtemp(join(tmpdir(), 'unskew-failover-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

async function server(args: readonly string[], isUp: RegExp): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { cwd: folder });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(
    'a server to say that it is up',
    async () => output,
    (text) => isUp.test(text),
    60_000,
  );
  return child;
}

async function redis(port: number, ...args: string[]): Promise<ChildProcess> {
  const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''];
  const up = args.includes('--replicaof')
    ? /Finished with success|Partial resync/
    : /Ready to accept/;
  return server([...own, ...args], up);
}

async function leaderAndReplica() {
  const [first, second] = [await freePort(), await freePort()];
  const leader = await redis(first);
  await redis(second, '--replicaof', `127.0.0.1 ${first}`);
  return { first, second, leader };
}

/** One that decides by itself, and soon. */
async function sentinel(leaderPort: number): Promise<number> {
  const port = await freePort();
  const lines = [
    ...[`port ${port}`, 'bind 127.0.0.1', 'protected-mode no'],
    `sentinel monitor lead 127.0.0.1 ${leaderPort} 1`,
    ...['sentinel down-after-milliseconds lead 1000', 'sentinel failover-timeout lead 5000'],
  ];
  const file = join(folder, 'sentinel.conf');
  await writeFile(file, `${lines.join('\n')}\n`);
  await server([file, '--sentinel'], /\+slave slave/);
  return port;
}

async function newest(store: RedisCheckpointStore): Promise<string> {
  for await (const bytes of store.load(0)) return Buffer.from(bytes).toString();
  return '';
}

it('a store and an exchange go on with the replica that Sentinel has made the leader', async () => {
  const { first, leader } = await leaderAndReplica();
  const url = `redis-sentinel://127.0.0.1:${await sentinel(first)}/lead`;
  const store = new RedisCheckpointStore({ url, namespace: 'g' });
  const exchange = new RedisPaneExchange({ url, namespace: 'g' });
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
  expect(await exchange.progress(1)).toEqual([undefined]);
  expect(await store.takeEpoch(0)).toBeGreaterThan(epoch);
  await Promise.all([store.close(), exchange.close()]);
});

it('a store whose server became a replica asks again where its address leads', async () => {
  const { first, second } = await leaderAndReplica();
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

it('a Redis Cluster is refused in one line', async () => {
  const port = await freePort();
  await redis(port, '--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf');
  const store = new RedisCheckpointStore({ url: `redis://127.0.0.1:${port}`, namespace: 'g' });
  const failure = await store.takeEpoch(0).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'USAGE' });
  expect((failure as Error).message).toMatch(/is a Redis Cluster, which is not supported: /);
  await store.close();
});
