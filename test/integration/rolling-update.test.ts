import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { launchChromium } from '../page/chromium.js';
import { differences } from '../support/compare.js';
import { withoutReading, withoutWords } from '../support/estimate-lines.js';
import { asVersion } from '../support/other-version.js';
import { eventually, type RunningService } from '../support/program.js';
import { TwinLogs } from '../support/twin-logs.js';

// Three workers of a group are replaced one after the other while their log is written: each stops
// once a new one is ready, as in a roll-out of Kubernetes.

const WORKERS = 3;
const PARTITIONS = 6;
const PATIENCE_MS = 600_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function threeWorkers(): Promise<TwinLogs> {
  const redisUrl = inject('redisUrl');
  const brokers = inject('kafkaBrokers');
  const urls = { rough: redisUrl, calm: redisUrl };
  // Nobody dies here: a worker that a busy machine holds up is not to be taken for dead.
  const patient = { UNSKEW_KAFKA_SESSION_TIMEOUT: '30s' };
  const logs = await TwinLogs.start(brokers, urls, PARTITIONS, patient);
  cleanups.push(() => logs.stop());
  for (let n = 0; n < WORKERS; n++) await logs.addWorker();
  await eventually(
    'two partitions for each of the three',
    () => Promise.all(logs.rough.world.workers.map(exchangeOf)),
    (all) => all.every(({ partitions }) => partitions === PARTITIONS / WORKERS),
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

/** The same numbers, rows, lists and counts as one worker has that nothing happens to, and as `replay`. */
async function expectSame(logs: TwinLogs): Promise<void> {
  const { found, wanted } = await logs.made();
  expect(wanted.lines.length).toBeGreaterThan(20);
  expect(wanted.kept.rows.length).toBeGreaterThan(500);
  expect(found.kept).toEqual(wanted.kept);
  const lines = withoutReading(found.lines);
  expect(differences(lines, withoutReading(wanted.lines), 1e-9)).toEqual([]);
  const replayed = withoutReading(withoutWords(await logs.replayed()));
  expect(differences(withoutReading(withoutWords(found.lines)), replayed, 1e-9)).toEqual([]);
}

describe('three workers that are replaced one after the other', () => {
  it('by another version give no numbers until the last old one is gone, stay ready, and say why', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-version-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const logs = await threeWorkers();
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
    for (let n = 1; n < WORKERS; n++) await world.replaceOldest('rough');
    await eventually(
      'none to say so any more',
      () => Promise.all(world.workers.map((own) => gauge(own, 'unskew_workers_differ'))),
      (all) => all.every((value) => value === 0),
    );
    await logs.writeSecondHalf();
    await expectSame(logs);
  }, 900_000);
});

/** The head, and the first line below it. */
async function expectOnPage(worker: RunningService): Promise<void> {
  const browser = await launchChromium();
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
