import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RatingsV1 } from '../../src/features/ratings/rating-report.js';
import { differences } from '../support/compare.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { ratingsIn, writeRatedWorld } from '../support/rated-world.js';
import { TestTopics } from '../support/topics.js';

const TOLERANCE = 1e-9;
const FIELDS = [
  ['', 'value'],
  ['_stderr', 'stdErr'],
  ['_lower', 'lower'],
  ['_upper', 'upper'],
] as const;
const ASKED = {
  UNSKEW_ESTIMATES_METRICS: 'mae,rmse,accuracy,cg',
  UNSKEW_RATINGS_ESTIMATORS: 'naive,snips,ips',
  UNSKEW_RATINGS_MAX_WEIGHT: '6',
  UNSKEW_CATALOGUE_SIZE: '40',
  UNSKEW_DEDUPE_TTL: '30d',
  UNSKEW_POPULARITY_HORIZON: '100d',
};
/** Seven panes, all of them in the window. */
const LIVE = {
  ...ASKED,
  UNSKEW_TIME_TICK: '10s',
  UNSKEW_TIME_WINDOWS: '10m',
  UNSKEW_TIME_IDLE: '1500ms',
  UNSKEW_STATE_STORE: 'redis',
  UNSKEW_STATE_EVERY: '200ms',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '3s',
  UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: '3KiB',
  UNSKEW_DEAD_LETTERS_TO: 'none',
};

let folder: string;
let topics: TestTopics | undefined;
let running: RunningService | undefined;
let firstHalf: number;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-rated-'));
  writeRatedWorld(folder);
  // In the order of their times, cut where a pane ends: none is late.
  const ratings = ['chosen.ndjson', 'marked.ndjson']
    .flatMap((name) => ratingsIn(folder, name))
    .sort((a, b) => a.ts - b.ts);
  const put = (name: string, own: typeof ratings) =>
    writeFileSync(at(name), `${own.map((event) => JSON.stringify(event)).join('\n')}\n`);
  const middle = ratings[0]!.ts + 30_000;
  const first = ratings.filter(({ ts }) => ts < middle);
  firstHalf = first.length;
  put('first.ndjson', first);
  put('second.ndjson', ratings.slice(firstHalf));
  const tables = ['--user-features', at('users.csv'), '--item-features', at('items.ndjson')];
  const random = ['--randomized', at('random.ndjson')];
  const lr = ['--kind', 'lr', '--l2', '1', ...tables];
  for (const [name, kind] of Object.entries({ lr, nb: ['--kind', 'nb'] })) {
    const argv = [at('chosen.ndjson'), ...kind, ...random, '--out', at(`${name}.json`)];
    expect((await unskew(['propensities', ...argv])).stderr).toBe('');
  }
});
afterEach(async () => {
  await running?.kill();
  await topics?.delete();
  [running, topics] = [undefined, undefined];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function evaluated(more: readonly string[]): Promise<RatingsV1> {
  const files = ['lists.ndjson', 'first.ndjson', 'second.ndjson'].map(at);
  const { stdout, stderr } = await unskew(
    ['evaluate', '--json', '--events', ...files, ...more],
    ASKED,
  );
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { ratings: RatingsV1 }).ratings;
}

/** What the service says of ratings once it has so many, and of its file. */
async function live(service: RunningService, rated: number, version?: string) {
  return await eventually(
    `${rated} ratings, by file ${version}`,
    async () => {
      const { status, body } = await service.get('/api/v1/estimates');
      if (status !== 200) return undefined;
      return (JSON.parse(body) as { windows: { ratings?: RatingsV1 }[] }).windows[0].ratings;
    },
    (ratings) =>
      ratings !== undefined &&
      ratings.counts.rated + ratings.counts.random === rated &&
      ratings.propensity.file?.version === version,
    60_000,
  );
}

async function windowEnd(service: RunningService): Promise<number> {
  const { body } = await service.get('/api/v1/estimates');
  return (JSON.parse(body) as { windows: { to: number }[] }).windows[0].to;
}

/** Without how old the file is: a pane ends after its newest event. */
function timeless(ratings: RatingsV1 | undefined) {
  const { file, ...propensity } = ratings!.propensity;
  const { ageMs: _, ...stamp } = file ?? { ageMs: 0 };
  return { ...ratings!, propensity: { ...propensity, stamp } };
}

const checkpoints = async (service: RunningService) =>
  (await service.scrape()).find(
    ({ name, labels }) => name === 'unskew_checkpoints_total' && labels['outcome'] === 'loaded',
  )?.value ?? 0;
const readings = async (service: RunningService, outcome: string) =>
  (await service.scrape()).find(
    ({ name, labels }) =>
      name === 'unskew_propensity_file_readings_total' && labels['outcome'] === outcome,
  )?.value;

/** Half of the ratings, a kill, and the other half. @returns the service that has them all */
async function overKill(
  partitions: number,
  argv: readonly string[],
  between: (service: RunningService) => Promise<void>,
): Promise<RunningService> {
  topics = await TestTopics.create(inject('kafkaBrokers'), partitions);
  const settings = { ...topics.settings, ...LIVE, UNSKEW_STATE_REDIS_URL: inject('redisUrl') };
  await topics.sendFiles([at('lists.ndjson'), at('first.ndjson')]);
  running = await RunningService.start(['serve', ...argv], settings);
  await between(running);
  await running.kill();
  await topics.sendFiles([at('second.ndjson')]);
  running = await RunningService.start(['serve', ...argv], settings);
  return running;
}

async function expectEqual(service: RunningService, wanted: RatingsV1): Promise<void> {
  const { rated, random } = wanted.counts;
  const found = await live(service, rated + random, wanted.propensity.file?.version);
  expect(differences(timeless(found), timeless(wanted), TOLERANCE)).toEqual([]);
  expect(wanted.estimates.length).toBeGreaterThan(30);
  const series = await service.scrape();
  for (const row of wanted.estimates) {
    const { model, metric, estimator, aggregation } = row;
    const labels = Object.entries({
      model,
      metric,
      k: String(row.k ?? ''),
      estimator,
      aggregation,
    });
    for (const [suffix, field] of FIELDS) {
      const [own, ...others] = series.filter(
        (each) =>
          each.name === `unskew_estimate${suffix}` &&
          labels.every(([name, value]) => each.labels[name] === value),
      );
      expect(others).toEqual([]);
      expect(Math.abs(own!.value - row[field]), `${model} ${metric}${suffix}`).toBeLessThan(
        TOLERANCE,
      );
    }
  }
  expect(await checkpoints(service)).toBeGreaterThan(0);
}

describe('errors of predicted ratings in a service that was killed are those of evaluate', () => {
  it('by the random ratings of the window', async () => {
    const wanted = await evaluated([]);
    const service = await overKill(3, [], async (first) => {
      await live(first, firstHalf);
    });
    await expectEqual(service, wanted);
  });

  it('by a file of propensities, which replaced another while the service ran', async () => {
    const wanted = await evaluated(['--propensities', at('lr.json')]);
    const { version: first } = JSON.parse(readFileSync(at('nb.json'), 'utf8'));
    copyFileSync(at('nb.json'), at('used.json'));
    const argv = ['--propensities', at('used.json')];
    const service = await overKill(2, argv, async (worker) => {
      await live(worker, firstHalf, first);
      copyFileSync(at('lr.json'), at('new.json'));
      renameSync(at('new.json'), at('used.json'));
      await eventually(
        'the new file',
        () => readings(worker, 'taken'),
        (taken) => taken === 1,
      );
      expect(await readings(worker, 'refused')).toBe(0);
    });
    await expectEqual(service, wanted);
    // A bad one changes nothing, in the ticks after it either.
    writeFileSync(at('used.json'), '{}');
    await eventually(
      'a refusal',
      () => readings(service, 'refused'),
      (refused) => refused === 1,
    );
    const before = await windowEnd(service);
    const ts = before + 30_000;
    const list = { type: 'exposure', id: 'more', ts, user: 'more', model: 'mean', items: ['i00'] };
    await topics!.send('exposures', [{ key: 'more', value: JSON.stringify(list) }]);
    await eventually(
      'another tick',
      () => windowEnd(service),
      (end) => end > before,
    );
    await expectEqual(service, wanted);
    expect(service.output).toContain('the old file of propensities stays in use');
    expect(await service.stop()).toBe(0);
    // With nothing in use before it, the service does not start.
    const { code, stderr, stdout } = await unskew(['serve', ...argv], {
      ...topics!.settings,
      ...ASKED,
    });
    expect(code).not.toBe(0);
    expect(`${stderr}${stdout}`).toContain('not a file of `unskew propensities`');
  });
});
