import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type LiveService, liveService } from '../support/live-service.js';
import { seriousFaultsOf } from './axe.js';
import { sharedBrowser } from './shared-browser.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Panes of 5 s, and popularity over a minute: a few minutes of events are a whole history. */
const QUICK = {
  'time.tick': '5s',
  'time.windows': ['30s'],
  'time.lateness': '1s',
  'time.idle': '1s',
  'popularity.horizon': '1m',
  gammaPeriod: '30s',
  'attribution.ttl': '10m',
  'estimates.metrics': 'recall',
  'estimates.ks': '2',
  'value.horizon': '5s',
  'drift.window': '30s',
  'drift.season': 'none',
  'drift.learn': 3,
};
const shots = process.env['PAGE_SHOTS'];

let browser: Browser;
let page: Page;
let service: LiveService;

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
}, 300_000);
afterAll(() => browser?.close());
afterEach(async () => {
  await page.goto('about:blank');
  await service.stop();
});

async function opened(overrides: Readonly<Record<string, unknown>> = {}): Promise<void> {
  service = await liveService({ ...QUICK, ...overrides });
  await page.goto(service.address);
  // The states behind the count of problems.
  await page.evaluate('document.querySelector("#problems").click()');
}

/** Few, since a history of minutes is read in each test; as many as make an alarm of missing lists. */
const USERS = 15;
const MANY_USERS = 40;
const MODELS: readonly string[] = ['good', 'popular'];

/** Each second every user sees a list of each model and finds one item. */
function traffic(from: number, to: number, models = MODELS, users = USERS) {
  const events: Parameters<LiveService['send']>[0][number][] = [];
  for (let ts = from; ts < to; ts += SECOND) {
    for (let n = 0; n < users; n++) {
      const user = `u${n}`;
      const id = `${ts}-${n}`;
      for (const model of models) {
        const items = [`i${(n * 7) % 40}`, `i${n % 5}`, 'i1'].filter(
          (item, place, all) => all.indexOf(item) === place,
        );
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
      const item = `i${(n * 7) % (n % 3 === 0 ? 40 : 5)}`;
      events.push({ type: 'interaction', id, ts: ts + 500, user, item });
    }
  }
  return events;
}

const line = (code: string) => page.locator(`#states li[data-code="${code}"]`);
const status = () => page.locator('#status').textContent();
const icon = () => page.locator('#tab-icon').getAttribute('href');

async function shoot(name: string): Promise<void> {
  if (shots === undefined) return;
  for (const [look, colorScheme, width] of [
    ['light', 'light', 1440],
    ['phone', 'dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(shots, `state-${name}-${look}.png`) });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function readyStates(): Promise<string[]> {
  const answer = (await (await fetch(`${service.address}/readyz`)).json()) as {
    states: { code: string }[];
  };
  return answer.states.map(({ code }) => code);
}

async function measuredStates(): Promise<string[]> {
  const text = await (await fetch(`${service.address}/metrics`)).text();
  return [...text.matchAll(/^unskew_state\{state="(\w+)"\} 1$/gm)].map(([, code]) => code);
}

it('an empty service shows what arrives, what is rejected and why, and what it waits for', async () => {
  await opened();
  await line('nothing_read').getByText('unskew.exposures and unskew.interactions').waitFor();
  await shoot('nothing');
  await service.sendBytes(['no json', '{"id":"x"}', '{"id":"y"}']);
  await line('all_rejected').getByText('All 3 events that have arrived were rejected.').waitFor();
  const row = page.locator('#arrived tr', { hasText: 'unskew.interactions' });
  await row.getByText('missing_field 2, not_json 1').waitFor();
  expect(await status()).toBe('All rejected');
  expect(await seriousFaultsOf(page)).toEqual([]);
  await shoot('rejected');
  // Within the first pane: nothing closes it but what comes later.
  const start = Math.floor(Date.now() / (5 * SECOND)) * 5 * SECOND - 60 * MINUTE;
  await service.send(traffic(start, start + 4 * SECOND));
  // A pane of 5 s, a lateness of 1 s, and clocks that differ by up to 2 s.
  const due = new Date(start + 8 * SECOND).toISOString().slice(11, 19);
  await line('no_pane').getByText(due).waitFor();
  expect(await row.locator('td').first().textContent()).toBe(`${4 * USERS}`);
  await shoot('waiting');
});

it('a stopped producer makes page, tab, /readyz, metrics and log say stale', async () => {
  await opened();
  const now = Date.now();
  // It stopped two and a half minutes ago, after two minutes.
  const sent = traffic(now - 4.5 * MINUTE, now - 2.5 * MINUTE);
  await service.send(sent);
  const newest = new Date(Number(sent.at(-1)!.ts)).toISOString().slice(11, 19);
  await line('stale').getByText(`${newest} UTC`).waitFor();
  expect(await line('stale').textContent()).toMatch(/The newest event is [23] min old/);
  await expect.poll(status).toMatch(/^Stale: newest event [23] min ago$/);
  expect(await page.title()).toBe('Stale · unskew');
  expect(await icon()).toBe('/icon-alert.svg');
  await page.locator('#trust > summary', { hasText: 'No. See the status line above' }).waitFor();
  expect(await page.locator('#trust').getAttribute('data-tone')).toBe('bad');
  expect(await page.locator('#verdict').getAttribute('data-tone')).not.toBe('good');
  expect(await readyStates()).toContain('stale');
  expect(await measuredStates()).toContain('stale');
  await expect
    .poll(() => service.logged.filter(({ state }) => state === 'stale').length, { timeout: 20_000 })
    .toBe(1);
  await shoot('stale');
  // It is back.
  const back = Date.now();
  await service.send(traffic(back - 3 * SECOND, back + 2 * SECOND));
  await line('stale').waitFor({ state: 'detached' });
  // The panes of the silence close one after another.
  await expect.poll(status, { timeout: 50_000 }).toBe('Live');
  expect(await icon()).toBe('/icon.svg');
  expect(await measuredStates()).not.toContain('stale');
});

it('the page names a lost broker as the reason', async () => {
  await opened();
  const now = Date.now();
  await service.send(traffic(now - 2 * MINUTE, now));
  await page.locator('#status', { hasText: 'Live' }).waitFor();
  service.broker('disconnected');
  await line('away').getByText('Kafka cannot be reached. Numbers are as of').waitFor();
  expect(await page.locator('#states li').first().getAttribute('data-code')).toBe('away');
  expect(await status()).toBe('Kafka unreachable');
  expect(await page.locator('#trust > summary').textContent()).toMatch(
    /\? No\. See the status line/,
  );
  // What the count of problems holds is closed: the first screen says once what is away.
  await page.getByRole('button', { name: /problem/ }).click();
  const seen = await page.evaluate<string>('document.body.innerText');
  expect(seen.match(/Kafka/g)).toEqual(['Kafka']);
  await page.getByRole('button', { name: /problem/ }).click();
  expect(await readyStates()).toContain('away');
  await shoot('broker');
  service.broker('connected');
  await line('away').waitFor({ state: 'detached' });
});

it('a model that stops sending lists raises an alarm, also in the line on changes', async () => {
  await opened();
  const from = Math.floor((Date.now() - 6 * MINUTE) / (30 * SECOND)) * 30 * SECOND;
  const gone = from + 4 * MINUTE;
  await service.send(traffic(from, gone, MODELS, MANY_USERS));
  await service.send(traffic(gone, Date.now(), ['good'], MANY_USERS));
  await line('alarm')
    .getByText(/popular has sent no lists since \d\d:\d\d UTC/)
    .waitFor({ timeout: 90_000 });
  expect(await page.locator('#states li').first().getAttribute('data-code')).toBe('alarm');
  // The numbers are current nevertheless.
  await expect.poll(status, { timeout: 30_000 }).toBe('Live');
  expect(await page.title()).toBe('Alarm · unskew');
  await page.locator('#changed', { hasText: 'popular has sent no lists.' }).waitFor();
  expect(await page.locator('#changed').textContent()).toMatch(
    /^\d\d:\d\d UTC popular, without a deployment or other mark before it/,
  );
  expect(await seriousFaultsOf(page)).toEqual([]);
  await shoot('alarm');
});

it('the page reports models beyond models.max, a short history and detectors that still learn', async () => {
  const overrides = { 'models.max': 2, 'popularity.horizon': '10m', 'drift.learn': 24 };
  await opened(overrides);
  const now = Date.now();
  await service.send(traffic(now - MINUTE, now, ['a', 'b', 'zebra']));
  await line('models_dropped')
    .getByText(/not evaluated: zebra\./)
    .waitFor();
  await line('warming_up')
    .getByText(/so far, of 10 min/)
    .waitFor();
  await line('learning').waitFor();
  await page.locator('#alarms', { hasText: 'learn' }).waitFor();
  await page.locator('#changed', { hasText: 'no alarm' }).waitFor();
  await shoot('early');
});

it('steady metrics are reported as learning the baseline while detectors still learn', async () => {
  await opened({ 'drift.learn': 24 });
  const now = Date.now();
  // Popularity is whole, and nothing ever changes: eight stretches of the 24 that teach.
  await service.send(traffic(now - 4 * MINUTE, now));
  await line('learning').waitFor();
  await page.locator('#changed', { hasText: 'Learning the baseline' }).waitFor();
  // Gone once the last of the panes is read, however busy the machine.
  await line('warming_up').waitFor({ state: 'detached' });
  await page.locator('#alarms', { hasText: 'No alarm yet. Learning the baseline' }).waitFor();
  const { windows } = (await (await fetch(`${service.address}/api/v1/estimates`)).json()) as {
    windows: { findings: { code: string }[] }[];
  };
  expect(windows[0].findings.map(({ code }) => code)).toContain('detectors_learn');
  await shoot('learning');
});
