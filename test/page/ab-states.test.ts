import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { answerOf } from '../support/ab-answer.js';
import { type AbWorld, abLog } from '../support/ab-world.js';
import { serve } from '../support/http-server.js';
import { sharedBrowser } from './shared-browser.js';

const shots = process.env['PAGE_SHOTS'];
const SIZES = { laptop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

let browser: Browser;
beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
}, 300_000);
afterAll(() => browser?.close());

const testOf = (world: Partial<AbWorld>) => answerOf(abLog({ seed: 1, users: 400, ...world }));

/** As a service has it whose arm b was deployed again since the last look. */
function overtaken(snapshot: Snapshot): Snapshot {
  const changedAt = snapshot.paneEnd - 3_600_000;
  const changed = { changed: 'b', changedAt, startsAgain: changedAt, changedBy: 'mark' } as const;
  const verdicts = snapshot.verdicts?.map((verdict) => ({ ...verdict, ...changed }));
  return { ...snapshot, ...(verdicts && { verdicts }) };
}

const STATES: readonly [name: string, snapshot: () => Snapshot, headline: RegExp][] = [
  ['running', () => testOf({ users: 100 }), /^Can’t tell yet whether b beats a: /],
  ['won', () => testOf({ better: () => 2 }), /^b beats a: [\d.]+ vs [\d.]+ clicks per user/],
  [
    'overtaken',
    () => overtaken(testOf({ better: () => 2 })),
    /^b changed at [\d:]+ UTC \(deployment\): the comparison has restarted\.$/,
  ],
];

describe.each(Object.entries(SIZES))('on the first screen of a %s', (size, viewport) => {
  it.each(STATES)('an A/B test that is %s opens with its answer', async (name, of, headline) => {
    const server = await serve({ snapshot: of() });
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    try {
      await page.goto(server.address);
      const sentence = page.locator('#verdict .sentence');
      await expect.poll(() => sentence.textContent()).toMatch(headline);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(viewport.width);
      await page.locator('#standings, .standings').first().waitFor();
      // A tick that comes meanwhile draws the table again.
      const table = page.locator('.standings').first();
      await expect.poll(async () => (await table.boundingBox())?.y).toBeLessThan(viewport.height);
      if (shots !== undefined)
        await page.screenshot({ path: join(shots, `ab-${name}-${size}.png`) });
    } finally {
      await context.close();
      await server.close();
    }
  });
});
