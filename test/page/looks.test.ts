import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LiveService, liveService } from '../support/live-service.js';
import { IS_LONG } from '../support/repetitions.js';
import { seriousFaultsOf } from './axe.js';
import { openParts } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const SECOND = 1000;
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
let service: LiveService | undefined;

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
}, 300_000);
afterAll(() => browser?.close());

/** Turned around, without an end, and what would be markup. */
const HOSTILE = [
  '\u202egnorw si siht\u202d <b>bold</b>',
  `\u2067${'long-name-without-a-place-to-break-'.repeat(8)}`,
  '"><img src=x onerror="document.title=1">',
];

interface Traffic {
  readonly models: readonly string[];
  /** Of this model the list of each interaction, which names it, was seen. */
  readonly causedBy?: string;
  readonly users?: number;
}

/** Users see a list of each model each second, and find one item. */
function traffic(
  { models, causedBy, users = 20 }: Traffic,
  spanMs = 75 * SECOND,
): Parameters<LiveService['send']>[0] {
  const now = Date.now();
  const events: Parameters<LiveService['send']>[0][number][] = [];
  for (let ts = now - spanMs; ts < now; ts += SECOND) {
    for (let n = 0; n < users; n++) {
      const user = `u${n}`;
      const id = `${ts}-${n}`;
      const found = `i${(n * 7) % (n % 3 === 0 ? 40 : 5)}`;
      models.forEach((model, m) => {
        const items = [...new Set([causedBy === model ? found : `i${(n * 7 + m) % 40}`, 'i1'])];
        const shown = model === causedBy;
        events.push({ type: 'exposure', id: `${id}-${m}`, ts, user, model, items, shown });
      });
      const cause = causedBy === undefined ? {} : { exposure: `${id}-${models.indexOf(causedBy)}` };
      events.push({ type: 'interaction', id, ts: ts + 500, user, item: found, ...cause });
    }
  }
  return events;
}

const status = () => page.locator('#status').textContent();
const width = () => page.evaluate('document.documentElement.scrollWidth') as Promise<number>;

async function shoot(name: string): Promise<void> {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `look-${name}.png`) });
}

async function opened(options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  page = await context.newPage();
}

interface State {
  readonly name: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly traffic: Traffic;
  /** What the strip has to say, by what was sent; undefined: nothing. */
  readonly says?: readonly [code: string, text: RegExp];
}

/** Each is made of events alone. */
const STATES: readonly State[] = [
  { name: 'one model', traffic: { models: ['alone'] } },
  {
    name: 'a served list that drove every interaction',
    traffic: { models: ['served', 'other'], causedBy: 'served' },
    says: [
      'own_lists',
      /^Estimates of .*served.* are not reported, because served lists drove too many/,
    ],
  },
  {
    name: 'a sample of the users',
    settings: { 'limits.users': 64 },
    traffic: { models: ['fresh', 'crowd'], users: 160 },
    says: ['sampled', /^Estimates are from 1 user in (2|3|4|8), sampled by hash/],
  },
  { name: 'hostile, right-to-left and very long names', traffic: { models: HOSTILE } },
];

describe('the page of a live service with', () => {
  afterEach(async () => {
    await page?.context().close();
    await service?.stop();
    service = undefined;
  });

  it.each(IS_LONG ? STATES : STATES.slice(1, 2))('$name', async (state) => {
    const { name, settings = {}, says } = state;
    service = await liveService({ ...QUICK, ...settings });
    await opened();
    await page.goto(service.address);
    await service.send(traffic(state.traffic));
    await page.locator('#chart-gini canvas').waitFor();
    await expect.poll(status, { timeout: 60_000 }).toBe('Live');
    // No name turns itself into another.
    const turned = (await page.locator('body').innerText())
      .split('\n')
      .filter((line) => /[\u202a-\u202e]/.test(line));
    expect(turned).toEqual([]);
    if (says !== undefined) {
      const [code, text] = says;
      const line = page.locator(`#states li[data-code="${code}"]`);
      await line.waitFor({ state: 'attached', timeout: 60_000 });
      expect(await line.locator('.said').textContent()).toMatch(text);
      const ready = await (await fetch(`${service.address}/readyz`)).json();
      expect((ready as { states: { code: string }[] }).states).toContainEqual(
        expect.objectContaining({ code }),
      );
    }
    const { causedBy, models } = state.traffic;
    for (const model of models.filter((own) => causedBy !== undefined && own !== causedBy)) {
      const line = page.locator(`#standing tr[data-model="${model}"] td.none`);
      expect(await line.textContent()).toBe('–');
    }
    // Every model that was sent has a row, and no other; a name is the text that it is.
    await openParts(page);
    const rows = page.locator('#numbers tbody th');
    const given = (says?.[0] ?? '') === 'own_lists' ? 0 : state.traffic.models.length;
    if (given > 0) {
      const names = (await rows.allTextContents()).filter((each) => each !== 'popularity');
      expect(names.sort()).toEqual([...state.traffic.models].sort());
    }
    // A busy machine may have taken longer for all this than until a silence is worth a word.
    await service.send(traffic(state.traffic, 5 * SECOND));
    await expect.poll(() => page.title()).toBe('unskew: debiased metrics, live');
    expect(await page.locator('b').count()).toBe(0);
    expect(await width()).toBe(1440);
    expect(await seriousFaultsOf(page)).toEqual([]);
    await shoot(name.replaceAll(/\W+/g, '-'));
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await width()).toBe(390);
    await shoot(`${name.replaceAll(/\W+/g, '-')}-phone`);
  });
});

describe('the page of a healthy service', () => {
  const DESKTOP = { width: 1280, height: 800 };
  beforeAll(async () => {
    service = await liveService({ ...QUICK, 'drift.detectors': '' });
    await service.send(traffic({ models: ['fresh', 'crowd'] }));
  }, 300_000);
  // However long the looks before it took, it is live.
  beforeEach(() => service!.send(traffic({ models: ['fresh', 'crowd'] }, 5 * SECOND)));
  afterEach(() => page?.context().close());
  afterAll(() => service?.stop());

  const LOOKS: readonly (BrowserContextOptions & {
    look: string;
    media?: 'print';
    query?: string;
  })[] = [
    { look: 'on a laptop', viewport: DESKTOP },
    { look: 'in dark mode', viewport: DESKTOP, colorScheme: 'dark' },
    { look: 'in forced colours', viewport: DESKTOP, forcedColors: 'active' },
    // What a zoom of 200 % makes of the same window.
    { look: 'at 200 %', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
    {
      look: 'on a phone',
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    },
    { look: 'on paper', viewport: { width: 794, height: 1123 }, media: 'print' },
    { look: 'over 24 h', viewport: DESKTOP, query: '?span=24h' },
  ];

  it.each(IS_LONG ? LOOKS : LOOKS.slice(2, 4))(
    'says that it is live and fits the screen $look',
    async ({ look, media, query, ...options }) => {
      await opened(options);
      if (media !== undefined) await page.emulateMedia({ media });
      await page.goto(`${service!.address}/${query ?? ''}`);
      await page.locator('#chart-gini canvas').waitFor();
      await expect.poll(status, { timeout: 30_000 }).toBe('Live');
      expect(await page.locator('#states').isVisible()).toBe(false);
      expect(await width()).toBe(options.viewport!.width);
      expect(await seriousFaultsOf(page)).toEqual([]);
      await shoot(look.replaceAll(/\W+/g, '-'));
    },
  );

  it('shows neither numbers nor an answer while it connects', async () => {
    await opened();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route('**/api/v1/stream*', async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto(service!.address);
    expect(await status()).toBe('Connecting…');
    expect(await page.locator('#content').isVisible()).toBe(false);
    expect(await seriousFaultsOf(page)).toEqual([]);
    await shoot('loading');
    open();
    await expect.poll(status).toBe('Live');
  });
});
