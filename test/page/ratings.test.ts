import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { CalibrationBin } from '../../src/features/ratings/rating-report.js';
import { reportHtml } from '../../src/outputs/report/report.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { serve, type TestServer } from '../support/http-server.js';
import { ratingsReportOf } from '../support/ratings-report.js';
import { ratingOf } from '../support/rows.js';
import { seriousFaultsOf } from './axe.js';
import { textsBelow } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const START = 1_700_000_040_000;
const HOSTILE = '<img src=x onerror="document.title=1">';
const MODELS = ['good', HOSTILE];

let browser: Browser;
let server: TestServer;
/** For all that ask for nothing special: to open another takes as long as a test. */
let plain: Page;
let page: Page;
let errors: string[] = [];
let requests: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'unskew-ratings-'));
const shots = process.env['PAGE_SHOTS'];

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  plain = await opened({});
}, 300_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  server = await serve();
});
afterEach(async () => {
  if (page === plain) await page.goto('about:blank');
  else await page?.context().close();
  await server.close();
});

/** Those who rated gave what the model predicts; of all pairs, users would give `lower` less. */
function bins(model: string, lower: number): CalibrationBin[] {
  return [1.5, 2, 2.5, 3, 4].map((predicted, b) => ({
    model,
    from: predicted,
    to: predicted + 0.5,
    rows: 100 + b,
    predicted,
    rated: predicted,
    corrected: predicted - lower,
  }));
}

function rated(minute: number, lower: number): Snapshot {
  const snapshot = makeSnapshot({ models: MODELS, paneEnd: START + minute * 60_000 });
  const ratings = ratingsReportOf({ calibration: MODELS.flatMap((model) => bins(model, lower)) });
  return { ...snapshot, windows: snapshot.windows.map((window) => ({ ...window, ratings })) };
}

/** A page whose complaints and requests are noted. */
async function opened(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const made = await context.newPage();
  made.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  made.on('pageerror', (error) => errors.push(error.message));
  made.on('request', (request) => requests.push(request.url()));
  return made;
}

async function open(address: string, options?: BrowserContextOptions): Promise<void> {
  page = options === undefined ? plain : await opened(options);
  errors = [];
  requests = [];
  await page.goto(address);
}

/** How far dots stand above the diagonal of their chart, in units of its drawing. */
async function aboveDiagonal(chart: string, kind: 'rated' | 'corrected'): Promise<number[]> {
  const dots = page.locator(`${chart} circle.${kind}[cx]`);
  const places = await dots.evaluateAll((found) =>
    found.map((dot) => {
      const numberOf = (name: string) =>
        Number((dot as unknown as { getAttribute(name: string): string }).getAttribute(name));
      return { x: numberOf('cx'), y: numberOf('cy') };
    }),
  );
  const even = page.locator(`${chart} .even`).first();
  const [x1, y1, x2, y2] = await even.evaluate((line) => {
    const drawn = line as unknown as {
      getTotalLength(): number;
      getPointAtLength(at: number): { x: number; y: number };
    };
    const [from, to] = [0, drawn.getTotalLength()].map((at) => drawn.getPointAtLength(at));
    return [from.x, from.y, to.x, to.y];
  });
  return places.map(({ x, y }) => y1 + ((x - x1) / (x2 - x1)) * (y2 - y1) - y);
}

const CHART = '#chart-calibration figure:first-child';
const shown = (time: string) => page.locator('#reached', { hasText: time }).waitFor();

it('the calibration chart plots actual against predicted ratings per model and follows the ticks', async () => {
  server.show(rated(0, 1));
  await open(`${server.address}/?window=1h`);
  await page.locator(`${CHART} svg`).waitFor();
  expect(await textsBelow(page.locator('#chart-calibration'), 'figcaption')).toEqual(MODELS);
  expect(await page.locator('#chart-calibration img').count()).toBe(0);
  const plain = await aboveDiagonal(CHART, 'rated');
  expect(plain).toHaveLength(5);
  for (const height of plain) expect(Math.abs(height)).toBeLessThan(0.1);
  const corrected = await aboveDiagonal(CHART, 'corrected');
  expect(corrected).toHaveLength(5);
  for (const height of corrected) expect(height).toBeLessThan(-10);
  const label = await page.locator(`${CHART} svg`).getAttribute('aria-label');
  expect(label).toContain('predicted 4.00, rated 4.00, corrected 3.00, 104 pairs');
  expect(await page.locator('#calibration tbody tr').count()).toBe(10);
  expect(await seriousFaultsOf(page)).toEqual([]);
  if (shots !== undefined) {
    const panel = page.locator('section.panel', { has: page.locator('#chart-calibration') });
    await panel.screenshot({ path: join(shots, 'calibration.png') });
  }

  server.show(rated(1, -1));
  await shown('22:15:00');
  await expect
    .poll(async () => Math.min(...(await aboveDiagonal(CHART, 'corrected'))))
    .toBeGreaterThan(10);
  expect(errors).toEqual([]);
});

it('the calibration chart has no corrected points without propensities, and is hidden without ratings', async () => {
  server.show(rated(0, Number.NaN));
  await open(`${server.address}/?window=1h`);
  await page.locator(`${CHART} circle.rated`).first().waitFor();
  expect(await page.locator(`${CHART} circle.corrected`).count()).toBe(0);
  expect(await page.locator(`${CHART} svg`).getAttribute('aria-label')).not.toContain('corrected');

  server.show(makeSnapshot({ models: MODELS, paneEnd: START + 60_000 }));
  await shown('22:15:00');
  await page.locator('#chart-calibration').waitFor({ state: 'hidden' });
  expect(errors).toEqual([]);
});

/** As `rated`, with numbers of two metrics that grow by the minute. */
function measured(minute: number): Snapshot {
  const snapshot = rated(minute, 1);
  const estimates = MODELS.flatMap((model) =>
    (['mae', 'mse'] as const).flatMap((metric, m) =>
      (['naive', 'snips'] as const).map((estimator, e) => {
        const value = 1 + m + e / 2 + minute / 8;
        const row = { model, metric, k: null, estimator, aggregation: 'user', value } as const;
        return ratingOf({
          ...row,
          stdErr: 0.1,
          lower: 0.5,
          upper: 4,
          users: 8,
          ess: 7,
          events: 20,
        });
      }),
    ),
  );
  const windows = snapshot.windows.map((window) => ({
    ...window,
    ratings: { ...window.ratings!, estimates },
  }));
  return { ...snapshot, windows };
}

it('the chart over time draws the chosen rating metric from history and stream', async () => {
  for (const minute of [0, 1]) server.show(measured(minute));
  await open(`${server.address}/?window=1h&aggregation=user`);
  const chart = page.locator('#chart-ratings-over-time');
  const told = (text: string) =>
    expect.poll(() => chart.getAttribute('aria-label')).toContain(text);
  await told('mae by snips over time; newest: ');
  await told('good 1.625');
  expect(requests.filter((url) => /estimates\/history.*metric=(mae|mse)&/.test(url))).toHaveLength(
    2,
  );
  await page.locator('#rating-metric').selectOption('mse');
  await told('mse by snips over time; newest: ');
  await told('good 2.625');
  server.show(measured(2));
  await told('good 2.750');
  expect(await page.locator('#rating-metric').inputValue()).toBe('mse');
  expect(await seriousFaultsOf(page)).toEqual([]);
});

it('the page with ratings fits a phone', async () => {
  server.show(rated(0, 1));
  await open(server.address, { viewport: { width: 390, height: 844 }, isMobile: true });
  await page.locator(`${CHART} svg`).waitFor();
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(390);
});

it('the report has the calibration chart too', async () => {
  const path = join(folder, 'report.html');
  writeFileSync(path, reportHtml(rated(0, 1), 0, new Outcomes()));
  await open(pathToFileURL(path).href);
  await page.locator('.appendix > summary').click();
  expect(await page.locator('.calibration h4').allInnerTexts()).toEqual(MODELS);
  const chart = '.calibration >> nth=0 >> svg >>';
  for (const height of await aboveDiagonal(chart, 'rated')) {
    expect(Math.abs(height)).toBeLessThan(0.1);
  }
  const corrected = await aboveDiagonal(chart, 'corrected');
  expect(corrected).toHaveLength(5);
  for (const height of corrected) expect(height).toBeLessThan(-10);
  expect(errors).toEqual([]);
  if (shots !== undefined) {
    await page.locator('section:has(#ratings)').screenshot({ path: join(shots, 'report.png') });
  }
});
