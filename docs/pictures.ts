/**
 * `npm run docs:pictures`: draws the pictures of the documents. A simulated log gives docs/problem.svg
 * and docs/report.png, and the demo gives docs/page.png. Seeds and clocks are fixed, so that two runs
 * show the same numbers.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../test/page/chromium.js';
import { eventually, RunningService, unskew } from '../test/support/program.js';
import { type ModelValues, picture } from './problem-picture.js';

const MODELS = ['blend', 'personal', 'popular'];
/** Time at which the report and the demo begin: the demo's history ends at its last quarter of a day. */
const START = Date.UTC(2026, 0, 31, 12);
/** The alarm comes within two minutes; a busy machine takes longer. */
const PATIENCE_MS = 300_000;

interface Value {
  readonly model: string;
  readonly metric: string;
  readonly k: number | null;
  readonly aggregation: string;
  readonly estimator?: string;
  readonly value: number;
}

const placeOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A script that moves the clock of its process or page to the start. */
function clockScript(): string {
  return `const now = Date.now; Date.now = () => now() + ${START - Date.now()};`;
}

function withClock(script: string) {
  return { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(script)}"` };
}

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await unskew(args, withClock(clockScript()));
  if (code !== 0) throw new Error(`unskew ${args.join(' ')} ended with ${code}:\n${stderr}`);
  return stdout;
}

/** The order of the models in a simulated log, and the report of that log. */
async function drawLog(browser: Browser, folder: string): Promise<void> {
  const [train, events, report] = ['train.ndjson', 'events.ndjson', 'report.html'].map((name) =>
    join(folder, name),
  );
  await run('simulate', '--out', folder);
  const files = ['--train', train, '--events', events, '--k', '10', '--metrics', 'recall'];
  const { results } = JSON.parse(await run('evaluate', ...files, '--json', '--html', report));
  const { intervals } = JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8'));
  const models: ModelValues[] = MODELS.map((model) => ({
    model,
    naive: recallOf(results, model, 'naive'),
    corrected: recallOf(results, model, 'snips'),
    truth: recallOf(intervals.at(-1).values, model),
  }));
  writeFileSync(placeOf('problem.svg'), picture(models));
  const page = await browser.newPage({ viewport: { width: 1180, height: 1320 } });
  await page.goto(pathToFileURL(report).href);
  await page.screenshot({ path: placeOf('report.png') });
}

function recallOf(values: readonly Value[], model: string, estimator?: string): number {
  const found = values.find(
    (each) =>
      each.model === model &&
      each.metric === 'recall' &&
      each.k === 10 &&
      each.aggregation === 'user' &&
      each.estimator === estimator,
  );
  if (found === undefined) throw new Error(`the run has no recall@10 of ${model}`);
  return found.value;
}

/** The page of the demo, as soon as it shows the alarm. */
async function drawDemo(browser: Browser): Promise<void> {
  const clock = clockScript();
  const demo = await RunningService.start(['demo', '--port', '0'], withClock(clock));
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(clock);
    await page.goto(demo.address);
    await page.locator('#changed .alarm').waitFor({ timeout: PATIENCE_MS });
    await eventually(
      'the alarm in the title',
      () => page.title(),
      (title) => title.includes('Alarm'),
      PATIENCE_MS,
    );
    await page.screenshot({ path: placeOf('page.png'), animations: 'disabled' });
  } finally {
    await demo.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'unskew-pictures-'));
const browser = await launchChromium();
try {
  await drawLog(browser, folder);
  await drawDemo(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
