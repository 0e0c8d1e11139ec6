import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { Objects } from '../../src/adapters/s3/objects.js';
import { SetBucket } from '../../src/adapters/s3/set-bucket.js';
import { eventually, RunningService } from '../support/program.js';
import { ShadowFlow } from '../support/shadow-flow.js';
import { TestTopics } from '../support/topics.js';

const WORLD = { users: 400, items: 200, seed: 8 };
const USERS_PER_SECOND = 400;
/** Takes a while, even on few ratings. */
const HEAVY = {
  UNSKEW_SHADOW_FACTORS: '200',
  UNSKEW_SHADOW_LAMBDA: '0.0001',
  UNSKEW_SHADOW_SWEEPS: '500',
  UNSKEW_SHADOW_SCHEDULE: '*/10 * * * * *',
};
/** The learning stands back where the processors do not suffice for all. */
const LEARNED_WITHIN_MS = 360_000;
const BUCKET = 'baselines';
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
let folder: string;
let storage: S3rver;
let client: S3Client;
let endpoint: string;
let topics: TestTopics;
let traffic: ShadowFlow;
const services: RunningService[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-shadow-bounds-'));
  storage = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory: join(folder, 's3') },
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = (await storage.run()) as { port: number };
  endpoint = `http://127.0.0.1:${port}`;
  const region = 'us-east-1';
  client = new S3Client({ region, endpoint, forcePathStyle: true, credentials: CREDENTIALS });
  topics = await TestTopics.create(inject('kafkaBrokers'), 4);
  traffic = new ShadowFlow(topics, WORLD, USERS_PER_SECOND);
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
});
afterAll(async () => {
  await traffic.stop();
  await topics.delete();
  client.destroy();
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(prefix: string, more: Readonly<Record<string, string>> = {}) {
  const service = await RunningService.start(['serve'], {
    ...topics.settings,
    UNSKEW_SHADOW_KIND: 'mf-ips',
    UNSKEW_SHADOW_PROPENSITIES: 'nb',
    UNSKEW_SHADOW_FACTORS: '2',
    UNSKEW_SHADOW_LAMBDA: '0.001',
    UNSKEW_SHADOW_SCHEDULE: '*/4 * * * * *',
    UNSKEW_SHADOW_SETTLE: '500ms',
    UNSKEW_SHADOW_RANGE: '30s',
    UNSKEW_SHADOW_RETAIN: '100',
    UNSKEW_SHADOW_LENGTH: '10',
    UNSKEW_SHADOW_OUT: `s3://${BUCKET}/${prefix}`,
    UNSKEW_EXPORT_S3_ENDPOINT: endpoint,
    UNSKEW_EXPORT_S3_PATH_STYLE: 'true',
    UNSKEW_EXPORT_REDIS: inject('redisUrl'),
    UNSKEW_EXPORT_LEASE_TTL: '5s',
    UNSKEW_EXPORT_RETRIES: '0',
    UNSKEW_POSITIVE_MIN_VALUE: '4',
    UNSKEW_TIME_TICK: '1s',
    UNSKEW_TIME_WINDOWS: '1m',
    UNSKEW_TIME_LATENESS: '500ms',
    UNSKEW_ESTIMATES_METRICS: 'recall,mae',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    ...more,
  });
  services.push(service);
  return service;
}

async function metric(
  service: RunningService,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  return (await service.scrape())
    .filter((series) => series.name === name)
    .filter((series) => Object.entries(labels).every(([key, is]) => series.labels[key] === is))
    .reduce((sum, { value }) => sum + value, 0);
}

const setsAt = (prefix: string) =>
  new SetBucket(new Objects(client, BUCKET), `s3://${BUCKET}`, `${prefix}/`).list();

describe('workers of a group with one baseline in a bucket', () => {
  it('learn each one once, and all put the newest beside the lists of their own users', async () => {
    const shared = {
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: inject('redisUrl'),
    };
    const workers = await Promise.all([start('shared', shared), start('shared', shared)]);
    const sum = async (name: string, labels: Readonly<Record<string, string>>) => {
      const values = await Promise.all(workers.map((worker) => metric(worker, name, labels)));
      return values.reduce((total, value) => total + value, 0);
    };
    await eventually(
      'three baselines',
      () => setsAt('shared'),
      (sets) => sets.length >= 3,
    );
    for (const worker of workers) {
      await eventually(
        'lists of the baseline beside those of this worker’s users',
        () => metric(worker, 'unskew_shadow_lists_total', { list: 'own' }),
        (lists) => lists > 100,
      );
    }
    const before = await setsAt('shared');
    const made = await sum('unskew_shadow_runs_total', { outcome: 'made' });
    const after = await setsAt('shared');
    // They are learned while this is looked at, but none of them twice.
    expect(made).toBeGreaterThanOrEqual(before.length - 1);
    expect(made).toBeLessThanOrEqual(after.length);
    expect(await sum('unskew_shadow_runs_total', { outcome: 'failed' })).toBe(0);
    const newest = (sets: readonly string[]) => sets.toSorted().at(-1)!;
    for (const worker of workers) {
      const name = newest(await setsAt('shared'));
      await eventually(
        'the newest baseline at every worker',
        async () => worker.output,
        (output) => output.includes(`"set":"${name}"`) && output.includes('are in use from'),
      );
    }
    await eventually(
      'the baseline among the numbers of all',
      async () => (await workers[0].get('/api/v1/estimates')).body,
      (body) => (JSON.parse(body) as { models: string[] }).models.includes('mf-ips'),
    );
  });
});

describe('a baseline that is not learned within its bounds', () => {
  it.each([
    ['time', { UNSKEW_SHADOW_DEADLINE: '1s' }, /the old one stays in use: it took longer than 1s/],
    [
      'memory',
      { UNSKEW_SHADOW_MEMORY: '8MiB' },
      /the old one stays in use: it needed a heap of more than 8 MiB/,
    ],
  ])('for lack of %s leaves the old one in use, in one line', async (_, bound, line) => {
    const prefix = `bounds-${Object.keys(bound)[0]}`;
    const first = await start(prefix);
    await eventually(
      'a baseline',
      () => metric(first, 'unskew_shadow_learned_to_seconds'),
      (seconds) => seconds > 0,
      LEARNED_WITHIN_MS,
    );
    services.splice(services.indexOf(first), 1);
    expect(await first.stop()).toBe(0);
    const kept = await setsAt(prefix);
    const service = await start(prefix, { ...HEAVY, ...bound });
    await eventually(
      'the reason',
      async () => service.output,
      (output) => line.test(output),
      LEARNED_WITHIN_MS,
    );
    expect(
      await metric(service, 'unskew_shadow_runs_total', { outcome: 'failed' }),
    ).toBeGreaterThan(0);
    expect(await metric(service, 'unskew_shadow_learned_to_seconds')).toBeGreaterThan(0);
    expect(await setsAt(prefix)).toEqual(kept);
    await eventually(
      'estimates of a service that goes on',
      async () => (await service.get('/api/v1/estimates')).status,
      (status) => status === 200,
    );
  });
});
