import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { serve, type TestServer } from '../support/http-server.js';
import { seriousFaultsOf } from './axe.js';
import { openParts, textsBelow } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const MINUTE = 60_000;
const START = 1_700_000_040_000;
const shots = process.env['PAGE_SHOTS'];
const QUERY = '?metric=recall&k=5&aggregation=pooled&window=1h';

let browser: Browser;
let page: Page;
let server: TestServer;

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
}, 300_000);
afterAll(() => browser?.close());
afterEach(async () => {
  await page.goto('about:blank');
  await server.close();
});

const named = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `two-tower-ranker-2026-candidate-${n}-of-the-fleet-v${n}`,
  );

/** Pooled recall@5 by snips of each model, by its place among the names. */
async function shown(models: readonly string[], snips: (n: number) => number): Promise<void> {
  server = await serve();
  for (let minute = -5; minute <= 0; minute++) {
    const snapshot = makeSnapshot({ models, paneEnd: START + minute * MINUTE, start: 50 + minute });
    const windows = snapshot.windows.map((window) => ({
      ...window,
      results: window.results.map((row) => {
        if (row.estimator !== 'snips' || row.form !== 'pooled') return row;
        const value = snips(models.indexOf(row.model));
        // At first nothing is known.
        const half = minute === -5 ? 5 : 0.01;
        return { ...row, value, lower: value - half, upper: value + half, ess: 500 };
      }),
    }));
    server.show({ ...snapshot, windows, truth: [] });
  }
  await page.goto(`${server.address}/${QUERY}`);
  await page.locator('#chart-gini canvas').waitFor();
  await openParts(page);
}

const rows = () => page.locator('#numbers tbody th').allTextContents();
const drawn = async () =>
  ((await page.locator('#chart-estimates').getAttribute('aria-label')) ?? '').match(/-v\d+/g);

it('64 models are ranked by value, charts draw eight, and nothing scrolls sideways', async () => {
  const models = named(64);
  await shown(models, (n) => ((n * 29) % 64) / 100);
  const best = models
    .map((model, n) => ({ model, value: (n * 29) % 64 }))
    .sort((a, b) => b.value - a.value)
    .map(({ model }) => model);
  expect(await rows()).toEqual(best);
  expect(await drawn()).toEqual(best.slice(0, 8).map((model) => model.match(/-v\d+$/)![0]));
  await page.locator('#models-summary', { hasText: '64 models' }).waitFor();
  // Closed again it is three screens, with what tells the names apart.
  await page.reload();
  await page.locator('#chart-gini canvas').waitFor();
  const screens = (await page.evaluate('document.documentElement.scrollHeight / 900')) as number;
  expect(screens).toBeLessThanOrEqual(3);
  const standing = page.locator('#standing');
  const eight = await textsBelow(standing, 'tbody th');
  expect(eight).toHaveLength(8);
  await page.getByRole('button', { name: 'Show 56 more models' }).click();
  await expect.poll(async () => (await textsBelow(standing, 'tbody th')).length).toBe(64);
  const names = await textsBelow(standing, 'tbody th');
  expect(new Set(names).size).toBe(64);
  names.forEach((name, place) => {
    const [, number] = /candidate-(\d+)-/.exec(best[place]!)!;
    expect(name).toContain(number);
  });
  await page.getByRole('button', { name: 'Show fewer' }).click();
  expect(await seriousFaultsOf(page)).toEqual([]);
  if (shots !== undefined) {
    await page.locator('#models summary').click();
    await page.screenshot({ path: join(shots, 'many-64.png'), fullPage: true });
  }
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  if (shots !== undefined) await page.screenshot({ path: join(shots, 'many-64-phone.png') });
  await page.setViewportSize({ width: 1440, height: 900 });
});

it('16 models can be searched, pinned and hidden, and the address keeps the choice', async () => {
  const models = named(16);
  await shown(models, (n) => n / 100);
  await page.locator('#models summary').click();
  await page.getByLabel('Search').fill('candidate-3-');
  const list = page.locator('#model-rows li:visible');
  await expect.poll(() => list.count()).toBe(1);
  await page.getByRole('button', { name: `Pin ${models[3]}`, exact: true }).click();
  await expect.poll(async () => (await rows())[0]).toBe(models[3]);
  expect((await drawn())![0]).toBe('-v3');
  await page.getByLabel('Search').fill('');
  await page.getByRole('button', { name: `Hide ${models[15]}`, exact: true }).click();
  await expect.poll(rows).not.toContain(models[15]);
  await page.locator('#models-summary', { hasText: '15 of 16 models' }).waitFor();
  await page.reload();
  await openParts(page);
  await expect.poll(async () => (await rows()).slice(0, 2)).toEqual([models[3], models[14]]);
  if (shots !== undefined) {
    await page.screenshot({ path: join(shots, 'many-16.png'), fullPage: true });
  }
  await page.locator('#models summary').click();
  await page.getByRole('button', { name: 'Show all, unpin all' }).click();
  await expect.poll(async () => (await rows())[0]).toBe(models[15]);
  expect(new URL(page.url()).searchParams.has('hide')).toBe(false);
});
