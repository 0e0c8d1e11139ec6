import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import {
  linesOf,
  replayed,
  series,
  type WindowLine,
  withoutReading,
  written,
} from '../support/estimate-lines.js';
import { THREE_ESTIMATES } from '../support/few-estimates.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { TestTopics } from '../support/topics.js';

const SETTINGS = {
  UNSKEW_TIME_TICK: IS_LONG ? '5m' : '10m',
  UNSKEW_TIME_WINDOWS: '10m,1h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '2h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_ESTIMATES_INTERVAL: 't-logit',
  ...THREE_ESTIMATES,
};
const PARTITIONS = 2;

let folder: string;
let topics: TestTopics;
let files: string[];
let wanted: WindowLine[];

/** What a service in another place is started with, and looked at. */
function place(group: string, database: number): Record<string, string> {
  return {
    ...topics.settings,
    ...SETTINGS,
    UNSKEW_KAFKA_GROUP_ID: `${topics.name}.${group}`,
    UNSKEW_STATE_STORE: 'redis',
    UNSKEW_STATE_EVERY: '300ms',
    UNSKEW_STATE_REDIS_URL: `${redisUrl}/${database}`,
    UNSKEW_ESTIMATES_FILE: join(folder, `${group}.ndjson`),
  };
}

/** In its own database the store of a place. */
function stateAt(settings: Readonly<Record<string, string>>) {
  const url = settings['UNSKEW_STATE_REDIS_URL']!;
  const namespace = settings['UNSKEW_KAFKA_GROUP_ID']!;
  return {
    store: new RedisCheckpointStore({ url, namespace }),
    redis: new Redis(url),
    key: (partition: number, name: string) => `unskew:{${namespace}/${partition}}:${name}`,
  };
}

async function newest(store: RedisCheckpointStore, partition: number): Promise<Buffer> {
  for await (const bytes of store.load(partition)) return Buffer.from(bytes);
  throw new Error(`nothing is kept of partition ${partition}`);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-moved-'));
  topics = await TestTopics.create(kafkaBrokers, PARTITIONS);
  const simulation = [
    '--users',
    IS_LONG ? '100' : '50',
    '--cycles',
    '3',
    '--list-length',
    '20',
    '--seed',
    '5',
  ];
  expect((await unskew(['simulate', '--out', folder, ...simulation])).code).toBe(0);
  files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
  wanted = series(await replayed(files, SETTINGS));
});

afterAll(async () => {
  await topics?.delete();
  await rm(folder, { recursive: true, force: true });
});

describe('the exported state of a service', () => {
  it('gives the same numbers in another Redis under another name', async () => {
    const from = place('from', 0);
    const to = place('to', 1);
    // What is not written yet cannot be read by the first.
    await topics.sendFiles(files.slice(0, 1));
    const first = await RunningService.start(['serve'], from);
    await written([from['UNSKEW_ESTIMATES_FILE']!], wanted.length / 3);
    const copy = join(folder, 'copy');
    await eventually(
      'checkpoints of both partitions',
      () => unskew(['state', 'verify'], from),
      ({ code, stdout }) =>
        code === 0 && stdout.startsWith('partition 0: ') && stdout.includes('partition 1: '),
    );
    // Beside a running service it is copied, and not replaced.
    expect(await unskew(['state', 'export', join(folder, 'live')], from)).toMatchObject({
      code: 0,
    });
    const refused = await unskew(['state', 'import', join(folder, 'live'), '--replace'], from);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `the group ${topics.name}.from has a worker: stop the service`,
      ),
    });
    expect(await first.stop()).toBe(0);
    expect((await unskew(['state', 'export', copy], from)).stdout).toContain(': 2 partitions, ');
    expect(await unskew(['state', 'import', copy], to)).toMatchObject({ code: 0, stderr: '' });
    const before = stateAt(from);
    const after = stateAt(to);
    for (let p = 0; p < PARTITIONS; p++) {
      expect(await newest(after.store, p)).toEqual(await newest(before.store, p));
    }
    expect((await unskew(['state', 'inspect'], to)).stdout).toMatch(
      /settings: unchanged since the state was stored\n$/,
    );
    // Over what is kept it is copied only where that is asked for.
    const again = await unskew(['state', 'import', copy], to);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('there is already state of 2 partitions: ');
    for (const { store, redis } of [before, after]) {
      await store.close();
      redis.disconnect();
    }
    await topics.sendFiles(files.slice(1));
    const second = await RunningService.start(['serve'], to);
    const paths = [from, to].map((settings) => settings['UNSKEW_ESTIMATES_FILE']!);
    await written(paths, wanted.length);
    expect(await second.stop()).toBe(0);
    // Nothing was read again: the first third is in no line of the second.
    expect((await linesOf(paths.slice(1))).length).toBeLessThan(wanted.length);
    const found = withoutReading(series(await linesOf(paths)));
    expect(differences(found, withoutReading(wanted), 1e-9)).toEqual([]);
  });

  itAtNight('replaces another state completely, and only if asked to', async () => {
    const from = place('kept', 0);
    const to = place('replaced', 1);
    const copy = join(folder, 'small');
    const before = stateAt(from);
    const after = stateAt(to);
    const service = await RunningService.start(['serve'], from);
    await eventually(
      'two checkpoints',
      () => before.store.partitions(),
      ({ length }) => length === 2,
    );
    expect(await service.stop()).toBe(0);
    expect((await unskew(['state', 'export', copy], from)).code).toBe(0);
    // What was there, with a partition more, panes of workers, and an owner who does not know.
    const stale = await after.store.takeEpoch(2);
    for (const p of [0, 2]) {
      const epoch = p === 2 ? stale : await after.store.takeEpoch(p);
      for (let n = 0; n < 2; n++) await after.store.save(p, epoch, [Buffer.from('old')]);
      // What workers of a version before left for each other.
      await after.redis.hset(after.key(p, 'progress'), 'closed', '9');
    }
    await after.redis.hset(after.key(0, 'concluded'), 'note', '{}');
    const refused = await unskew(['state', 'import', copy], to);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is already state of 2 partitions: ');
    expect(await newest(after.store, 0)).toEqual(Buffer.from('old'));
    expect(await unskew(['state', 'import', copy, '--replace'], to)).toMatchObject({ code: 0 });
    expect(await after.store.partitions()).toEqual([0, 1]);
    const left = await after.redis.keys(`unskew:{${topics.name}.replaced/*`);
    expect(left.filter((key) => /progress|panes|concluded/.test(key))).toEqual([]);
    for (const p of [0, 1])
      expect(await newest(after.store, p)).toEqual(await newest(before.store, p));
    // Each is less than a mebibyte.
    expect(left.filter((key) => /chunk:\d/.test(key))).toHaveLength(PARTITIONS);
    expect(await after.store.save(2, stale, [Buffer.from('stale')])).toBe('fenced');
    for (const { store, redis } of [before, after]) {
      await store.close();
      redis.disconnect();
    }
  });

  itAtNight('stays with its worker when a worker with incompatible settings starts', async () => {
    const from = place('rolled', 0);
    const { store, redis, key } = stateAt(from);
    const old = await RunningService.start(['serve'], from);
    const both = () => store.partitions();
    await eventually('two checkpoints', both, ({ length }) => length === PARTITIONS);
    const epochs = () => redis.mget(key(0, 'epoch'), key(1, 'epoch'));
    const before = await epochs();
    const refused = await unskew(['serve'], { ...from, UNSKEW_TIME_TICK: '10m' });
    expect(refused.code).toBe(2);
    const line =
      'unskew: the checkpoint of partition 0 was made with time.tick 5m, which is now 10m: set it back, or start from scratch with another kafka.groupId';
    expect(refused.stderr.trim().split('\n').at(-1)).toBe(line);
    expect(await epochs()).toEqual(before);
    expect((await old.get('/readyz')).status).toBe(200);
    // One that can go on says what has changed.
    const longer = { ...from, UNSKEW_TIME_WINDOWS: '10m,30m,1h', UNSKEW_TIME_LATENESS: '1m' };
    const next = await RunningService.start(['serve'], longer);
    expect(await old.stop()).toBe(0);
    await eventually(
      'the new worker to say what has changed',
      async () => next.output,
      (output) =>
        output.includes('time.windows has changed: the stored state is converted') &&
        output.includes('time.lateness has changed: the stored state is kept'),
    );
    expect(await next.stop()).toBe(0);
    await store.close();
    redis.disconnect();
  });

  it('leaves the existing state unchanged if its file is not a valid export', async () => {
    const to = place('unharmed', 1);
    const { store, redis } = stateAt(to);
    const epoch = await store.takeEpoch(0);
    await store.save(0, epoch, [Buffer.from('old')]);
    const refused = await unskew(['state', 'import', files[0]!, '--replace'], to);
    expect(refused).toMatchObject({
      code: 1,
      stderr: `unskew: ${files[0]}: it is not a file of unskew state export\n`,
    });
    expect(await newest(store, 0)).toEqual(Buffer.from('old'));
    expect(await store.save(0, epoch, [Buffer.from('new')])).toBe('saved');
    await store.close();
    redis.disconnect();
  });
});
