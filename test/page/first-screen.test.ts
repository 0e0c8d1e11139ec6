import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Alarm } from '../../src/features/alarm.js';
import { alarmStates } from '../../src/features/drift/alarm-states.js';
import { reason } from '../../src/features/values/reasons.js';
import { stateOf } from '../../src/rows/findings/state.js';
import { wordedStates } from '../../src/rows/findings/state-words.js';
import { clockWithSeconds } from '../../src/rows/times.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { feedbackReport } from '../support/feedback-report.js';
import { serve, type TestServer } from '../support/http-server.js';
import { valueDifferenceOf, valueRowOf, withheldOf } from '../support/rows.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { inThirds } from '../support/thirds.js';
import { aVerdict } from '../support/verdict.js';
import { seriousFaultsOf } from './axe.js';
import { textsBelow } from './chromium.js';
import { sharedBrowser } from './shared-browser.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 7, 12);
const shots = process.env['PAGE_SHOTS'];
const MODELS = ['personal', 'blend', 'other'];
const SINCE = Date.UTC(2026, 2, 2);
const VERDICT = aVerdict({
  state: 'prefer',
  better: 'personal',
  since: SINCE,
  at: START,
  ess: 812,
  rung: 'randomized',
});

let browser: Browser;
let page: Page;
let server: TestServer;

beforeAll(async () => {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: LAPTOP });
}, 300_000);
afterAll(() => browser?.close());
afterEach(async () => {
  await page.goto('about:blank');
  await server?.close();
});

/** A loud alarm on a model, half an hour ago; its score is of so many thresholds. */
function anAlarm(model: string, strength: number): Alarm {
  return {
    series: `estimate/snips/recall@10/${model}`,
    detector: 'cusum',
    threshold: 6,
    score: 6 * strength,
    since: START - 90 * MINUTE,
    at: START - 30 * MINUTE,
    size: -6.2,
    models: [model],
    level: { before: 0.0712, now: 0.0164 },
    suppressed: null,
    topItems: [{ item: 'i194', before: 0.007, share: 0.1 }],
  };
}

interface Scene {
  readonly alarms?: readonly Alarm[];
  /** Records that are still to be read, as they become fewer; null: none. */
  readonly toRead?: () => number | null;
  readonly screen?: { readonly width: number; readonly height: number };
  readonly change?: (snapshot: Snapshot) => Snapshot;
}

/** The page with a verdict, three minutes after its first pane; a deployment is marked before any alarm. */
async function opened(scene: Scene) {
  const { alarms = [], toRead = () => null, screen = LAPTOP, change = (own) => own } = scene;
  const statesNow = () => {
    const left = toRead();
    const behind = left === null ? [] : [stateOf('catching_up', { toRead: left })];
    return wordedStates([...behind, ...alarmStates(alarms)]);
  };
  const state = () => ({ states: statesNow(), arrivals: null });
  server = await serve({ state });
  for (let minute = -3; minute <= 0; minute++) {
    const shape = { models: MODELS, start: 100 + minute, paneEnd: START + minute * MINUTE };
    const snapshot = { ...makeSnapshot(shape), verdicts: [VERDICT] };
    server.show(change({ ...snapshot, ...(minute === 0 && { alarms }) }));
  }
  await fetch(`${server.address}/api/v1/marks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'deploy',
      text: 'retrained on clicks',
      time: START - 95 * MINUTE,
    }),
  });
  await page.setViewportSize(screen);
  await page.goto(server.address);
  await page.locator('#chart-gini canvas').waitFor();
  await expect
    .poll(() => page.locator('#changed').textContent())
    .toContain('Deploy: retrained on clicks');
  return { publishState: () => server.publishState(state()) };
}

const LAPTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/**
 * Where something is from the top, px; it has to be seen without scrolling, or within a second screen. The page draws
 * itself again as data comes in, so that a node may be replaced between being found and being measured.
 */
async function bottomOf(place: string): Promise<number> {
  let box: Awaited<ReturnType<Locator['boundingBox']>> = null;
  const measure = async () => {
    box = await page.locator(place).first().boundingBox();
    return box;
  };
  await expect.poll(measure, { message: place }).not.toBeNull();
  expect(box!.x, place).toBeGreaterThanOrEqual(0);
  return box!.y + box!.height;
}

async function shoot(name: string, shown = page): Promise<void> {
  if (shots !== undefined) await shown.screenshot({ path: join(shots, `first-${name}.png`) });
}

describe('a first-time reader’s questions are answered', () => {
  it.each([
    { name: 'laptop', screen: LAPTOP, folds: 1 },
    { name: 'phone', screen: PHONE, folds: 1.5 },
  ])('on the first screen of a $name', async ({ name, screen, folds }) => {
    await opened({ screen });
    const answers = {
      'which model': ['#verdict .said', /^personal beats blend:$/],
      'how sure': ['#verdict .figures', /\+0\.036 recall@10 \(95\s% CI \+0\.027 to \+0\.045\)/],
      'since when': ['#verdict .basis', / since 2026-03-02; valid however often you look\./],
      why: ['#why-better', /^Why: items and users responsible$/],
      'what now': ['#verdict .said', / beats /],
      'what changed': ['#changed', /Deploy: retrained on clicks/],
      'whether to trust it': ['#trust > summary', /^Can these numbers be trusted\? (Yes|No|Comp)/],
      'how they stand': ['#standing tbody tr:last-child', /0\.\d{3}/],
    } as const;
    for (const [question, [place, text]] of Object.entries(answers)) {
      expect(await page.locator(place).first().textContent(), question).toMatch(text);
      expect(await bottomOf(place), question).toBeLessThanOrEqual(folds * screen.height);
    }
    // The sentence is the judge's, to the letter.
    const answer = await (await fetch(`${server.address}/api/v1/verdicts`)).json();
    const [{ text }] = (answer as { findings: { text: string }[] }).findings as [{ text: string }];
    expect(await page.locator('#verdict .sentence').textContent()).toBe(text);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.width);
    expect(await seriousFaultsOf(page)).toEqual([]);
    await shoot(name);
  });
});

it('one click leads from the verdict to the items behind it', async () => {
  await opened({});
  await page.locator('#why-better').click();
  await expect.poll(() => page.locator('#why-model').inputValue()).toBe('personal');
  expect(await page.locator('#why-against').inputValue()).toBe('blend');
  const top = async () => (await page.locator('#panel-why').boundingBox())!.y;
  await expect.poll(top).toBeLessThan(400);
});

it.each([
  { what: 'strong, on a compared model', model: 'blend', strength: 2, isFirst: true },
  { what: 'weak, on a compared model', model: 'blend', strength: 1.9, isFirst: false },
  { what: 'strong, on another model', model: 'other', strength: 5, isFirst: false },
])('an alarm that is $what stands before the verdict: $isFirst', async (alarm) => {
  const { model, strength, isFirst } = alarm;
  await opened({ alarms: [anAlarm(model, strength)] });
  const text = (await page.locator('#changed').textContent())!.replaceAll('\u00a0', ' ');
  expect(text).toContain(`10:30 UTC ${model} −77 % after Deploy: retrained on clicks.`);
  expect(text).toContain(`Recall@10 of ${model} by snips has fallen.`);
  expect(await page.locator('#status').textContent()).toBe('Live');
  const changed = await bottomOf('#changed');
  const verdict = await bottomOf('#verdict .said');
  expect(changed < verdict).toBe(isFirst);
  expect(await page.locator('#verdict .said').textContent()).toBe('personal beats blend:');
  expect(Math.max(changed, verdict)).toBeLessThanOrEqual(LAPTOP.height);
  await page.getByRole('button', { name: '1 problem' }).click();
  await page.locator('#states li[data-code="alarm"] .remedy').waitFor();
  await shoot(`alarm-${model}-${strength}`);
});

it('the models are ranked by the metric of the verdict, best first', async () => {
  await opened({});
  const { results } = makeSnapshot({ models: MODELS, start: 100, paneEnd: START }).windows[0]!;
  const own = results.filter(
    ({ metric, k, form, estimator }) =>
      metric === 'recall' && k === 10 && form === 'pooled' && estimator === 'snips',
  );
  const best = [...own].sort((a, b) => b.value - a.value);
  expect(await textsBelow(page.locator('#standing'), 'tbody th')).toEqual(
    best.map(({ model }) => model),
  );
  for (const { model, value } of own) {
    const line = await page.locator(`#standing tr[data-model="${model}"]`).textContent();
    expect(line).toContain(value.toFixed(3));
  }
});

it('a model whose estimates are withheld keeps its row, and the cautions say why', async () => {
  await opened({
    change: (snapshot) => ({
      ...snapshot,
      windows: snapshot.windows.map((window) => ({
        ...window,
        feedback: feedbackReport(0.05),
        results: window.results.map((row) =>
          row.model === 'other' ? withheldOf(row, 'own_lists') : row,
        ),
      })),
    }),
  });
  const line = page.locator('#standing tr[data-model="other"] td.none');
  expect(await line.textContent()).toBe('–');
  expect(await page.locator('#cautions [data-code="own_lists"]').textContent()).toMatch(
    /^Estimates of other from all clicks are not reported: .* its own lists /,
  );
  expect(await page.locator('#standing tbody tr').count()).toBe(3);
  await shoot('withheld');
});

describe('a missing value', () => {
  const change = (snapshot: Snapshot) => {
    const windows = snapshot.windows.map((window) => ({
      ...window,
      results: window.results.filter(({ model }) => model !== 'other'),
    }));
    return inThirds({ ...snapshot, windows }, MODELS);
  };
  const other = (cell: string) => page.locator(`#standing tr[data-model="other"] ${cell}`);
  const note = () => page.locator('#standing-key .columns-note').textContent();

  it('is marked “not known yet” while the log is read, with the progress', async () => {
    const begun = Date.now();
    const { publishState } = await opened({
      toRead: () => Math.max(1000, 46_672 - Math.floor((Date.now() - begun) / 10)),
      change,
    });
    const left = /^Catching up: [\d,]+ records behind, about \d+ (s|min)/;
    // As a service says it: whenever it has changed.
    const told = () => {
      publishState();
      return page.locator('#status').textContent();
    };
    await expect.poll(told, { timeout: 20_000 }).toMatch(left);
    // The last known numbers stay; what is not known is a dash, and no cell says why.
    expect(await other('td.none').textContent()).toBe('–');
    expect(await page.locator('#catching-up').isVisible()).toBe(false);
    expect(await note()).toMatch(/–: not known yet$/);
    expect(await page.locator('#verdict .held').textContent()).toBe(
      `Last updated ${clockWithSeconds(START)} UTC; catching up.`,
    );
    expect(await page.locator('#status').textContent()).toMatch(/^Catching up: [\d,]+ records/);
    expect(await seriousFaultsOf(page)).toEqual([]);
    await shoot('catching-up');
  });

  it('is marked “too few users” once everything is read', async () => {
    await opened({ change });
    await expect.poll(() => other('td:last-child').textContent()).toBe('–');
    expect(await page.locator('#standing tr[data-model="blend"] td:last-child').textContent()).toBe(
      '0.300',
    );
    expect(await other('td.none').textContent()).toBe('–');
    expect(await note()).toMatch(/–: too few users$/);
    await shoot('some-missing');
  });
});

describe('a verdict on reward per request', () => {
  const EARNED = aVerdict({
    metric: 'value',
    k: null,
    rung: 'experiment',
    state: 'prefer',
    better: 'personal',
    since: SINCE,
    at: START,
    ess: 812,
  });
  const served = (model: string, value: number, half: number) => {
    const ends = { lower: value - half, upper: value + half };
    return valueRowOf({ model, estimator: 'on_policy', value, stdErr: half / 2, ...ends });
  };
  const refused = valueRowOf({
    model: 'other',
    value: Number.NaN,
    stdErr: Number.NaN,
    lower: Number.NaN,
    upper: Number.NaN,
    reasons: [reason('no_lists', 'refused', {})],
  });
  /** Of the last hour: what personal and blend earned, each ± its half, and their difference ± its own. */
  const earning = (personal: Half, blend: Half, apart: number) => (snapshot: Snapshot) => {
    const value = personal[0] - blend[0];
    const difference = valueDifferenceOf({
      model: 'personal',
      reference: 'blend',
      estimator: 'on_policy',
      value,
      stdErr: apart / 2,
      lower: value - apart,
      upper: value + apart,
    });
    const values = [served('personal', ...personal), served('blend', ...blend), refused];
    const windows = snapshot.windows.map((window) => {
      return { ...window, values, valueDifferences: [difference] };
    });
    return { ...snapshot, verdicts: [EARNED], windows };
  };
  type Half = readonly [value: number, half: number];

  it('ranks the models and is what the trust line is about', async () => {
    await opened({ change: earning([0.3, 0.02], [0.2, 0.02], 0.02) });
    // Assignment was randomised: no γ or weight objects to it, and the section says so of the
    // estimates.
    const trust = (await page.locator('#trust > summary').textContent())!;
    expect(trust).toMatch(/trusted\? Yes\. The verdict compares rewards, /);
    await page.locator('#trust > summary').click();
    await page.locator('#trust li', { hasText: 'the estimates of recall@10' }).first().waitFor();
    expect(await textsBelow(page.locator('#standing'), 'tbody th')).toEqual([
      'personal',
      'blend',
      'other',
    ]);
    expect(await page.locator('#standing tr[data-model="other"] td.none').textContent()).toMatch(
      /^–$/,
    );
    await shoot('earned');
  });
});

it('a service that stops answering is reported, and is live again once it answers', async () => {
  const verdicts = [VERDICT];
  server = await serve({
    snapshot: { ...makeSnapshot({ models: MODELS, paneEnd: START }), verdicts },
  });
  const cable = await TcpProxy.before(server.address.replace('http:', 'tcp:'));
  const context = await browser.newContext({ viewport: LAPTOP });
  const page = await context.newPage();
  // So that a silence of 40 s need not be waited for.
  await page.clock.install();
  const status = () => page.locator('#status').textContent();
  try {
    await page.goto(`http://${cable.address}`);
    await expect.poll(status).toBe('Live');
    expect(await page.locator('#verdict').getAttribute('data-tone')).toBe('good');
    // The process stands still: its socket is open, and nothing comes.
    cable.freeze('both');
    await page.clock.fastForward(30_000);
    expect(await status()).toBe('Live');
    for (const _ of ['the stream', 'a new one, to which nobody answers either']) {
      await page.clock.fastForward(41_000);
      await expect.poll(status).toBe('The service does not answer; retrying');
    }
    expect(await page.title()).toBe('Cut off · unskew');
    expect(await page.locator('#tab-icon').getAttribute('href')).toBe('/icon-alert.svg');
    // What is shown is of then, and says so.
    expect(await page.locator('#verdict .held').textContent()).toBe(
      `Last updated ${clockWithSeconds(START)} UTC; cut off.`,
    );
    expect(await page.locator('#verdict').getAttribute('data-tone')).toBe('unknown');
    expect(await page.locator('#trust > summary').textContent()).toMatch(
      /\? No\. See the status line/,
    );
    expect(await seriousFaultsOf(page)).toEqual([]);
    await shoot('hung', page);
    cable.thaw();
    await page.clock.fastForward(41_000);
    await expect.poll(status, { timeout: 30_000 }).toBe('Live');
    expect(await page.title()).not.toContain('Cut off');
  } finally {
    cable.thaw();
    await context.close();
    await cable.cut();
  }
});
