import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../page/shared-browser.js';
import { describeAtNight, itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { linesOf, series, type WindowLine, withoutReading } from '../support/estimate-lines.js';
import { asVersion } from '../support/other-version.js';
import { eventually, type RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { TwinLogs } from '../support/twin-logs.js';
import type { ParsedSeries } from '../unit/prometheus/exposition.js';

// Workers of a group are replaced one after the other while their log is written: each stops once a
// new one is ready, as in a roll-out of Kubernetes.

const PARTITIONS = 6;
const PATIENCE_MS = 600_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startWorkers(count: number, partitions = PARTITIONS): Promise<TwinLogs> {
  const brokers = kafkaBrokers;
  const urls = { rough: redisUrl, calm: redisUrl };
  // Nobody dies here: a worker that a busy machine holds up is not to be taken for dead.
  const patient = { UNSKEW_KAFKA_SESSION_TIMEOUT: '30s' };
  const logs = await TwinLogs.start(brokers, urls, partitions, patient);
  cleanups.push(() => logs.stop());
  for (let n = 0; n < count; n++) await logs.addWorker();
  await eventually(
    `a share of the partitions for each of ${count}`,
    () => Promise.all(logs.rough.world.workers.map(exchangeOf)),
    (all) => all.every((own) => Math.abs(own.partitions - partitions / count) < 1),
  );
  return logs;
}

/** What `/readyz` says of a worker beside the others. */
async function exchangeOf(worker: RunningService) {
  const { status, body } = await worker.get('/readyz');
  const { checks, states } = JSON.parse(body) as {
    checks: { name: string; detail?: string }[];
    states: { code: string }[];
  };
  const detailOf = (name: string) => checks.find((check) => check.name === name)?.detail ?? '';
  return {
    status,
    partitions: Number.parseInt(detailOf('assigned'), 10),
    detail: detailOf('pane_exchange'),
    states: states.map(({ code }) => code),
  };
}

async function gauge(worker: RunningService, wanted: string, label?: string): Promise<number> {
  const series = await worker.scrape();
  const found = series.find(
    ({ name, labels }) =>
      name === wanted && (label === undefined || Object.values(labels).includes(label)),
  );
  return found?.value ?? Number.NaN;
}

/** What the API says of the newest numbers. */
async function apiOf(worker: RunningService): Promise<Record<string, unknown>> {
  const paths = ['estimates?window=10m', 'estimates?window=12h', 'popularity', 'propensity'];
  const found = paths.map(async (path) => {
    const { status, body } = await worker.get(`/api/v1/${path}`);
    expect(status, path).toBe(200);
    const answer = JSON.parse(body) as Partial<WindowLine>;
    return [path, answer.counts ? withoutReading([answer as WindowLine]) : answer] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Metrics that are numbers of windows, in an order of their own. */
async function numbersOf(worker: RunningService): Promise<readonly ParsedSeries[]> {
  const found = (await worker.scrape()).filter(({ name }) =>
    /^unskew_(estimate|difference|popularity|gamma|users|window)/.test(name),
  );
  const keyOf = ({ name, labels }: ParsedSeries) => JSON.stringify([name, labels]);
  return found.sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
}

describe('workers that are replaced one after the other', () => {
  // In memory each `npm test` has it: test/property/workers-together.test.ts.
  itAtNight(
    'by another version give no numbers until the last old one is gone, stay ready, and say why',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'unskew-version-'));
      cleanups.push(() => rm(folder, { recursive: true, force: true }));
      const workers = 3;
      const logs = await startWorkers(workers);
      const { world } = logs.rough;
      await logs.writeFirstHalf();
      await logs.allKept();
      world.main = await asVersion('99.0.0', folder);
      await world.replaceOldest('rough');
      await logs.writeNext(2);
      const mixed = await eventually(
        'all to say that they differ',
        () => Promise.all(world.workers.map(exchangeOf)),
        (all) => all.every(({ states }) => states.includes('workers_differ')),
        PATIENCE_MS,
      );
      for (const { status, detail } of mixed) {
        expect(status).toBe(200);
        expect(detail).toMatch(/^workers go by different settings or versions: /);
        expect(detail).toContain('99.0.0');
      }
      const shown = () =>
        Promise.all(world.workers.map((own) => gauge(own, 'unskew_pane_end_seconds')));
      const before = await shown();
      for (const worker of world.workers) {
        expect(await gauge(worker, 'unskew_workers_differ')).toBe(1);
        expect(await gauge(worker, 'unskew_state', 'workers_differ')).toBe(1);
        await eventually(
          'a line of the log',
          async () => worker.output,
          (output) => /Workers of the group differ in version or settings/.test(output),
        );
      }
      await expectOnPage(world.workers[0]!);
      expect(await shown()).toEqual(before);
      for (let n = 1; n < workers; n++) await world.replaceOldest('rough');
      await eventually(
        'none to say so any more',
        () => Promise.all(world.workers.map((own) => gauge(own, 'unskew_workers_differ'))),
        (all) => all.every((value) => value === 0),
      );
      await logs.writeSecondHalf();
      await logs.expectSame();
    },
    900_000,
  );

  it('by as many as there are partitions: the new one has some and is ready, an old one has none', async () => {
    const logs = await startWorkers(1, 1);
    const { world } = logs.rough;
    await logs.writeNext(1);
    await world.add('rough');
    const [old, young] = await eventually(
      'the new one to be ready',
      () => Promise.all(world.workers.map(exchangeOf)),
      ([, own]) => own!.status === 200,
    );
    expect([old!.partitions, young!.partitions]).toEqual([0, 1]);
    expect(old!.status).toBe(503);
  });

  itAtNight(
    'by the same version, four of them, give each window once, and the numbers of one worker',
    async () => {
      const logs = await startWorkers(4);
      const { world } = logs.rough;
      await logs.writeNext(2);
      for (let n = 0; n < 4; n++) {
        await Promise.all([logs.writeNext(2), world.replaceOldest('rough')]);
      }
      await logs.writeSecondHalf();
      await logs.expectSame();
      const lines = await linesOf(world.paths('rough'));
      expect(lines.length).toBe(series(lines).length);
    },
  );
});

describeAtNight('four workers', () => {
  it('have each number of one on every page, and once in metrics and files', async () => {
    const logs = await startWorkers(4);
    const { world } = logs.rough;
    await logs.writeSecondHalf();
    await logs.expectSame();
    const lines = await linesOf(world.paths('rough'));
    expect(lines.length).toBe(series(lines).length);
    const [one] = logs.calm.world.workers;
    const wanted = { api: await apiOf(one!), numbers: await numbersOf(one!) };
    expect(wanted.numbers.length).toBeGreaterThan(100);
    for (const worker of world.workers) {
      expect(differences(await apiOf(worker), wanted.api, 1e-9)).toEqual([]);
    }
    const shown = await Promise.all(world.workers.map(numbersOf));
    const estimates = shown.filter((all) => all.some(({ name }) => name === 'unskew_estimate'));
    expect(estimates).toHaveLength(1);
    expect(differences(estimates[0], wanted.numbers, 1e-9)).toEqual([]);
  });
});

/** The head, and the first line below it. */
async function expectOnPage(worker: RunningService): Promise<void> {
  const browser = await sharedBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(worker.address);
    const [head, first] = await eventually(
      'a first line on the page',
      () =>
        Promise.all([
          page.locator('#status').allTextContents(),
          page.locator('#states li .said').allTextContents(),
        ]),
      ([, lines]) => lines.length > 0,
    );
    expect(head).toEqual(['Workers differ']);
    expect(first[0]).toMatch(
      /^Workers of the group differ in version or settings, and give no new numbers\./,
    );
  } finally {
    await browser.close();
  }
}
