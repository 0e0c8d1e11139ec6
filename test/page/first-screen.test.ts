import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Alarm } from '../../src/features/alarm.js';
import { alarmStates } from '../../src/features/drift/alarm-states.js';
import type { WordedState } from '../../src/rows/findings/state.js';
import { wordedStates } from '../../src/rows/findings/state-words.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { serve, type TestServer } from '../support/http-server.js';
import { IS_LONG } from '../support/repetitions.js';
import { aVerdict } from '../support/verdict.js';
import { seriousFaultsOf } from './axe.js';
import { launchChromium } from './chromium.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 7, 12);
const shots = process.env['PAGE_SHOTS'];

let browser: Browser;
let page: Page;
let server: TestServer;

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await launchChromium();
}, 300_000);
afterAll(() => browser?.close());
afterEach(async () => {
  await page?.context().close();
  await server?.close();
});

const ALARM: Alarm = {
  ...{ series: 'estimate/snips/recall@10/blend', detector: 'cusum', score: 9, threshold: 6 },
  ...{ since: START - 90 * MINUTE, at: START - 30 * MINUTE, size: -6.2, suppressed: null },
  ...{ models: ['blend'], level: { before: 0.0712, now: 0.0164 } },
  topItems: [{ item: 'i194', before: 0.007, share: 0.1 }],
};

/** What a stranger asks, and where it has to be answered, by what the test made. */
const VERDICT = {
  states: [],
  answers: {
    'which model': ['#answer-better .word', /^personal$/],
    'how sure': ['#answer-better .sentence', /\+0\.0361 \(\+0\.0270 to \+0\.0452\)/],
    'since when': ['#answer-better .sentence', /since 2026-03-02/],
    why: ['#why-better', /^Why: items and users behind it$/],
    'what now': ['#answer-better .sentence', /^Prefer personal over blend/],
  },
} as const;
const ALARMED = {
  states: wordedStates(alarmStates([ALARM])),
  answers: {
    'which model': ['#states .said', /recall@10 of blend by snips has fallen/],
    'how sure': [
      '#states .said',
      /from 0\.071 to 0\.016 \(−77\s%\), 6\.2 standard deviations away/,
    ],
    'since when': ['#states .said', / since 10:30 UTC/],
    why: ['#states .said', /Items behind it: i194 0\.7\s% → 10\.0\s%/],
    'what now': ['#states .remedy', /^See what was deployed or changed then, and take it back/],
  },
} as const;

/** The page of these states, with a verdict, half an hour after its first pane. */
async function opened(
  states: readonly WordedState[],
  width: number,
  height: number,
): Promise<void> {
  server = await serve({ state: () => ({ states, arrivals: null }) });
  const verdicts = [aVerdict({ state: 'prefer', better: 'personal' })];
  for (let minute = -30; minute <= 0; minute++) {
    const shape = { models: ['personal', 'blend', 'other'], start: 100 + minute };
    const paneEnd = START + minute * MINUTE;
    server.show({ ...makeSnapshot({ ...shape, paneEnd }), verdicts });
  }
  const context = await browser.newContext({ viewport: { width, height } });
  page = await context.newPage();
  await page.goto(server.address);
  await page.locator('#chart-gini canvas').waitFor();
}

describe('five questions of a stranger are answered', () => {
  describe.each([
    // On a phone, one screen and its next.
    { screen: 'on the first screen of a laptop', width: 1280, height: 800, fold: 800 },
    { screen: 'on the first two screens of a phone', width: 390, height: 844, fold: 2 * 844 },
  ])('$screen', ({ screen, width, height, fold }) => {
    const ofVerdict = { what: 'a verdict', ...VERDICT };
    const ofAlarm = { what: 'an alarm', ...ALARMED };
    const short = [width > height ? ofVerdict : ofAlarm];
    it.each(IS_LONG ? [ofVerdict, ofAlarm] : short)(
      'by $what',
      async ({ what, states, answers }) => {
        await opened(states, width, height);
        for (const [question, [place, text]] of Object.entries(answers)) {
          const found = page.locator(place).first();
          expect(await found.textContent(), question).toMatch(text);
          const box = (await found.boundingBox())!;
          expect(box.y, question).toBeGreaterThanOrEqual(0);
          expect(box.y + box.height, question).toBeLessThanOrEqual(fold);
          expect(box.x + box.width, question).toBeLessThanOrEqual(width);
        }
        // All four answers are there too.
        for (const answer of ['better', 'growth', 'flattered', 'trust']) {
          const box = (await page.locator(`#answer-${answer} .word`).boundingBox())!;
          expect(box.y + box.height, answer).toBeLessThanOrEqual(fold);
        }
        expect(await seriousFaultsOf(page)).toEqual([]);
        if (shots === undefined) return;
        const name = `first-${what}-${screen}`.replaceAll(/\W+/g, '-');
        await page.screenshot({ path: join(shots, `${name}.png`) });
      },
    );
  });

  it('from a verdict one press leads to what is behind it', async () => {
    await opened([], 1280, 800);
    await page.locator('#why-better').click();
    await expect.poll(() => page.locator('#why-model').inputValue()).toBe('personal');
    expect(await page.locator('#why-against').inputValue()).toBe('blend');
    const top = async () => (await page.locator('#panel-why').boundingBox())!.y;
    await expect.poll(top).toBeLessThan(400);
  });
});
