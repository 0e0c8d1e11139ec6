import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createServer, type HttpServer } from '../../src/adapters/http/server.js';
import type { Estimate } from '../../src/estimators/estimate.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { launchChromium } from './chromium.js';

const HOSTILE = '<script>document.title="owned"</script><img src=x onerror="document.title=1">';

let browser: Browser;
let server: HttpServer;
let page: Page;
let latest: Snapshot | undefined;
let errors: string[];
let requests: string[];
const shots = process.env['PAGE_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'unskew-page-'));

beforeAll(async () => {
  mkdirSync(shots, { recursive: true });
  browser = await launchChromium();
}, 300_000);
afterAll(() => browser?.close());

beforeEach(async () => {
  latest = makeSnapshot();
  server = await serve(0);
});
afterEach(async () => {
  await page?.context().close();
  await server.close();
});

function serve(port: number): Promise<HttpServer> {
  return createServer({
    host: '127.0.0.1',
    port,
    exporter: { contentType: 'text/plain', metrics: async () => '' },
    latest: () => latest,
    health: () => [],
    readiness: () => [],
    log: { error: (_, message) => expect.unreachable(message) },
  });
}

async function visit(options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  page = await context.newPage();
  errors = [];
  requests = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(server.address);
}

const status = () => page.locator('#status');
const waitForStatus = (state: string) => page.locator(`#status[data-state="${state}"]`).waitFor();

async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? '';
}

async function shoot(name: string): Promise<void> {
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** How many estimates have an interval that naive lies outside of. */
function farFromNaive(results: readonly Estimate[]): number {
  return results.filter((row) => {
    const naive = results.find(
      (other) =>
        other.estimator === 'naive' &&
        other.model === row.model &&
        other.metric === row.metric &&
        other.k === row.k &&
        other.aggregation === row.aggregation,
    )!;
    return row !== naive && (naive.value < row.lower || naive.value > row.upper);
  }).length;
}

it('shows every estimate of every window with its error and its distance from naive', async () => {
  await visit();
  await waitForStatus('live');
  for (const window of latest!.windows) {
    const region = page.getByRole('region', { name: `Last ${window.name}` });
    const text = await textOf(region);
    for (const row of window.results) {
      expect(text).toContain(row.value.toFixed(4));
      expect(text).toContain(`± ${row.stdErr.toFixed(4)}`);
    }
    const naive = window.results.find(
      (row) => row.estimator === 'naive' && row.aggregation === 'user',
    )!;
    const snips = window.results.find(
      (row) => row.estimator === 'snips' && row.aggregation === 'user',
    )!;
    const line = region
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'recall@5' }) });
    const cells = await line.first().getByRole('cell').allTextContents();
    expect(cells[0]).toContain(naive.value.toFixed(4));
    expect(cells[0]).not.toMatch(/[▲▼]/);
    const gap = snips.value - naive.value;
    const words = gap < 0 ? `▼ −${(-gap).toFixed(4)}` : `▲ +${gap.toFixed(4)}`;
    expect(cells[1]).toContain(words);
    expect(await region.locator('.far').count()).toBe(farFromNaive(window.results));
    const truth = latest!.truth!.find((row) => row.model === 'good' && row.aggregation === 'user')!;
    expect(cells[5]).toBe(truth.value.toFixed(4));
  }
  await shoot('light');
});

it('shows γ, the fits, the concentrations and the counts', async () => {
  await visit();
  await waitForStatus('live');
  const { propensity, popularity } = latest!;
  const summary = await textOf(page.locator('#summary'));
  expect(summary).toContain('2.000');
  expect(summary).toContain('last good fit');
  expect(summary).toContain('22:14:00 UTC');
  const fits = await textOf(page.getByRole('region', { name: 'Presentation bias' }));
  expect(fits).toContain(propensity.fits['popular']!.ols.gamma.toFixed(3));
  expect(fits).toContain('✓ ok');
  const concentration = await textOf(page.getByRole('region', { name: 'Concentration' }));
  expect(concentration).toContain(popularity.exposures['good']!.gini.toFixed(3));
  expect(await textOf(page.locator('main'))).toContain('2,345 pairs, 1,234 positive');
});

it('follows the newest pane and lets a window go that is no longer there', async () => {
  await visit();
  await waitForStatus('live');
  const next = makeSnapshot({ start: 99, windows: ['1h', '7d'], paneEnd: 1_700_000_100_000 });
  latest = next;
  await page.getByRole('region', { name: 'Last 7d' }).waitFor();
  expect(await page.getByRole('region', { name: 'Last 24h' }).count()).toBe(0);
  expect(await textOf(page.getByRole('region', { name: 'Last 1h' }))).toContain(
    next.windows[0]!.results[0]!.value.toFixed(4),
  );
});

it('marks the estimate that is nearest to the truth only where the truth is known', async () => {
  await visit();
  await waitForStatus('live');
  expect(await page.locator('td .nearest').count()).toBe(2 * 2 * latest!.windows.length);
  const { truth: _, ...real } = makeSnapshot({ start: 5 });
  latest = real;
  await page.locator('td.true').first().waitFor({ state: 'detached' });
  expect(await page.locator('td .nearest').count()).toBe(0);
  await page.getByText('How to read this').click();
  expect(await page.getByText('Effective users is how many').isVisible()).toBe(true);
  expect(await page.locator('#legend-truth').isVisible()).toBe(false);
});

it('shows a hostile model name as the text it is', async () => {
  latest = makeSnapshot({ models: [HOSTILE, '__proto__', 'good'] });
  await visit();
  await waitForStatus('live');
  expect(await page.getByText(HOSTILE).first().isVisible()).toBe(true);
  expect(await page.title()).toBe('unskew: debiased metrics, live');
  expect(await page.locator('main script, main img').count()).toBe(0);
  expect(await textOf(page.getByRole('region', { name: 'Last 1h' }))).toContain('__proto__');
  expect(errors).toEqual([]);
  await shoot('hostile');
});

it('says that there is nothing yet, and then shows what comes', async () => {
  latest = undefined;
  await visit();
  await waitForStatus('waiting');
  expect(await page.locator('#waiting').isVisible()).toBe(true);
  await shoot('waiting');
  latest = makeSnapshot();
  await waitForStatus('live');
  expect(await page.locator('#waiting').isVisible()).toBe(false);
});

it('says that the service is gone while it is, and recovers', async () => {
  await visit();
  await waitForStatus('live');
  const port = Number(new URL(server.address).port);
  await server.close();
  await waitForStatus('lost');
  expect(await textOf(status())).toContain('Cannot reach the service; trying again.');
  expect(await page.getByRole('region', { name: 'Last 1h' }).isVisible()).toBe(true);
  await shoot('lost');
  server = await serve(port);
  await waitForStatus('live');
});

it('asks no other host for anything and logs no error', async () => {
  await visit({ colorScheme: 'dark' });
  await waitForStatus('live');
  await page.waitForRequest((request) => request.url().endsWith('/api/v1/estimates'));
  expect(errors).toEqual([]);
  expect(requests.length).toBeGreaterThan(4);
  for (const url of requests) expect(url.startsWith(`${server.address}/`), url).toBe(true);
  await shoot('dark');
});

it('fits a phone: only the tables scroll sideways, and by keyboard too', async () => {
  await visit({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await waitForStatus('live');
  const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
  expect((widths as number[])[0]).toBeLessThanOrEqual(390);
  const region = page.getByRole('region', { name: 'Last 1h' });
  const scrolled = () =>
    region.evaluate((box) => (box as unknown as { scrollLeft: number }).scrollLeft);
  await region.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(scrolled).toBeGreaterThan(0);
  const before = await scrolled();
  latest = makeSnapshot({ start: 42, paneEnd: 1_700_000_100_000 });
  await page.getByText('22:15:00').first().waitFor();
  expect(await scrolled()).toBeGreaterThanOrEqual(before);
  await shoot('phone');
});
