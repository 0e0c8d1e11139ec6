import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LiveService, liveService } from '../support/live-service.js';
import { seriousFaultsOf } from './axe.js';
import { openParts } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const SECOND = 1000;
const PANE = 5 * SECOND;
const shots = process.env['PAGE_SHOTS'];
const folder = mkdtempSync(join(tmpdir(), 'unskew-share-'));

let browser: Browser;
let context: BrowserContext;
let page: Page;
let service: LiveService;

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  service = await liveService({
    'time.tick': '5s',
    'time.windows': ['30s', '1m'],
    'time.lateness': '1s',
    'time.idle': '1s',
    'popularity.horizon': '1m',
    gammaPeriod: '30s',
    'attribution.ttl': '10m',
    'estimates.metrics': 'recall,dcg',
    'estimates.ks': '1,2',
    'drift.season': 'none',
    'page.environment': 'staging <eu>',
  });
  const end = Math.floor(Date.now() / PANE) * PANE - PANE;
  await service.send(traffic(end - 120 * SECOND, end));
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await context.newPage();
  await page.goto(`${service.address}/?theme=light&window=1m&metric=dcg&k=2`);
  await page.locator('#chart-estimates canvas').waitFor();
  await openParts(page);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true });
});

function traffic(from: number, to: number) {
  const events: Parameters<LiveService['send']>[0][number][] = [];
  for (let ts = from; ts < to; ts += SECOND) {
    for (let n = 0; n < 15; n++) {
      const user = `u${n}`;
      const id = `${ts}-${n}`;
      for (const [model, items] of [
        ['popular', ['i0', 'i1']],
        ['own', [`i${n}`, 'i1']],
      ] as const) {
        const distinct = [...new Set(items)];
        events.push({
          type: 'exposure',
          id: `${id}-${model}`,
          ts,
          user,
          model,
          items: distinct,
          shown: false,
        });
      }
      events.push({
        type: 'interaction',
        id,
        ts: ts + 500,
        user,
        item: `i${n % 3 === 0 ? n : n % 2}`,
      });
    }
  }
  return events;
}

it('the name of the environment is in the header and the tab', async () => {
  expect(await page.locator('#environment').textContent()).toBe('staging <eu>');
  expect(await page.title()).toMatch(/ · staging <eu>$/);
});

it('the copied link of a chart opens the same window, metric and time range', async () => {
  const panel = page.locator('#panel-estimates-over-time');
  await page.locator('#choose-model').selectOption('own');
  await panel.getByRole('link', { name: /^Copy link/ }).click();
  await panel.getByRole('link', { name: /^Copied, / }).waitFor();
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  await page.locator('#choose-model').selectOption('');
  const other = await context.newPage();
  await other.goto(copied);
  await other.locator('#chart-estimates canvas').waitFor();
  const { searchParams, hash } = new URL(copied);
  expect(hash).toBe('#panel-estimates-over-time');
  const chosen = Object.fromEntries(searchParams);
  expect(chosen).toMatchObject({ model: 'own', window: '1m', metric: 'dcg', k: '2', span: 'own' });
  expect(await other.locator('#choose-model').inputValue()).toBe('own');
  expect(await other.locator('#choose-metric').inputValue()).toBe('dcg');
  expect(await other.locator('#choose-window input:checked').inputValue()).toBe('1m');
  expect(await other.locator('#choose-from').inputValue()).toBe(chosen['from']);
  // What it shows later too: a day that ended with the newest pane.
  const [from, to] = ['from', 'to'].map((name) => Date.parse(`${chosen[name]}Z`));
  expect(to! - from!).toBeGreaterThan(86_340_000);
  await expect
    .poll(() =>
      other
        .locator('#panel-estimates-over-time')
        .evaluate((box) => box.getBoundingClientRect().top),
    )
    .toBeLessThan(500);
  await other.close();
});

it('every chart downloads as a PNG whose file name has the environment', async () => {
  const boxes = page.locator('.panel:visible:has(.uplot canvas), .panel:visible:has(svg)');
  const count = await boxes.count();
  expect(count).toBeGreaterThan(7);
  for (let n = 0; n < count; n++) {
    const box = boxes.nth(n);
    const downloading = page.waitForEvent('download');
    await box.getByRole('button', { name: /^PNG/ }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(
      /^unskew-staging_eu_-[\w-]+-dcg-2-1m-\d{4}-.*\.png$/,
    );
    const path = join(folder, 'chart.png');
    await download.saveAs(path);
    const bytes = readFileSync(path);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    const width = bytes.readUInt32BE(16);
    const height = bytes.readUInt32BE(20);
    const { width: shown } = (await box.boundingBox())!;
    expect(Math.abs(width - 2 * shown)).toBeLessThan(8);
    expect(height).toBeGreaterThan(300);
    // An empty picture of this size would be a few KB.
    expect(bytes.length, (await box.locator('h2').textContent()) ?? '').toBeGreaterThan(9_000);
    if (shots !== undefined) writeFileSync(join(shots, download.suggestedFilename()), bytes);
  }
});

it('a term shows its definition when activated, and Escape closes it', async () => {
  const term = page.locator('#panel-estimates-over-time .term', { hasText: 'snips' });
  await term.focus();
  await page.keyboard.press('Enter');
  const meaning = page.locator('#meaning');
  expect(await meaning.textContent()).toBe(
    'snips: Estimator: sum over interactions weighted by 1 / propensity, divided by the sum of the weights.',
  );
  expect(await term.getAttribute('aria-expanded')).toBe('true');
  expect(await seriousFaultsOf(page)).toEqual([]);
  const { x, width } = (await meaning.boundingBox())!;
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(1440);
  await page.keyboard.press('Escape');
  expect(await meaning.count()).toBe(0);
});

/** What stands beyond the paper, by what it is. */
const BEYOND_PAPER = `[...document.querySelectorAll('body *')]
  .filter((own) => own.getBoundingClientRect().right > 704 && !own.closest('.unseen'))
  .map((own) => (own.closest('[id]')?.id ?? '') + ' ' + own.tagName + ' ' + own.className)`;

it('the page prints on A4 without its controls, and nothing exceeds the paper', async () => {
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  // 186 mm at 96 dpi.
  await page.setViewportSize({ width: 703, height: 1000 });
  await expect.poll(() => page.evaluate(BEYOND_PAPER)).toEqual([]);
  for (const hidden of ['.controls', '.tools', '.theme', '.picks']) {
    expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
  }
  expect(await page.locator('#verdict').isVisible()).toBe(true);
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true, printBackground: true });
  if (shots !== undefined) writeFileSync(join(shots, 'page.pdf'), pdf);
  const text = pdf.toString('latin1');
  const pages = text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(pages).toBeGreaterThan(1);
  expect(pages).toBeLessThan(8);
  // A4 in points.
  for (const [, width, height] of text.matchAll(/\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/g)) {
    expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
  }
});
