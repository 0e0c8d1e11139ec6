import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HistoryFile } from '../../src/adapters/files/history-file.js';
import { reason } from '../../src/features/values/reasons.js';
import { History } from '../../src/outputs/history/history.js';
import type { LiveState } from '../../src/outputs/http/schema/live-state.js';
import type { ServerOptions } from '../../src/outputs/http/server.js';
import { stateOf } from '../../src/rows/findings/state.js';
import { wordedStates } from '../../src/rows/findings/state-words.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { itAtNight } from '../support/at-night.js';
import { feedbackReport } from '../support/feedback-report.js';
import { serve, type TestServer } from '../support/http-server.js';
import { fileReportOf, ratingsReportOf } from '../support/ratings-report.js';
import { shownOf, uncausedOf, valueDifferenceOf, valueRowOf, withheldOf } from '../support/rows.js';
import { seriousFaultsOf } from './axe.js';
import { openParts, textsBelow } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const HOSTILE = '<script>document.title="owned"</script><img src=x onerror="document.title=1">';
const START = 1_700_000_040_000;
const MINUTE = 60_000;
const GAMMA_NOTE = '.panel:has(#chart-gamma) .note';

let browser: Browser;
let server: TestServer;
/**
 * For all that ask for nothing special: to open another costs a second. Each server is an origin of
 * its own, so nothing that one test leaves is there for the next.
 */
let plain: Page;
let page: Page;
let errors: string[] = [];
let requests: string[] = [];
/** Where to put what is seen, to look at it; by default nowhere, since each takes a second. */
const shots = process.env['PAGE_SHOTS'];

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  plain = await opened({});
}, 300_000);
afterAll(() => browser?.close());

/** A page whose complaints and requests are noted. */
async function opened(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const made = await context.newPage();
  made.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  made.on('pageerror', (error) => errors.push(error.message));
  made.on('request', (request) => requests.push(request.url()));
  return made;
}

/** A snapshot some minutes after the first; no two have the same numbers. */
function snapshotAt(minute: number, shape: Parameters<typeof makeSnapshot>[0] = {}): Snapshot {
  return makeSnapshot({ start: 100 + minute, paneEnd: START + minute * MINUTE, ...shape });
}

const HALF_HOUR = Array.from({ length: 31 }, (_, n) => snapshotAt(n - 30));

beforeEach(async () => {
  server = await serve();
  for (const snapshot of HALF_HOUR) server.show(snapshot);
});
afterEach(async () => {
  if (page === plain) await page.goto('about:blank');
  else await page?.context().close();
  await server.close();
});

async function visit(query = '', options?: BrowserContextOptions): Promise<void> {
  page = options === undefined ? plain : await opened(options);
  errors = [];
  requests = [];
  await page.goto(`${server.address}/${query}`);
}

const waitForStatus = (state: string) => page.locator(`#status[data-state="${state}"]`).waitFor();
const reached = (time: string) => page.locator('#reached', { hasText: time }).waitFor();

async function visitLive(query = '', options?: BrowserContextOptions): Promise<void> {
  await visit(query, options);
  await waitForStatus('live');
  await page.locator('#chart-gini canvas').waitFor();
  await openParts(page);
}

async function textOf(locator: Locator | string): Promise<string> {
  const found = typeof locator === 'string' ? page.locator(locator) : locator;
  return (await found.textContent()) ?? '';
}

async function shoot(name: string): Promise<void> {
  if (shots === undefined) return;
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** What the readout says of the ticks from the newest backwards. */
async function readBackwards(chart: string, steps: number): Promise<string[]> {
  const host = page.locator(chart);
  await host.focus();
  const seen: string[] = [];
  for (let step = 0; step < steps; step++) {
    await page.keyboard.press('ArrowLeft');
    seen.push(await textOf(page.locator(`.readout:has(+ ${chart})`)));
  }
  return seen;
}

/** What is read of a canvas: tests know no types of a browser's. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  toDataURL(): string;
  getContext(kind: '2d'): {
    getImageData(...area: [number, number, number, number]): { data: Uint8ClampedArray };
  };
}

/** Stretches of a canvas whose columns hold colour, in pixels. */
async function colouredStretches(canvas: string): Promise<{ from: number; to: number }[]> {
  const columns = await page.locator(canvas).evaluate((found) => {
    const canvas = found as unknown as Canvas;
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    const isColoured = (at: number) => {
      const [r, g, b] = data.slice(at, at + 3);
      return data[at + 3] > 200 && Math.max(r, g, b) - Math.min(r, g, b) > 60;
    };
    return Array.from({ length: width }, (_, x) =>
      Array.from({ length: height }, (_, y) => 4 * (y * width + x)).some(isColoured),
    );
  });
  return columns
    .flatMap((has, x) => (has ? [x] : []))
    .reduce<{ from: number; to: number }[]>((stretches, x) => {
      const last = stretches.at(-1);
      if (last !== undefined && x <= last.to + 6) last.to = x;
      else stretches.push({ from: x, to: x });
      return stretches;
    }, []);
}

function estimatesOf(snapshot: Snapshot, window: string, asked: object) {
  const { results } = snapshot.windows.find(({ name }) => name === window)!;
  return results.filter((row) =>
    Object.entries(asked).every(
      ([name, value]) => (row as unknown as Record<string, unknown>)[name] === value,
    ),
  );
}

/** Where a panel stands, as panels are read: row by row. */
async function placeOf(id: string): Promise<number> {
  const box = await page.locator('section.panel', { has: page.locator(id) }).boundingBox();
  return 10_000 * box!.y + box!.x;
}

describe('the page shows', () => {
  it('every estimator’s value of the chosen metric, and a description of each chart', async () => {
    await visitLive('?metric=recall&k=5&aggregation=user&window=24h');
    const table = await textOf('#numbers');
    const asked = { metric: 'recall', k: 5, form: 'user' };
    const rows = estimatesOf(snapshotAt(0), '24h', asked);
    expect(rows).toHaveLength(10);
    for (const { value, stdErr } of rows) {
      expect(table).toContain(value.toFixed(4));
      expect(table).toContain(`± ${stdErr.toFixed(4)}`);
    }
    const truth = snapshotAt(0).truth!.find(
      (row) => row.model === 'good' && row.aggregation === 'user',
    )!;
    expect(table).toContain(truth.value.toFixed(4));
    // The table of models has the corrected value, without an interval at an assumed γ, and the uncorrected one.
    for (const model of ['good', 'popular']) {
      const line = await textOf(`#standing tr[data-model="${model}"]`);
      const own = (estimator: string) =>
        rows.find((row) => row.model === model && row.estimator === estimator)!;
      const { value } = own('snips');
      expect(line).toContain(value.toFixed(3));
      expect(line).toContain(own('naive').value.toFixed(3));
    }

    // A chart for every matter has its newest values in words.
    const charts = ['estimates', 'gini', 'top', 'lorenz', 'exposure', 'gamma', 'samples', 'lag'];
    for (const chart of charts) {
      expect(await page.locator(`#chart-${chart} canvas`).count(), chart).toBe(1);
      const label = await page.locator(`#chart-${chart}`).getAttribute('aria-label');
      expect(label?.length, chart).toBeGreaterThan(20);
    }
    const { popularity, propensity } = snapshotAt(0);
    const gini = await page.locator('#chart-gini').getAttribute('aria-label');
    expect(gini).toContain(`popular ${popularity.exposures['popular'].gini.toFixed(3)}`);
    expect(await textOf(GAMMA_NOTE)).toContain(`γ = ${propensity.gamma.toFixed(3)}`);
    expect(await textOf(GAMMA_NOTE)).toContain('last good fit');
    expect(await textOf('#weights')).toContain('1/4–1/2 ×');
    expect(await textOf('#outcomes')).toContain('not_json 2, missing_field 1');
    expect(await textOf('#partitions')).toContain('22:13:50');
  });

  it('a note if estimates are from a sample of the users, and none otherwise', async () => {
    await visitLive();
    const strip = page.locator('#states');
    expect(await strip.isVisible()).toBe(false);
    expect(await page.locator('#problems').isVisible()).toBe(false);
    const states = wordedStates([stateOf('sampled', { ratio: 1 / 8 })]) as LiveState['states'];
    server.publishState({ states, arrivals: null });
    await page.getByRole('button', { name: '1 note' }).click();
    await strip.getByText('Estimates are from 1 user in 8, sampled by hash').waitFor();
    await shoot('sampled');
    server.publishState({ states: [], arrivals: null });
    await strip.waitFor({ state: 'hidden' });
    expect(errors).toEqual([]);
  });

  it('a gap in the line while estimates were withheld', async () => {
    for (let minute = 1; minute <= 40; minute++) {
      const { windows, ...snapshot } = snapshotAt(minute, { models: ['good'] });
      // One is given in the midst of those that are not.
      const isWithheld = minute > 10 && minute <= 30 && minute !== 20;
      const held = windows.map((window) => ({
        ...window,
        results: window.results.map((row) => (isWithheld ? withheldOf(row, 'own_lists') : row)),
      }));
      server.show({ ...snapshot, windows: held, truth: [] });
    }
    await visitLive('?metric=recall&k=5&aggregation=user&model=good&span=1h');
    await shoot('withheld-meanwhile');
    const drawn = await colouredStretches('#chart-estimates canvas');
    // Thirty minutes before, a point that stands alone, and what came after.
    expect(drawn).toHaveLength(3);
    const [before, point, after] = drawn;
    const minutes = (pixels: number) => (30 * pixels) / (before.to - before.from);
    expect(Math.abs(minutes(point.from - before.from) - 40)).toBeLessThan(2);
    expect(minutes(point.to - point.from)).toBeLessThan(2);
    expect(Math.abs(minutes(after.from - before.from) - 51)).toBeLessThan(2);
  });

  it('the reason instead of a number if estimates are withheld', async () => {
    const snapshot = snapshotAt(1);
    const feedback = feedbackReport(0.5);
    const windows = snapshot.windows.map((window) => ({
      ...window,
      results: window.results.map((row) => withheldOf(row, 'caused_by_lists')),
      feedback,
    }));
    await visitLive('?metric=recall&k=5&aggregation=user');
    server.show({ ...snapshot, windows });
    await page.locator('#trust > summary', { hasText: 'Served lists drove' }).waitFor();
    // Each model keeps its line, and one line says why none has a number.
    expect(await page.locator('#standing td.none', { hasText: '–' }).count()).toBe(2);
    expect(await textOf('#cautions')).toContain('recall is not reported: 50\u00a0% of the clicks');
    expect(await textOf('#numbers')).not.toMatch(/NaN|null|undefined/);
    expect(await page.locator('#shown-lists').isVisible()).toBe(false);
    expect(await page.locator('#uncaused').isVisible()).toBe(false);
    expect(await page.locator('#chart-rewards').isVisible()).toBe(false);
    expect(errors).toEqual([]);
    await shoot('withheld');
    const value = { model: 'good', value: 2.3517, stdErr: 0.05, lower: 2.2471, upper: 2.461 };
    const values = [shownOf({ ...value, lists: 600, users: 590, ess: 500 })];
    const onPolicy = { refused: null, values, named: 1400, elsewhere: 0 };
    const worth = windows.map((window) => ({ ...window, onPolicy, leads: 'on_policy' as const }));
    server.show({ ...snapshotAt(2), windows: worth });
    await page.locator('#shown-lists', { hasText: '2.3517' }).waitFor();
    expect(await textOf('#shown-lists')).toContain('2.2471 to 2.4610');
    const rewards = page.locator('#chart-rewards');
    expect(await rewards.getAttribute('aria-label')).toContain('good 2.352');
    // It was drawn hidden, and takes its room once it is shown.
    await page.waitForFunction(
      "document.querySelector('#chart-rewards canvas').getBoundingClientRect().width > 300",
    );
    expect(await textOf('#standing tr[data-model="good"]')).toContain('2.35');
    await shoot('shown-lists');
    const found = {
      results: uncausedOf(snapshot.windows[0].results),
      differences: [],
      rows: 900,
      users: 400,
    };
    const uncaused = { ...found, effectiveSampleSizes: [] };
    const given = windows.map((window) => ({
      ...window,
      feedback: { ...feedback, uncaused },
      onPolicy,
      leads: 'uncaused' as const,
    }));
    server.show({ ...snapshotAt(3), windows: given });
    await page.locator('#uncaused', { hasText: 'good' }).waitFor();
    expect(await placeOf('#uncaused')).toBeLessThan(await placeOf('#shown-lists'));
    expect(await textOf('#standing thead')).toContain('organic, corrected');
    expect(errors).toEqual([]);
  });

  it('reward per request, first if it leads, with advice on each value', async () => {
    const apart = reason('arms_disagree', 'refused', { z: 5, most: 3 });
    const bound = reason('mostly_unsupported', 'bound', { coverage: 0.2, least: 0.5 });
    const none = { value: Number.NaN, stdErr: Number.NaN, lower: Number.NaN, upper: Number.NaN };
    const worth = (n: number, more: object = {}) => {
      const snapshot = snapshotAt(n, { models: ['good', 'popular', 'new'] });
      const values = [
        valueRowOf({ model: 'good', estimator: 'on_policy', value: 4 }),
        valueRowOf({ model: 'good', value: 2.5 + n / 10 }),
        valueRowOf({ model: 'popular', coverage: 0.2, reasons: [bound] }),
        valueRowOf({ model: 'new', ...none, withheld: apart.code, reasons: [apart] }),
      ];
      const windows = snapshot.windows.map((window) => ({ ...window, values, ...more }));
      return { ...snapshot, windows };
    };
    server.show(worth(1));
    await visitLive('?window=1h');
    const table = page.locator('#request-values');
    await table.getByText('2.6000').waitFor();
    const [good, popular, fresh] = await textsBelow(table, 'tbody tr');
    expect(good).toMatch(/^good\s+2\.6000\s+1\.0000 to 2\.0000\s+100\s%\s+100\s+yes$/);
    expect(popular).toMatch(/^popular\s+≥ 1\.5000\s+from 1\.0000\s+20\s%\s+100\s+lower bound$/);
    expect(fresh).toMatch(/^new\s+–\s+–\s+100\s%\s+100\s+not given$/);
    expect(await textOf('#standing thead')).not.toContain('request');
    const difference = valueDifferenceOf({ model: 'good', reference: 'popular' });
    server.show(worth(2, { leads: 'values', valueDifferences: [difference] }));
    await table.getByText('2.7000').waitFor();
    const titles = await textsBelow(table, 'thead th');
    expect(titles.slice(-2)).toEqual(['Lift over popular', 'Proved']);
    const compared = await textsBelow(table, 'tbody tr');
    expect(compared[0]).toMatch(/\+0\.5000 to \+1\.5000\s+better$/);
    expect(compared[1]).toMatch(/–\s+–$/);
    expect(await textsBelow(page.locator('#standing'), 'tbody th')).toEqual([
      'good',
      'popular',
      'new',
    ]);
    expect(await textOf('#standing thead')).toContain('reward/list');
    // What speaks against them stands there, and not among the reasons to trust the estimates.
    const panel = page.locator('section.panel', { has: table });
    expect(await textsBelow(panel, '.notes li')).toEqual([
      expect.stringMatching(/^Reward per request of popular has only a lower bound/),
      expect.stringMatching(/^Reward per request of new is not reported/),
      expect.stringMatching(/^good, which is.* earns .* more per request/),
    ]);
    expect(await textOf('#trust')).not.toContain('lower bound only');
    const differences = page.locator('#chart-value-differences');
    expect(await differences.getAttribute('aria-label')).toBe(
      'Reward per request minus that of popular over time; newest: good +1.000',
    );
    const chart = page.locator('#chart-values');
    expect(await chart.getAttribute('aria-label')).toContain('good 2.700, popular 1.500');
    expect(errors).toEqual([]);
    await shoot('request-values');
  });

  it('one sentence instead of a table if no list’s value is reported', async () => {
    const unknown = reason('examination_uncertain', 'refused', { stdErr: 0.4, most: 0.25 });
    const none = { value: Number.NaN, stdErr: Number.NaN, lower: Number.NaN, upper: Number.NaN };
    const refused = { ...none, withheld: unknown.code, reasons: [unknown], isRefused: true };
    const snapshot = snapshotAt(1, { models: ['good', 'popular'] });
    const values = ['good', 'popular'].map((model) => valueRowOf({ model, ...refused }));
    server.show({ ...snapshot, windows: snapshot.windows.map((own) => ({ ...own, values })) });
    await visitLive('?window=1h');
    await page.locator('#request-values-refused').getByText('is not reported').waitFor();
    expect(await textOf('#request-values-refused')).toMatch(
      /^Reward per request of good and popular is not reported: examination probabilities/,
    );
    // Neither a table of dashes nor a chart of nothing.
    expect(await page.locator('#request-values').isVisible()).toBe(false);
    expect(await page.locator('#chart-values').isVisible()).toBe(false);
  });

  it('the propensity file that weights ratings, with its cautions', async () => {
    const { propensity } = ratingsReportOf();
    const figures = { largestRatio: 3, means: [2.5, 3], margin: 0.1, doDisagree: true } as const;
    const file = fileReportOf({ comparison: { with: 'nb', ...figures } });
    const ratings = ratingsReportOf({ propensity: { ...propensity, source: 'file', file } });
    const snapshot = snapshotAt(1);
    const windows = snapshot.windows.map((window) => ({ ...window, ratings }));
    server.show({ ...snapshot, windows });
    await visitLive();
    const table = page.locator('#ratings');
    await table.getByText('0.5000').first().waitFor();
    const panel = page.locator('section.panel', { has: table });
    expect(await textsBelow(panel, '.notes li')).toEqual([
      `Weighted by learned propensities: logistic regression, version ${file.version}, from ratings through ${file.date}.`,
      'a has no prediction for 4 rated pairs.',
      expect.stringMatching(/^The propensities file does not cover 25/),
      expect.stringMatching(/^Ratings are on other items than the propensities file/),
      expect.stringMatching(/^Naive Bayes and logistic regression disagree/),
    ]);
    expect(await textOf('#trust')).not.toContain('propensities');
    expect(errors).toEqual([]);
  });

  it('a hostile model name as plain text', async () => {
    server.show(snapshotAt(1, { models: [HOSTILE, '__proto__', 'good'] }));
    await visitLive();
    expect(await page.locator('#numbers').getByText(HOSTILE).isVisible()).toBe(true);
    expect(await page.title()).toBe('unskew: debiased metrics, live');
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(await textOf('#numbers')).toContain('__proto__');
    await page.locator('#choose-model').selectOption(HOSTILE);
    await page.locator('#numbers th[scope="row"]').nth(1).waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await shoot('hostile');
  });

  it('alarms in a list and on the time axis', async () => {
    const at = START + MINUTE;
    const evidence = { score: 7.25, threshold: 5, size: 2.5, models: ['popular'] };
    const topItems = [{ item: 'i7', share: 0.25, before: 0.125 }];
    const loud = { series: 'gini of popular', detector: 'cusum', since: at - 5 * MINUTE, at };
    const alarms = [
      { ...loud, ...evidence, suppressed: null, topItems },
      { ...loud, series: 'ess', ...evidence, suppressed: 'γ is not ok', topItems: [] },
    ];
    await visitLive();
    expect(await textOf('#alarms')).toContain('No alarm');
    server.show({ ...snapshotAt(1), alarms });
    await page.locator('#alarms li').nth(1).waitFor();
    const list = await textOf('#alarms');
    for (const word of [
      'changed since 22:10',
      '2.5 standard',
      'cusum 7.3, threshold 5.0',
      'popular',
    ]) {
      expect(list).toContain(word);
    }
    expect(list.replaceAll('\u00a0', ' ')).toContain('i7 12.5 % → 25.0 %');
    expect(list).toContain('Do not act on it: γ is not ok');
    expect((await readBackwards('#chart-gini', 1))[0]).toContain('alarm: gini of popular');
    await shoot('alarms');
    await page.reload();
    await page.locator('#alarms li').nth(1).waitFor();
  });
});

describe('marks', () => {
  const mark = (body: object) =>
    fetch(`${server.address}/api/v1/marks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const label = () => page.locator('#chart-gini .mark-label');
  /** Where a time is on the chart, whose axis begins 30 minutes before the start. */
  async function pointAt(time: number, newest: number): Promise<{ x: number; y: number }> {
    const box = (await page.locator('#chart-gini .u-over').boundingBox())!;
    const first = START - 30 * MINUTE;
    const x = box.x + (box.width * (time - first)) / (newest - first);
    return { x, y: box.y + box.height / 2 };
  }

  it('are in a list and on the time charts, labelled for pointer and keyboard', async () => {
    // Between two panes, so that no point of a line lies there.
    const at = START - 10.4 * MINUTE;
    expect((await mark({ kind: 'deploy', text: 'ranker 2.4', time: at })).status).toBe(201);
    await mark({ kind: 'config', text: 'time.lateness: 30s → 1m', time: START - 20 * MINUTE });
    await mark({ kind: 'note', text: 'long ago', time: START - 3_000 * MINUTE });
    await visitLive();
    await page.locator('#marks li').nth(1).waitFor();
    expect(await page.locator('#marks').getAttribute('aria-label')).toBe(
      'Marks of the last 24 hours',
    );
    const lines = await page.locator('#marks li').allTextContents();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^Deploy ranker 2\.4 .*22:03 UTC$/);
    expect(lines[1]).toMatch(/^Setting time\.lateness: 30s → 1m .*21:54 UTC$/);
    await page.locator('#chart-gini').scrollIntoViewIfNeeded();
    expect(await label().isVisible()).toBe(false);
    const { x, y } = await pointAt(at, START);
    await page.mouse.move(x + 3, y);
    await expect.poll(() => label().isVisible()).toBe(true);
    expect(await label().textContent()).toBe('Deploy: ranker 2.4');
    expect(await textOf('.readout:has(+ #chart-gini)')).toContain('Deploy: ranker 2.4');
    // Cursors move together, but labels stand only where one looks.
    expect(await page.locator('.mark-label:visible').count()).toBe(1);
    await shoot('marks');
    await page.mouse.move(x + 80, y);
    await expect.poll(() => label().isVisible()).toBe(false);
    await page.mouse.move(0, 0);
    // Step by step from the newest pane the keys come by it, although no pane ends there.
    await page.locator('#chart-gini').focus();
    const seen: (string | null)[] = [];
    for (let step = 0; step < 15; step++) {
      await page.keyboard.press('ArrowLeft');
      seen.push((await label().isVisible()) ? await label().textContent() : null);
    }
    expect(seen.filter((text) => text !== null)).toEqual(['Deploy: ranker 2.4']);
    expect(seen.indexOf('Deploy: ranker 2.4')).toBe(10);
    expect(await seriousFaultsOf(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('added while the page is open appear with the next pane, as plain text', async () => {
    await visitLive();
    expect(await page.locator('#marks').isVisible()).toBe(false);
    await mark({ kind: 'note', text: HOSTILE, time: START });
    server.show(snapshotAt(1));
    await page.locator('#marks li').getByText(HOSTILE).waitFor();
    await page.locator('#chart-gini').scrollIntoViewIfNeeded();
    const { x, y } = await pointAt(START, START + MINUTE);
    await page.mouse.move(x, y);
    await expect.poll(() => label().textContent()).toBe(`Note: ${HOSTILE}`);
    expect(await page.title()).toBe('unskew: debiased metrics, live');
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('add a line to the chart', async () => {
    await visitLive();
    const canvas = page.locator('#chart-gini canvas');
    await page.mouse.move(0, 0);
    const pixels = () => canvas.evaluate((node) => (node as unknown as Canvas).toDataURL());
    await page.locator('#chart-gini').scrollIntoViewIfNeeded();
    const before = await pixels();
    expect(await pixels()).toBe(before);
    await mark({ kind: 'note', text: 'here', time: START - 15 * MINUTE });
    // Asked again with the page, whose numbers are the same.
    await page.reload();
    await page.locator('#marks li').waitFor();
    await expect.poll(pixels).not.toBe(before);
  });
});

describe('the controls', () => {
  it('each work at every setting, which the address keeps and the numbers follow', async () => {
    await visitLive();
    for (const name of ['model', 'estimator', 'metric', 'k', 'theme']) {
      const select = page.locator(`#choose-${name}`);
      if (await select.isDisabled()) continue;
      const values = await select
        .locator('option')
        .evaluateAll((all) => all.map((option) => option.getAttribute('value') ?? ''));
      expect(values.length, name).toBeGreaterThan(1);
      for (const value of [...values.slice(1), values[0]]) {
        await select.selectOption(value);
        await expect.poll(() => select.inputValue()).toBe(value);
        const held = new URL(page.url()).searchParams.get(name) ?? '';
        expect(held === value || (held === '' && ['', 'auto'].includes(value))).toBe(true);
      }
    }
    for (const name of ['window', 'aggregation', 'span']) {
      const values = await page
        .locator(`#choose-${name} input`)
        .evaluateAll((all) => all.map((input) => input.getAttribute('value') ?? ''));
      for (const value of [...values].reverse()) {
        const button = page.locator(`#choose-${name} input[value="${value}"]`);
        await button.check({ force: true });
        await expect.poll(() => button.isChecked()).toBe(true);
      }
    }
    expect(errors).toEqual([]);

    // The numbers are of what is chosen.
    await page.locator('#choose-metric').selectOption('recall');
    await page.locator('#choose-k').selectOption('10');
    await page.locator('#choose-window input[value="24h"]').check({ force: true });
    await page.locator('#choose-aggregation input[value="user"]').check({ force: true });
    const asked = { metric: 'recall', k: 10, form: 'user' };
    for (const { value } of estimatesOf(snapshotAt(0), '24h', asked)) {
      await page.locator('#numbers', { hasText: value.toFixed(4) }).waitFor();
    }
    await page.locator('#choose-model').selectOption('popular');
    await expect.poll(() => page.locator('#numbers tbody tr').count()).toBe(1);
    await page.locator('#choose-estimator').selectOption('wtd_h');
    await page.locator('.note', { hasText: 'Solid: wtd_h' }).first().waitFor();
  });

  it('give the time charts a custom range that reloads and new panes do not change', async () => {
    await visitLive();
    const minute = (back: number) => new Date(START - back * MINUTE).toISOString().slice(0, 16);
    const own = page.locator('#choose-span input[value="own"]');
    expect(await page.locator('#own-range').isVisible()).toBe(false);
    await own.check({ force: true });
    // To begin with the last hour.
    expect(await page.locator('#choose-from').inputValue()).toBe(minute(60));
    await page.locator('#choose-from').fill(minute(20));
    await page.locator('#choose-to').fill(minute(10));
    await page.locator('#choose-to').blur();
    const gini = (back: number) => snapshotAt(-back).popularity.exposures['popular'].gini;
    /** From the newest point backwards, one more than there are. */
    const shown = async () => {
      await page.locator('#chart-gini').blur();
      // Models stand by their newest value, which another pane changes.
      const texts = await readBackwards('#chart-gini', 15);
      return [...new Set(texts.map((text) => text.split(' · ').sort().join(' · ')))];
    };
    await expect
      .poll(async () => (await shown()).length)
      // Panes that end after the beginning, and up to the end.
      .toBe(10);
    const points = await shown();
    expect(points[0]).toContain(`popular ${gini(10).toFixed(3)}`);
    expect(points.at(-1)).toContain(`popular ${gini(19).toFixed(3)}`);
    server.show(snapshotAt(1));
    await reached(new Date(START + MINUTE).toISOString().slice(11, 16));
    expect(await shown()).toEqual(points);
    await page.reload();
    await waitForStatus('live');
    await page.locator('#chart-gini canvas').waitFor();
    expect(await own.isChecked()).toBe(true);
    expect(await page.locator('#choose-to').inputValue()).toBe(minute(10));
    await expect.poll(shown).toEqual(points);
    // What cannot be meant is said, and changes nothing.
    await page.locator('#choose-to').fill(minute(25));
    await page.locator('#choose-to').blur();
    expect(await textOf('#range-fault')).toBe('The end must be after the start.');
    expect(await shown()).toEqual(points);
    expect(await seriousFaultsOf(page)).toEqual([]);
    await shoot('own-range');
    await page.locator('#choose-span input[value="24h"]').check({ force: true });
    await expect.poll(async () => (await shown())[0]).toContain(gini(-1).toFixed(3));
    expect(new URL(page.url()).search).toBe('');
    expect(errors).toEqual([]);
  });

  it('take their settings from the address', async () => {
    const query = '?model=popular&metric=dcg&window=24h&estimator=gs&aggregation=user&span=6h';
    await visitLive(`${query}&theme=dark`);
    expect(await page.locator('#choose-model').inputValue()).toBe('popular');
    expect(await page.locator('#choose-metric').inputValue()).toBe('dcg');
    expect(await page.locator('#choose-estimator').inputValue()).toBe('gs');
    for (const [name, value] of [
      ['window', '24h'],
      ['aggregation', 'user'],
      ['span', '6h'],
    ]) {
      expect(await page.locator(`#choose-${name} input[value="${value}"]`).isChecked()).toBe(true);
    }
    const ground = await page.evaluate(
      'getComputedStyle(document.documentElement).getPropertyValue("--scheme").trim()',
    );
    expect(ground).toBe('dark');
  });

  it('can be reached by keyboard alone', async () => {
    await visitLive();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the numbers');
    const seen = new Set<string>();
    for (let step = 0; step < 400 && !seen.has('numbers'); step++) {
      await page.keyboard.press('Tab');
      seen.add(
        (await page.evaluate('document.activeElement.id || document.activeElement.name')) as string,
      );
    }
    for (const name of ['choose-theme', 'choose-model', 'choose-metric', 'choose-k']) {
      expect(seen, name).toContain(name);
    }
    for (const name of ['window', 'aggregation', 'span', 'chart-gini', 'numbers']) {
      expect(seen, name).toContain(name);
    }
  });
});

describe('ticks', () => {
  it('arrive live at the end of the lines', async () => {
    await visitLive();
    for (const minute of [1, 2]) {
      server.show(snapshotAt(minute));
      await reached(`22:1${4 + minute}:00`);
    }
    const gini = (minute: number) =>
      `popular ${snapshotAt(minute).popularity.exposures['popular'].gini.toFixed(3)}`;
    const seen = await readBackwards('#chart-gini', 4);
    [2, 1, 0, -1].forEach((minute, step) => {
      expect(seen[step]).toContain(gini(minute));
    });
  });

  it('that were backfilled from rows are each marked by a dashed line', async () => {
    await server.close();
    server = await serve();
    for (let minute = -30; minute <= 0; minute++) {
      const tick = snapshotAt(minute);
      server.show(minute < -10 ? { ...tick, isBackfilled: true } : tick);
    }
    const own = await opened({});
    await own.addInitScript(`
      window.dashedAt = new Set();
      const { clearRect, moveTo, stroke } = CanvasRenderingContext2D.prototype;
      const isGini = ({ canvas }) => canvas.closest('#chart-gini') !== null;
      CanvasRenderingContext2D.prototype.clearRect = function (...rect) {
        if (isGini(this)) dashedAt.clear();
        return clearRect.apply(this, rect);
      };
      CanvasRenderingContext2D.prototype.moveTo = function (x, y) {
        this.fromX = x;
        return moveTo.call(this, x, y);
      };
      CanvasRenderingContext2D.prototype.stroke = function (...path) {
        if (isGini(this) && path.length === 0 && this.getLineDash().length > 0) dashedAt.add(this.fromX);
        return stroke.apply(this, path);
      };`);
    page = own;
    errors = [];
    requests = [];
    await page.goto(`${server.address}/`);
    await waitForStatus('live');
    await openParts(page);
    await page.locator('#chart-gini canvas').waitFor();
    await expect.poll(() => page.evaluate('dashedAt.size')).toBe(20);
    const seen = await readBackwards('#chart-gini', 31);
    const marked = seen.map((text) => text.includes('unskew backfill'));
    // A mark is read at the panes beside it too.
    expect(marked.slice(0, 10)).not.toContain(true);
    expect(marked.slice(11)).not.toContain(false);
  });

  it('that are still to come are announced, and shown when they arrive', async () => {
    await server.close();
    server = await serve();
    await visit();
    await waitForStatus('waiting');
    expect(await page.locator('#waiting').isVisible()).toBe(true);
    await shoot('waiting');
    server.show({ ...snapshotAt(0), verdicts: [] });
    await waitForStatus('live');
    expect(await page.locator('#waiting').isVisible()).toBe(false);
    expect(await textOf('#verdict .sentence')).toMatch(/^No verdict yet: the first one appears/);
  });
});

describe('a cut stream', () => {
  const portOf = ({ address }: TestServer) => Number(new URL(address).port);

  it('is reported while it lasts, and missed ticks appear once it is back', async () => {
    await visitLive();
    const port = portOf(server);
    const { history } = server;
    await server.close();
    await waitForStatus('lost');
    expect(await textOf('#status')).toMatch(/; retrying$/);
    expect(await textOf('#states')).toContain('Numbers are as of 2023-11-14 22:14:00 UTC');
    expect(await textOf('#trust > summary')).toMatch(
      /^Can these numbers be trusted\? No\. See the status line above for the reason\./,
    );
    expect(await page.locator('#standing table').isVisible()).toBe(true);
    await shoot('lost');
    server = await serve({ port, history });
    for (const minute of [1, 2, 3]) server.show(snapshotAt(minute));
    await waitForStatus('live');
    await reached('22:17:00');
    const missed = `popular ${snapshotAt(2).popularity.exposures['popular'].gini.toFixed(3)}`;
    await expect.poll(async () => (await readBackwards('#chart-gini', 2))[1]).toContain(missed);
  });

  it('shows the ticks stored on disk after the service restarts', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'unskew-restart-'));
    const run = async (port: number, ticks: Snapshot[]) => {
      const history = new History({ keepMs: 24 * 60 * MINUTE });
      const file = new HistoryFile(dir, history);
      await file.open();
      const started = await serve({ port, history });
      for (const snapshot of ticks) {
        started.show(snapshot);
        await file.add(history.ticks.at(-1)!);
      }
      return { started, file };
    };
    try {
      await server.close();
      const before = await run(
        0,
        Array.from({ length: 20 }, (_, n) => snapshotAt(n - 19)),
      );
      server = before.started;
      await visitLive();
      const port = portOf(server);
      await server.close();
      await before.file.close();
      await waitForStatus('lost');
      const after = await run(port, [snapshotAt(1)]);
      server = after.started;
      await waitForStatus('live');
      await reached('22:15:00');
      await page.reload();
      await waitForStatus('live');
      await page.locator('#chart-gini canvas').waitFor();
      const oldest = `popular ${snapshotAt(-19).popularity.exposures['popular'].gini.toFixed(3)}`;
      await expect
        .poll(async () => (await readBackwards('#chart-gini', 21)).at(-1))
        .toContain(oldest);
      await after.file.close();
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

describe('the page of a service that requires a token', () => {
  const TOKEN = 'correct-horse-battery-staple';
  const guarded: Partial<ServerOptions> = { token: TOKEN };

  it('asks for it, rejects a wrong one, and keeps it out of the address', async () => {
    await server.close();
    server = await serve({ ...guarded, snapshot: snapshotAt(0) });
    await visit();
    await page.locator('#token').fill('something-else-entirely');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('This token was not accepted.').waitFor();
    await shoot('login');
    expect(await seriousFaultsOf(page)).toEqual([]);
    await page.locator('#token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await waitForStatus('live');
    await page.locator('#chart-gini canvas').waitFor();
    await page.reload();
    await waitForStatus('live');
    for (const url of requests) expect(url).not.toContain(TOKEN);
    // Chromium itself reports the two refusals; the page adds nothing to them.
    expect(errors.filter((error) => !error.includes('401'))).toEqual([]);
    await page.goto(`${server.address}/docs`);
    await page.getByText('/api/v1/estimates/history').first().waitFor();
  });
});

describe('the page', () => {
  const looks = [
    ['light', undefined],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ] as const;
  // By day the marks' test looks at the same parts in light, and others at a phone and the dark.
  for (const [name, options] of looks) {
    itAtNight(`has no serious accessibility violation by axe (${name})`, async () => {
      await visitLive('', options);
      expect(await seriousFaultsOf(page)).toEqual([]);
      await shoot(name);
    });
  }

  it('requests nothing from other hosts and logs no error, like the console at /docs', async () => {
    await visitLive();
    await page.goto(`${server.address}/docs`);
    await page.getByText('/api/v1/estimates/history').first().waitFor();
    expect(errors).toEqual([]);
    expect(requests.length).toBeGreaterThan(10);
    for (const url of requests) {
      expect(url.startsWith(`${server.address}/`) || url.startsWith('data:'), url).toBe(true);
    }
    await shoot('docs');
  });

  it('fits a phone: only tables scroll sideways, also by keyboard', async () => {
    await visitLive('', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    const widths = (await page.evaluate(
      '[document.documentElement.scrollWidth, innerWidth]',
    )) as number[];
    expect(widths[0]).toBeLessThanOrEqual(390);
    const region = page.getByRole('region', { name: 'All estimators' });
    const scrolled = () =>
      region.evaluate((box) => (box as unknown as { scrollLeft: number }).scrollLeft);
    await region.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(scrolled).toBeGreaterThan(0);
    const before = await scrolled();
    server.show(snapshotAt(1));
    await reached('22:15:00');
    expect(await scrolled()).toBeGreaterThanOrEqual(before);
  });

  it('weighs no more than 150 KB over the wire', async () => {
    for (let minute = 1; minute <= 200; minute++) server.show(snapshotAt(minute));
    const context = await browser.newContext();
    page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    // By request: what is said when one ends is exact; the stream does not end.
    const bytes = new Map<string, number>();
    const urls = new Map<string, string>();
    session.on('Network.requestWillBeSent', ({ requestId, request }) => {
      urls.set(requestId, request.url);
    });
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      bytes.set(requestId, (bytes.get(requestId) ?? 0) + dataLength);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes.set(requestId, encodedDataLength);
    });
    const lastAnswer = page.waitForResponse(/alarms/);
    await page.goto(server.address);
    await (await lastAnswer).finished();
    await page.locator('#chart-gini canvas').waitFor();
    const total = [...bytes.values()].reduce((sum, own) => sum + own, 0);
    expect(bytes.size).toBeGreaterThan(8);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThanOrEqual(150_000);
    // What the details alone draw is asked for once they are open, and from before the page was.
    const ofDetails = (url: string) => /\/(samples|quality)\/history/.test(url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    expect([...urls.values()].filter(ofDetails)).toEqual([]);
    await page.locator('#part-details > summary').click();
    await expect.poll(() => asked.filter(ofDetails).length).toBe(2);
    await page.locator('#chart-samples canvas').waitFor();
  });
});
