import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PairVerdict } from '../../src/features/verdict.js';
import { reportHtml } from '../../src/outputs/report/report.js';
import { evaluationTable } from '../../src/outputs/text/evaluation.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { serve } from '../support/http-server.js';
import { aVerdict } from '../support/verdict.js';
import { sharedBrowser } from './shared-browser.js';

const VALUE = { metric: 'value', k: null, rung: 'experiment' } as const;
const NAMES = ['personal', 'device', 'A & <b>"1"</b>'];

/** One of each kind, names that a page could take for something else among them. */
const SAID: Readonly<Record<string, PairVerdict>> = {
  prefer: aVerdict({
    ...VALUE,
    state: 'prefer',
    better: 'blend',
    value: -0.3,
    lower: -0.4,
    upper: -0.2,
    figures: { isIfChance: 1, above: -0.2 },
    of: ['device', NAMES[2]!],
    against: 'recall@10',
  }),
  leads: aVerdict({ state: 'leads', better: 'personal', against: 'uncorrected recall@10' }),
  probably: aVerdict({ ...VALUE, rung: 'arms', state: 'probably', better: 'personal' }),
  unknown: aVerdict({ ...VALUE, rung: 'arms', state: 'unknown', figures: { covered: 0.78 } }),
  'no preference': aVerdict({ ...VALUE, rung: 'observed', state: 'no_preference' }),
  none: aVerdict({
    ...VALUE,
    state: 'none',
    reason: 'mixed_users',
    of: NAMES,
    figures: { own: 0.6, all: 0.5 },
  }),
};

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await sharedBrowser();
  page = await browser.newPage();
}, 300_000);
afterAll(() => browser?.close());

const plain = (text: string | null) => (text ?? '').replaceAll(/\s+/g, ' ').trim();

it.each(Object.entries(SAID))(
  'page, report, API and command line give the same sentence for the verdict %s',
  async (_, verdict) => {
    const snapshot = { ...makeSnapshot(), verdicts: [verdict] };
    const reading = { accepted: 1, duplicate: 0, late: 0, faults: [] };
    const server = await serve({ snapshot });
    try {
      const answer = await (await fetch(`${server.address}/api/v1/verdicts`)).json();
      const [{ text }] = (answer as { findings: [{ text: string }] }).findings;
      expect(text).not.toMatch(/undefined|NaN|null/);
      await page.goto(server.address);
      const sentence = page.locator('#verdict .sentence');
      await expect.poll(() => sentence.textContent()).toBe(text);
      await page.setContent(reportHtml(snapshot, 0, reading));
      expect(plain(await page.locator('main').textContent())).toContain(plain(text));
      expect(plain(evaluationTable(snapshot, 0, reading))).toContain(plain(text));
    } finally {
      await server.close();
    }
  },
);
