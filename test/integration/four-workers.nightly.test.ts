import { afterEach, expect, inject, it } from 'vitest';
import { launchChromium, openParts, textsBelow } from '../page/chromium.js';
import { differences } from '../support/compare.js';
import { linesOf } from '../support/estimate-lines.js';
import { eventually, type RunningService } from '../support/program.js';
import { TwinLogs } from '../support/twin-logs.js';

const WORKERS = 4;
const PARTITIONS = 6;
/** Gauges of what is estimated, which one worker of a group shows. */
const OF_ESTIMATES =
  /^unskew_(estimate|uncaused_estimate|on_policy|value_|popularity_|effective_|gamma|caused_ratio|pane_end|window_end)/;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Estimates {
  readonly paneEnd: number;
  readonly windows: readonly { readonly results: readonly unknown[] }[];
}

async function estimatesOf(worker: RunningService): Promise<Estimates | undefined> {
  const { status, body } = await worker.get('/api/v1/estimates');
  return status === 200 ? (JSON.parse(body) as Estimates) : undefined;
}

/** Series of estimates by their names and labels; several times the same is a fault. */
async function seriesOf(workers: readonly RunningService[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const worker of workers) {
    for (const { name, labels, value } of await worker.scrape()) {
      if (!OF_ESTIMATES.test(name)) continue;
      const key = `${name} ${JSON.stringify(labels)}`;
      expect(found.has(key), key).toBe(false);
      found.set(key, value);
    }
  }
  return found;
}

/** The numbers of a page, and what it says of them first. */
async function pagesOf(workers: readonly RunningService[]): Promise<string[][]> {
  const browser = await launchChromium();
  try {
    const pages: string[][] = [];
    for (const worker of workers) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      page.setDefaultTimeout(240_000);
      await page.goto(worker.address);
      await openParts(page);
      pages.push(await textsBelow(page.locator('#numbers table'), 'td, th'));
      await page.close();
    }
    return pages;
  } finally {
    await browser.close();
  }
}

it('four workers give the numbers of one, each as one series, on each page and in one file', async () => {
  const redisUrl = inject('redisUrl');
  const urls = { rough: redisUrl, calm: redisUrl };
  const patient = { UNSKEW_KAFKA_SESSION_TIMEOUT: '30s' };
  const logs = await TwinLogs.start(inject('kafkaBrokers'), urls, PARTITIONS, patient);
  cleanups.push(() => logs.stop());
  for (let n = 0; n < WORKERS; n++) await logs.addWorker();
  const { rough, calm } = logs;
  await eventually(
    'partitions for each of the four',
    () => Promise.all(rough.world.workers.map((own) => own.get('/readyz'))),
    (all) => all.every(({ status }) => status === 200),
  );
  await logs.writeFirstHalf();
  await logs.writeSecondHalf();
  const { found, wanted } = await logs.made();
  expect(found.kept).toEqual(wanted.kept);

  // One of them writes, and no window twice.
  expect(wanted.lines.length).toBeGreaterThan(20);
  const numbers = (lines: typeof found.lines) =>
    lines.map(({ window, results }) => ({ window, results }));
  expect(differences(numbers(found.lines), numbers(wanted.lines), 1e-12)).toEqual([]);
  const files = await Promise.all(rough.world.paths('rough').map((path) => linesOf([path])));
  const written = files.filter((lines) => lines.length > 0);
  expect(written).toHaveLength(1);
  const windows = written[0]!.map(({ window }) => JSON.stringify(window));
  expect(new Set(windows).size).toBe(windows.length);

  const all = [...calm.world.workers, ...rough.world.workers];
  expect(all).toHaveLength(1 + WORKERS);
  const [one, ...own] = await eventually(
    'all to be at the same pane',
    () => Promise.all(all.map(estimatesOf)),
    (given) => given.every((each) => each !== undefined && each.paneEnd === given[0]!.paneEnd),
  );
  const resultsOf = ({ windows: each }: Estimates) => each.map(({ results }) => results);
  expect(resultsOf(one!).flat().length).toBeGreaterThan(10);
  for (const each of own) {
    expect(differences(resultsOf(each!), resultsOf(one!), 1e-12)).toEqual([]);
  }

  const [ofOne, ofFour] = [await seriesOf(calm.world.workers), await seriesOf(rough.world.workers)];
  expect(ofOne.size).toBeGreaterThan(50);
  expect([...ofFour.keys()].sort()).toEqual([...ofOne.keys()].sort());
  for (const [key, value] of ofFour) expect(differences(value, ofOne.get(key), 1e-9)).toEqual([]);

  const [page, ...pages] = await pagesOf(all);
  expect(page!.length).toBeGreaterThan(20);
  for (const each of pages) expect(each).toEqual(page);
}, 900_000);
