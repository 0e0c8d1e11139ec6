import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { serve, type TestServer } from '../support/http-server.js';
import { seriousFaultsOf } from './axe.js';
import { textsBelow } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const MODELS = ['personal', 'blend', 'other'];
const shots = process.env['PAGE_SHOTS'];

let browser: Browser;
let page: Page;
let server: TestServer;

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  page = await browser.newPage();
}, 300_000);
afterAll(() => browser?.close());
afterEach(async () => {
  await page.goto('about:blank');
  await server?.close();
});

/** What each model finds on items or devices of each value; null: too few users. */
const FOUND = {
  item_popularity: {
    head: { share: 0.2, personal: 0.1, blend: 0.4, other: null },
    middle: { share: 0.5, personal: 0.3, blend: 0.25, other: null },
    tail: { share: 0.3, personal: 0.6, blend: 0.05, other: 0.15 },
  },
  device: {
    '<i>phone</i>': { share: 0.9, personal: 0.35, blend: 0.2, other: 0.1 },
    desktop: { share: 0.1, personal: 0.2, blend: 0.3, other: 0.1 },
  },
} as const;
type Line = { readonly share: number } & Readonly<Record<string, number | null>>;
const linesOf = (dimension: keyof typeof FOUND) =>
  Object.entries(FOUND[dimension]) as [string, Line][];
const DIMENSIONS = Object.keys(FOUND) as (keyof typeof FOUND)[];

function divided(snapshot: Snapshot): Snapshot {
  // Nothing is missing, and no other value is there.
  const column = (of: (line: Line) => number) =>
    DIMENSIONS.flatMap((dimension) => [0, 0, ...linesOf(dimension).map(([, line]) => of(line))]);
  const numbers = MODELS.map((model) => {
    const value = column((line) => line[model] ?? 0.9);
    return {
      model,
      metric: 'recall' as const,
      k: 10,
      estimator: 'snips' as const,
      form: 'pooled' as const,
      value,
      stdErr: value.map(() => 0.01),
      lower: value.map((own) => own - 0.02),
      upper: value.map((own) => own + 0.02),
      share: column(({ share }) => share),
      contribution: value,
      users: value.map(() => 50),
      ess: column((line) => (line[model] === null ? 3 : 50)),
    };
  });
  const segments = {
    dimensions: DIMENSIONS,
    numbers,
    minUsers: 30,
    hidden: DIMENSIONS.map(() => 0),
    names: DIMENSIONS.map((dimension) => ['', '', ...linesOf(dimension).map(([name]) => name)]),
    rows: DIMENSIONS.map((dimension) => [
      0,
      0,
      ...linesOf(dimension).map(([, { share }]) => 100 * share),
    ]),
  };
  const windows = snapshot.windows.map((window) => ({
    ...window,
    segments,
    // The order of the models: by their value over all.
    results: window.results.map((row) =>
      row.estimator === 'snips' ? { ...row, value: 0.5 - MODELS.indexOf(row.model) / 10 } : row,
    ),
  }));
  return { ...snapshot, windows };
}

/** Where the best model of all loses stands first. */
function inOrder(dimension: keyof typeof FOUND) {
  const ahead = (line: Line) =>
    line[MODELS[0]!]! - Math.max(...MODELS.slice(1).map((model) => line[model] ?? -1));
  return linesOf(dimension).sort(([, a], [, b]) => ahead(a) - ahead(b));
}

/** Name and share, then each model with its value, as the charts have them. */
const chartTexts = () =>
  page
    .locator('.multiples figure')
    .evaluateAll((figures) =>
      (figures as unknown as { innerText: string }[]).map(({ innerText }) =>
        innerText.split('\n').map((text) => text.replace('\u00a0', ' ').trim()),
      ),
    );

it.each([
  { name: 'laptop', width: 1440 },
  { name: 'phone', width: 390 },
])(
  'bar charts and a map show each model’s estimates by segment, on a $name',
  async ({ name, width }) => {
    server = await serve({ snapshot: divided(makeSnapshot({ models: MODELS })) });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${server.address}/?metric=recall&k=10#part-segments`);
    for (const dimension of DIMENSIONS) {
      await page.locator('#choose-dimension').selectOption(dimension);
      const ordered = inOrder(dimension);
      const expected = ordered.map(([value, line]) => [
        `${value} ${100 * line.share} %`,
        ...MODELS.flatMap((model) => [model, line[model]?.toFixed(3) ?? '–']),
      ]);
      await expect.poll(chartTexts).toEqual(expected);
      // All bars are on one scale: the longest is of the largest value.
      const values = ordered.flatMap(([, line]) => MODELS.map((model) => line[model] ?? 0));
      const widths = await page
        .locator('.multiples .fill')
        .evaluateAll((bars) =>
          (bars as unknown as { getBoundingClientRect(): { width: number } }[]).map(
            (bar) => bar.getBoundingClientRect().width,
          ),
        );
      const longest = Math.max(...widths);
      const most = Math.max(...values);
      expect(longest).toBeGreaterThan(20);
      values.forEach((value, n) => {
        expect(widths[n]! / longest).toBeCloseTo(value / most, 1);
      });
      expect(await textsBelow(page.locator('#segment-map'), 'tbody th')).toEqual(
        ordered.map(([value]) => value),
      );
      const cells = await textsBelow(page.locator('#segment-map'), 'tbody td');
      ordered.forEach(([, line], l) => {
        MODELS.forEach((model, m) => {
          const cell = cells[l * (MODELS.length + 1) + m + 1]!;
          expect(cell.slice(0, 5)).toBe(line[model]?.toFixed(3) ?? '–');
        });
      });
      if (shots !== undefined) {
        await page
          .locator('#panel-segments')
          .screenshot({ path: join(shots, `segments-${dimension}-${name}.png`) });
      }
    }
    expect(new URL(page.url()).searchParams.get('dimension')).toBe('device');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await seriousFaultsOf(page)).toEqual([]);
  },
);
