import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeAtNight } from '../support/at-night.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { TestTopics } from '../support/topics.js';
import { writeWorld } from '../unit/commands/propensities/world.js';

let folder: string;
let topics: TestTopics;
let services: RunningService[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-nightly-'));
  await unskew(['simulate', '--out', join(folder, 'sim'), '--users', '100', '--cycles', '4']);
  topics = await TestTopics.create(kafkaBrokers, 4);
  await topics.sendFiles([join(folder, 'sim/train.ndjson')]);
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await topics.delete();
  rmSync(folder, { recursive: true, force: true });
});

const sets = () => join(folder, 'sets');

async function listed(service: RunningService) {
  const { status, body } = await service.get('/api/v1/exports');
  expect(status).toBe(200);
  return JSON.parse(body) as { sets: string[]; running: unknown; overdue: number | null };
}

describe('two services with the same export schedule', () => {
  it('make each set once and also make one on request', async () => {
    const settings = {
      ...topics.settings,
      UNSKEW_EXPORT_OUT: sets(),
      // Every third second of every minute.
      UNSKEW_EXPORT_SCHEDULE: '*/3 * * * * *',
      UNSKEW_EXPORT_RANGE: '36500d',
      UNSKEW_EXPORT_SETTLE: '0s',
      UNSKEW_EXPORT_FORMAT: 'csv',
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: redisUrl,
    };
    services = await Promise.all([
      RunningService.start(['serve'], settings),
      RunningService.start(['serve'], settings),
    ]);
    const [first, second] = services;
    const { sets: names } = await eventually(
      'two sets of the schedule',
      () => listed(first),
      (seen) => seen.sets.length >= 2,
    );
    // One run by hand, at whichever of the two is let.
    const answer = await eventually(
      'a run by hand that is let',
      async () =>
        fetch(`${second.address}/api/v1/exports`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"name":"mine"}',
        }),
      ({ status }) => status !== 409,
    );
    expect(answer.status).toBe(202);
    await eventually(
      'the set of that run',
      () => listed(first),
      (seen) => seen.sets.includes('mine'),
    );
    const file = await first.get('/api/v1/exports/mine/test.csv');
    expect(file.body).toBe(readFileSync(join(sets(), 'mine', 'test.csv'), 'utf8'));
    expect(file.body.split('\n')[0]).toBe(
      'user,item,ts,value,action,weight,inclusion_probability,w_user,w_item',
    );
    const runs = async (service: RunningService) =>
      (await service.scrape())
        .filter(({ name }) => name === 'unskew_export_runs_total')
        .map(({ labels, value }) => [labels['outcome'], value] as const);
    const counted = [...(await runs(first)), ...(await runs(second))];
    const sum = (outcome: string) =>
      counted.filter(([label]) => label === outcome).reduce((total, [, n]) => total + n, 0);
    expect(sum('failed')).toBe(0);
    // Sets are made while this is looked at, but none of them twice.
    expect(sum('made')).toBeGreaterThanOrEqual(names.length);
    expect(sum('made')).toBeLessThanOrEqual((await listed(first)).sets.length + 1);
    const verified = await unskew(['export', '--verify', join(sets(), names[0])]);
    expect(verified).toMatchObject({ code: 0 });
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0]);
  });
});

// By day test/unit/commands/propensities/watched-file.test.ts and test/unit/export/export-propensities.test.ts.
describeAtNight('a scheduled export with learned propensities', () => {
  it('draws by the current propensity file, and fails once that is damaged', async () => {
    const world = join(folder, 'world');
    mkdirSync(world);
    writeWorld(world);
    const [chosen, random, file] = ['chosen.ndjson', 'random.ndjson', 'nb.json'].map((name) =>
      join(world, name),
    ) as [string, string, string];
    const learning = ['propensities', chosen, '--kind', 'nb', '--randomized', random];
    expect((await unskew([...learning, '--out', file])).code).toBe(0);
    const rated = await TestTopics.create(kafkaBrokers, 2);
    await rated.sendFiles([chosen]);
    const out = join(folder, 'by-propensities');
    const service = await RunningService.start(['serve'], {
      ...rated.settings,
      UNSKEW_EXPORT_OUT: out,
      UNSKEW_EXPORT_SCHEDULE: '0 0 3 1 1 *',
      UNSKEW_EXPORT_RANGE: '36500d',
      UNSKEW_EXPORT_SETTLE: '0s',
      UNSKEW_EXPORT_RETRIES: '0',
      UNSKEW_EXPORT_PROPENSITIES: file,
    });
    try {
      const ask = (name: string) =>
        fetch(`${service.address}/api/v1/exports`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name }),
        });
      expect((await ask('drawn')).status).toBe(202);
      await eventually(
        'a set',
        () => listed(service),
        (seen) => seen.sets.includes('drawn') && seen.running === null,
      );
      const [{ version }, { plan }] = [file, join(out, 'drawn', 'manifest.json')].map((path) =>
        JSON.parse(readFileSync(path, 'utf8')),
      ) as [{ version: string }, { plan: { propensities: unknown } }];
      expect(plan.propensities).toMatchObject({ kind: 'nb', version });
      writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20));
      expect((await ask('damaged')).status).toBe(202);
      await eventually(
        'a failed run',
        () => service.scrape(),
        (series) =>
          series.some(
            ({ name, labels, value }) =>
              name === 'unskew_export_runs_total' && labels['outcome'] === 'failed' && value === 1,
          ),
      );
      expect(service.output).toContain('not a file of `unskew propensities`');
      expect((await listed(service)).sets).toEqual(['drawn']);
    } finally {
      await service.stop();
      await rated.delete();
    }
  });
});
