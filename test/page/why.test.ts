import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LiveService, liveService } from '../support/live-service.js';
import { seriousFaultsOf } from './axe.js';
import { openParts } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const SECOND = 1000;
const PANE = 5 * SECOND;
const HOSTILE = '<b>\u202Eitem&"';
const shots = process.env['PAGE_SHOTS'];

let browser: Browser;
let page: Page;
let service: LiveService;

interface Gap {
  readonly values: readonly number[];
  readonly gap: number;
  readonly items: readonly { item: string; contribution: number }[];
  readonly rest: { contribution: number };
}

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  service = await liveService({
    'time.tick': '5s',
    'time.windows': ['30s'],
    'time.lateness': '1s',
    'time.idle': '1s',
    'popularity.horizon': '1m',
    gammaPeriod: '30s',
    'attribution.ttl': '10m',
    'estimates.metrics': 'recall',
    'estimates.ks': '2',
    'drift.season': 'none',
  });
  // Panes that close for good: what is asked later is of the same pane as what is shown.
  const end = Math.floor(Date.now() / PANE) * PANE - PANE;
  await service.send(traffic(end - 60 * SECOND, end));
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${service.address}/?theme=light`);
  await openParts(page);
  // What nobody looks at is not asked for.
  await page.locator('#panel-why').scrollIntoViewIfNeeded();
  await page.locator('#why-items tbody tr').first().waitFor();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Model `popular` lists the two that most find; model `own` what a user finds of one's own. */
function traffic(from: number, to: number) {
  const events: Parameters<LiveService['send']>[0][number][] = [];
  const name = (n: number) => (n === 0 ? HOSTILE : `i${n}`);
  for (let ts = from; ts < to; ts += SECOND) {
    for (let n = 0; n < 40; n++) {
      const user = `u${n}`;
      const id = `${ts}-${n}`;
      const own = 2 + ((n * 7) % 38);
      for (const [model, items] of [
        ['popular', [name(0), name(1)]],
        ['own', [name(own), name(1)]],
      ] as const) {
        events.push({
          type: 'exposure',
          id: `${id}-${model}`,
          ts,
          user,
          model,
          items,
          shown: false,
        });
      }
      const item = name(n % 4 === 0 ? own : n % 2);
      events.push({ type: 'interaction', id, ts: ts + 500, user, item });
    }
  }
  return events;
}

async function shoot(name: string): Promise<void> {
  if (shots !== undefined)
    await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const cells = (row: number) =>
  page.locator('#why-items tbody tr').nth(row).locator('th, td').allTextContents();
const asked = async (query: string): Promise<Gap> =>
  (
    await fetch(`${service.address}/api/v1/why?window=30s&metric=recall&k=2&${query}`)
  ).json() as Promise<Gap>;

it('the items behind a gap are listed with contributions that sum to it', async () => {
  await page.locator('#why-model').selectOption('popular');
  await expect.poll(() => new URL(page.url()).searchParams.get('why')).toBe('popular');
  const answer = await (
    await fetch(`${service.address}/api/v1/estimates?window=30s&model=popular`)
  ).json();
  const { results } = (answer as { windows: { results: Record<string, unknown>[] }[] }).windows[0]!;
  const [naive, snips] = ['naive', 'snips'].map(
    (estimator) =>
      results.find((row) => row['estimator'] === estimator && row['aggregation'] === 'pooled')![
        'value'
      ] as number,
  );
  // It lists what is popular: correction takes much away, and the two popular items are why.
  expect(naive! - snips!).toBeGreaterThan(0.1);
  const named = page.locator('#why-items a.item');
  await expect
    .poll(async () => (await named.allTextContents()).slice(0, 2).sort())
    .toEqual([HOSTILE, 'i1']);
  const { gap, items, rest } = await asked('model=popular');
  expect(gap).toBeCloseTo(naive! - snips!, 9);
  const total = items.reduce((sum, { contribution }) => sum + contribution, rest.contribution);
  expect(total).toBeCloseTo(gap, 9);
  expect(await cells(0)).toContainEqual(expect.stringContaining(items[0]!.contribution.toFixed(4)));
  expect(await page.locator('#why-sentence').textContent()).toMatch(
    /naive \d.*snips .*a gap of \+/,
  );
  for (const id of ['why-activity', 'why-taste']) {
    const shares = await page.locator(`#${id} tbody td:last-child`).allTextContents();
    const sum = shares.reduce(
      (all, text) => all + Number(text.replace('−', '-').replace(/[^\d.-]/g, '') || 0),
      0,
    );
    expect(Math.abs(sum - 100), id).toBeLessThanOrEqual(shares.length);
  }
  expect(await seriousFaultsOf(page)).toEqual([]);
  await page.locator('#panel-why').scrollIntoViewIfNeeded();
  await shoot('why');
});

it('two models can be compared by their items, and the address keeps the pair', async () => {
  await page.locator('#why-model').selectOption('own');
  await page.locator('#why-against').selectOption('popular');
  const { values } = await asked('model=own&against=popular');
  const text = (value: number) => value.toFixed(4);
  await page
    .locator('#why-sentence', { hasText: `own ${text(values[0]!)}, popular ${text(values[1]!)}` })
    .waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('why'), searchParams.get('against')]).toEqual(['own', 'popular']);
  await page.reload();
  await openParts(page);
  await page.locator('#panel-why').scrollIntoViewIfNeeded();
  await page.locator('#why-sentence', { hasText: 'popular' }).waitFor();
  expect(await page.locator('#why-against').inputValue()).toBe('popular');
  await page.locator('#why-against').selectOption('');
});

it('an item opens its own view with a shareable address, and Escape closes it', async () => {
  await page.locator('#why-model').selectOption('popular');
  const link = page.locator('#why-items a.item', { hasText: HOSTILE });
  await link.click();
  const view = page.locator('#item-view');
  await view.getByText('Lists with the item').waitFor();
  expect(await view.locator('h2').textContent()).toBe(HOSTILE);
  // 40 users found it as often in both windows; `popular` had it first in every list of theirs.
  const row = view.locator('tbody tr', { hasText: 'popular' });
  const [, held, median, best] = await row.locator('td').allTextContents();
  expect([median, best]).toEqual(['1', '1']);
  const [listed, rows] = held!.split(' of ').map(Number);
  expect(listed).toBe(rows);
  expect(rows).toBeGreaterThan(5);
  await expect.poll(() => view.locator('dd').first().textContent()).toMatch(/interactions count/);
  expect(await seriousFaultsOf(page)).toEqual([]);
  await shoot('item');
  const address = page.url();
  await view.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => view.isVisible()).toBe(false);
  await link.click();
  await view.getByText('Lists with the item').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => view.isVisible()).toBe(false);
  // A browser reports the closing once the view is gone.
  await expect.poll(() => page.url()).not.toContain('#item');
  const other = await browser.newPage();
  await other.goto(address);
  await other.locator('#item-view dd').first().waitFor();
  expect(await other.locator('#item-view h2').textContent()).toBe(HOSTILE);
  await other.goto(`${service.address}/#item=nothing-of-the-kind`);
  await other.getByText('no interaction or list in a closed pane').waitFor();
  await other.close();
});
