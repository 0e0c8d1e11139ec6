import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { reportHtml } from '../../src/outputs/report/report.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { makeSnapshot, type SnapshotShape } from '../fixtures/snapshot.js';
import { unskew } from '../support/program.js';
import { inThirds } from '../support/thirds.js';
import { aVerdict } from '../support/verdict.js';
import { seriousFaultsOf } from './axe.js';
import { sharedBrowser } from './shared-browser.js';

const HOSTILE = '<script>document.title="owned"</script><img src=x onerror="document.title=1">';

let browser: Browser;
/** For all that ask for no more than a size or a colour scheme: to open another costs a second. */
let plain: Page;
let page: Page;
let errors: string[] = [];
let requests: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'unskew-report-'));
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
afterEach(async () => {
  if (page === plain) await page.goto('about:blank');
  else await page?.context().close();
});

/** A page that notes what it complains of and asks for. */
async function opened(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  const made = await context.newPage();
  made.on('console', (message) => errors.push(message.text()));
  made.on('pageerror', (error) => errors.push(error.message));
  made.on('request', (request) => requests.push(request.url()));
  return made;
}

interface Look {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly isMobile?: boolean;
}

/** Opens a file as a user would. */
async function open(path: string, look: Look = {}): Promise<void> {
  const { viewport = { width: 1280, height: 900 }, colorScheme = 'light', isMobile } = look;
  page = isMobile === true ? await opened({ isMobile }) : plain;
  await page.setViewportSize(viewport);
  await page.emulateMedia({ media: null, colorScheme });
  errors = [];
  requests = [];
  await page.goto(pathToFileURL(path).href);
  await page.evaluate('for (const own of document.querySelectorAll(".appendix")) own.open = true');
}

async function shoot(name: string, fullPage = false): Promise<void> {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`), fullPage });
}

function written(shape: SnapshotShape = {}): string {
  const path = join(folder, 'report.html');
  writeFileSync(path, reportHtml(makeSnapshot(shape), 0, new Outcomes()));
  return path;
}

async function text(selector = 'body'): Promise<string> {
  return (await page.locator(selector).textContent()) ?? '';
}

const isGiven = ({ withheld }: { withheld: string | null }) => withheld === null;

it('the report holds the numbers that evaluate --json prints for the same log', async () => {
  const log = join(folder, 'log');
  const simulated = ['simulate', '--out', log, '--users', '60', '--cycles', '4'];
  expect(await unskew(simulated)).toMatchObject({ code: 0 });
  const path = join(folder, 'simulated.html');
  const files = ['--train', join(log, 'train.ndjson'), '--events', join(log, 'events.ndjson')];
  const { code, stdout } = await unskew(['evaluate', ...files, '--json', '--html', path]);
  expect(code).toBe(0);
  const { results, differences, propensity, feedback } = JSON.parse(stdout);
  await open(path);
  const shown = await text();
  const given = results.filter(isGiven);
  expect(given.length).toBeGreaterThan(100);
  for (const { value, stdErr, lower, upper } of given) {
    expect(shown).toContain(value.toFixed(4));
    expect(shown).toContain(stdErr.toFixed(4));
    expect(shown).toContain(`${lower.toFixed(4)} to ${upper.toFixed(4)}`);
  }
  expect(differences.length).toBeGreaterThan(50);
  for (const { lower, upper } of differences.filter(isGiven)) {
    for (const end of [lower, upper]) expect(shown).toContain(Math.abs(end).toFixed(4));
  }
  expect(shown).toContain(propensity.fits['*'].poisson.gamma.toFixed(3));
  const beside = feedback.uncaused.results;
  expect(await page.locator('.row.uncorrected').count()).toBe(
    [...given, ...beside].filter(({ estimator }) => estimator === 'naive').length,
  );
  expect(await page.locator('path.series').count()).toBeGreaterThanOrEqual(4);
  await shoot('report', true);
});

it.each(['light', 'dark'] as const)(
  'the report requests nothing, runs no script and logs nothing, in %s mode',
  async (colorScheme) => {
    const path = written();
    await open(path, { colorScheme });
    expect(errors).toEqual([]);
    expect(requests).toEqual([pathToFileURL(path).href]);
    expect(await page.locator('script, link, img, iframe, object').count()).toBe(0);
    expect(readFileSync(path, 'utf8')).not.toMatch(/https?:|url\((?!#)|@import/);
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(16, 21, 27)' : 'rgb(246, 247, 249)');
  },
);

it('the report shows hostile names as plain text', async () => {
  await open(written({ models: [HOSTILE, '__proto__', '"><svg onload=alert(1)>'] }));
  expect(await page.title()).toBe('unskew: debiased evaluation');
  expect(await page.getByText(HOSTILE).first().isVisible()).toBe(true);
  expect(await page.locator('script, img, [onload], [onerror]').count()).toBe(0);
  expect(await text('#estimates ~ *:has(.group) >> nth=0')).toContain('"><svg onload=alert(1)>');
  expect(await text()).toContain('__proto__');
  expect(errors).toEqual([]);
});

it('the report has a language, ordered headings, and table headers for every row and column', async () => {
  await open(written());
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  const levels = await page
    .locator('h1, h2, h3, h4')
    .evaluateAll((headings) =>
      headings.map((heading) => Number((heading as unknown as { tagName: string }).tagName[1])),
    );
  expect(levels[0]).toBe(1);
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  levels.slice(1).forEach((level, h) => {
    expect(level).toBeLessThanOrEqual(levels[h]! + 1);
  });
  const tables = await page.locator('table').count();
  expect(tables).toBeGreaterThan(8);
  expect(await page.locator('table > caption').count()).toBe(tables);
  expect(await page.locator('tbody tr').count()).toBe(await page.locator('th[scope=row]').count());
  expect(await page.locator('thead th:not([scope=col])').count()).toBe(0);
});

it('the report fits a phone: nothing but its tables is wider than the screen', async () => {
  const models = ['a-name-without-any-place-to-break-'.repeat(9), 'good'];
  await open(written({ models }), { viewport: { width: 390, height: 844 }, isMobile: true });
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(390);
});

it('the report prints the numbers that are folded away on screen', async () => {
  await open(written());
  const numbers = page.locator('details table').first();
  expect(await numbers.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  const height = await numbers.evaluate(
    (element) => (element as unknown as { offsetHeight: number }).offsetHeight,
  );
  expect(height).toBeGreaterThan(100);
});

it('the report says so if nothing was evaluated', async () => {
  await open(written({ models: [] }));
  expect(await text('main')).toContain('Nothing is evaluated');
  expect(errors).toEqual([]);
});

/** A sheet of A4 without its margins of 12 mm, at 96 pixels an inch. */
const SHEET = { width: 703, height: 1032 };

it.each([
  ['two', ['good', 'popular']],
  ['64 long-named', Array.from({ length: 64 }, (_, m) => `${'ranker-of-the-team-'.repeat(8)}${m}`)],
])('the report begins with one sheet that sums it up: %s models', async (_, models) => {
  const snapshot = makeSnapshot({ models });
  const pairs = models.slice(1).map((model) => aVerdict({ model, reference: models[0]!, k: 5 }));
  const path = join(folder, 'sheet.html');
  const thirds = inThirds({ ...snapshot, verdicts: pairs }, models, 5);
  writeFileSync(path, reportHtml(thirds, 0, new Outcomes()));
  await open(path, { viewport: SHEET });
  await page.emulateMedia({ media: 'print' });
  const first = page.locator('.first');
  const { y, height } = (await first.boundingBox())!;
  expect(y + height).toBeLessThanOrEqual(SHEET.height);
  const shown = await first.innerText();
  for (const heading of [
    'Which model is better?',
    'corrected and uncorrected',
    'Where models win',
    'Details below.',
  ]) {
    expect(shown).toContain(heading);
  }
  // The best models are in the chart, with their numbers.
  const own = snapshot.windows[0]!.results.filter(
    ({ metric, k, form: aggregation, estimator }) =>
      metric === 'recall' && k === 5 && aggregation === 'pooled' && estimator === 'snips',
  );
  const best = own.sort((a, b) => b.value - a.value).slice(0, 2);
  for (const { value } of best) expect(shown).toContain(value.toFixed(4));
  for (const value of ['head', 'middle', 'tail']) expect(shown).toContain(value);
  expect(shown).toContain(thirds.windows[0]!.segments!.numbers[0]!.value[2]!.toFixed(4));
  const paper = await page.pdf({ preferCSSPageSize: true, pageRanges: '1' });
  expect(paper.length).toBeGreaterThan(10_000);
  // What did not fit is said to be below, and is there on paper.
  const left = models.length - 5;
  if (left > 0) expect(shown).toContain(`${left} more models below`);
  const more = await page.locator('section:has(#more)').innerText();
  expect(more).toContain('Can these numbers be trusted?');
  expect(more.match(/Can’t tell yet whether/g) ?? []).toHaveLength(pairs.length - 1);
  if (models.length === 2) expect(await seriousFaultsOf(page)).toEqual([]);
  await shoot(`report-sheet-${models.length}`);
});
