import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { differences } from '../support/compare.js';
import {
  linesOf,
  replayed,
  series,
  type WindowLine,
  withoutReading,
  written,
} from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { TestTopics } from '../support/topics.js';

const SETTINGS = {
  // Most of the time goes into ticks, and a pane of five minutes can be met by all that one of two can.
  UNSKEW_TIME_TICK: '2m',
  UNSKEW_TIME_WINDOWS: '10m,1h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '2h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_GAMMA: 'fit',
  // A killed worker soon leaves the group.
  UNSKEW_KAFKA_SESSION_TIMEOUT: '3s',
  // Small fetches, so that there are moments in between.
  UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: '24KiB',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  ...FEW_ESTIMATES,
};
const USERS = 200;
/** Hours. */
const CYCLES = 4;
const WINDOWS_AN_HOUR = 60;

let folder: string;
let topics: TestTopics;
let wanted: WindowLine[];
const running: RunningService[] = [];

async function start(group: string, path: string, settings: Readonly<Record<string, string>>) {
  const service = await RunningService.start(['serve'], {
    ...topics.settings,
    ...SETTINGS,
    UNSKEW_KAFKA_GROUP_ID: `${topics.name}.${group}`,
    UNSKEW_ESTIMATES_FILE: path,
    UNSKEW_STATE_EVERY: '500ms',
    ...settings,
  });
  running.push(service);
  return service;
}

const shared = () => ({
  UNSKEW_STATE_STORE: 'redis',
  UNSKEW_STATE_REDIS_URL: redisUrl,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-workers-'));
  topics = await TestTopics.create(kafkaBrokers, 6);
  const simulation = [
    '--users',
    `${USERS}`,
    '--cycles',
    `${CYCLES}`,
    '--list-length',
    '15',
    '--seed',
    '12',
  ];
  expect((await unskew(['simulate', '--out', folder, ...simulation])).code).toBe(0);
  const files = [join(folder, 'train.ndjson'), join(folder, 'events.ndjson')];
  await topics.sendFiles(files);
  wanted = series(await replayed(files, SETTINGS));
});

afterEach(async () => {
  for (const service of running.splice(0)) await service.kill();
});

afterAll(async () => {
  await topics?.delete();
  await rm(folder, { recursive: true, force: true });
});

const assigned = async (service: RunningService) =>
  Number(/"(\d+) partitions"/.exec((await service.get('/readyz')).body)?.[1] ?? 0);

const api = async (service: RunningService) => (await service.get('/api/v1/estimates')).status;

describe('two workers of one group over six partitions, by Kafka alone', () => {
  it('give the series of one, though one of them is killed in the middle', async () => {
    expect(wanted.length).toBeGreaterThan(0.6 * WINDOWS_AN_HOUR * CYCLES);
    const paths = ['a', 'b', 'c'].map((name) => join(folder, `${name}.ndjson`));
    const [a, b] = await Promise.all([
      start('pair', paths[0]!, shared()),
      start('pair', paths[1]!, shared()),
    ]);
    await eventually(
      'three partitions for each of the two',
      () => Promise.all([assigned(a), assigned(b)]),
      ([ofA, ofB]) => ofA === 3 && ofB === 3,
    );
    await written(paths, wanted.length / 3);
    // Both answer with the numbers of all; one of them shows them as metrics, so that no series is double.
    await eventually(
      'numbers of both',
      () => Promise.all([api(a), api(b)]),
      (found) => found.every((status) => status === 200),
    );
    const shown = async (service: RunningService) =>
      (await service.scrape()).filter(({ name }) => name === 'unskew_estimate').length;
    const [ofA, ofB] = await Promise.all([shown(a), shown(b)]);
    expect([ofA, ofB].filter((count) => count > 0)).toHaveLength(1);
    const evaluating = ofA > 0 ? a : b;
    const other = evaluating === a ? b : a;
    await evaluating.kill();
    await written(paths, (wanted.length * 2) / 3);
    // Another one joins, while there is still something to read or to conclude.
    const third = await start('pair', paths[2]!, shared());
    await written(paths, wanted.length);
    // What they still had to write comes before they end.
    expect(await Promise.all([other.stop(), third.stop()])).toEqual([0, 0]);
    const found = withoutReading(series(await linesOf(paths)));
    expect(differences(found, withoutReading(wanted), 1e-9)).toEqual([]);
  });

  it('take their partitions again where another has written as the owner of them', async () => {
    const namespace = `${topics.name}.zombie`;
    const options = { url: redisUrl, namespace };
    const store = new RedisCheckpointStore(options);
    const paths = ['zombie', 'zombie.other'].map((name) => join(folder, `${name}.ndjson`));
    const patient = { ...shared(), UNSKEW_KAFKA_SESSION_TIMEOUT: '20s' };
    const zombies = await Promise.all(paths.map((path) => start('zombie', path, patient)));
    await eventually(
      'three partitions for each of the two',
      () => Promise.all(zombies.map(assigned)),
      (held) => held.every((count) => count === 3),
    );
    await written(paths, 1);
    // As one does whose assignment was outdated before it knew: the group never gave it any of these.
    for (const zombie of zombies) zombie.suspend();
    const epochs: number[] = [];
    for (let partition = 0; partition < 6; partition++) {
      epochs.push(await store.takeEpoch(partition));
    }
    const bytes = Buffer.from('of another');
    for (const [partition, epoch] of epochs.entries()) {
      expect(await store.save(partition, epoch, [bytes])).toBe('saved');
    }
    for (const zombie of zombies) zombie.resume();
    await written(paths, wanted.length);
    // All lines may be there before a worker has tried to save, and so learned that it was fenced.
    for (const [partition, epoch] of epochs.entries()) {
      await eventually(
        `partition ${partition} to be taken again`,
        () => store.save(partition, epoch, [bytes]),
        (answer) => answer === 'fenced',
      );
    }
    expect(await Promise.all(zombies.map((zombie) => zombie.stop()))).toEqual([0, 0]);
    const found = withoutReading(series(await linesOf(paths)));
    expect(differences(found, withoutReading(wanted), 1e-9)).toEqual([]);
    await store.close();
  });
});
