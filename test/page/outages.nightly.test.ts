import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type OwnBroker,
  type OwnRedis,
  startOwnBroker,
  startOwnRedis,
} from '../../deploy/services.mjs';
import { eventually, RunningService } from '../support/program.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestTopics } from '../support/topics.js';
import { seriousFaultsOf } from './axe.js';
import { sharedBrowser } from './shared-browser.js';

/** What is said has to be true within it: 15 s until an answer is missed, and some to draw. */
const NOTICED_MS = 120_000;
const SETTINGS = {
  UNSKEW_TIME_TICK: '5s',
  UNSKEW_TIME_WINDOWS: '30s',
  UNSKEW_TIME_LATENESS: '1s',
  UNSKEW_TIME_IDLE: '1s',
  UNSKEW_POPULARITY_HORIZON: '1m',
  UNSKEW_GAMMA_PERIOD: '30s',
  UNSKEW_ESTIMATES_METRICS: 'recall',
  UNSKEW_ESTIMATES_KS: '2',
  UNSKEW_DRIFT_DETECTORS: '',
  UNSKEW_STATE_STORE: 'redis',
  UNSKEW_STATE_EVERY: '2s',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
};
const shots = process.env['PAGE_SHOTS'];

let broker: OwnBroker;
let redis: OwnRedis;
let toKafka: TcpProxy;
let toRedis: TcpProxy;
let topics: TestTopics;
let service: RunningService;
let browser: Browser;
let page: Page;
/** Producers have another way to the broker than the service, and are quiet while it is stopped. */
let isSending = true;
let sending: Promise<void>;

beforeAll(async () => {
  broker = await startOwnBroker(undefined, undefined, async (port) => {
    toKafka = await TcpProxy.before(`tcp://127.0.0.1:${port}`);
    return toKafka.port;
  });
  redis = await startOwnRedis();
  toRedis = await TcpProxy.before(redis.url.replace('redis:', 'tcp:'));
  topics = await TestTopics.create(broker.brokers, 1);
  service = await RunningService.start(['serve'], {
    ...topics.settings,
    ...SETTINGS,
    UNSKEW_KAFKA_BROKERS: toKafka.address,
    UNSKEW_STATE_REDIS_URL: `redis://${toRedis.address}`,
  });
  sending = send();
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(service.address);
}, 400_000);

afterAll(async () => {
  ended.abort();
  await browser?.close();
  toKafka?.thaw();
  toRedis?.thaw();
  await service?.kill();
  await sending;
  for (const each of [toKafka, toRedis]) await each?.cut();
  await broker?.stop();
  await redis?.stop();
});

const ended = new AbortController();

/** Twice a second thirty users see a list of each of two models, and find something. */
async function send(): Promise<void> {
  for (let n = 0; !ended.signal.aborted; n++) {
    if (isSending) {
      const ts = Date.now();
      const record = (user: string, event: object) => ({
        key: user,
        value: JSON.stringify({ ts, user, ...event }),
      });
      const users = Array.from({ length: 30 }, (_, u) => `u${u}`);
      const lists = users.flatMap((user, u) =>
        ['fresh', 'crowd'].map((model) => {
          const items = [`i${(u * 7 + n) % 40}`, `i${u % 5}x`];
          return record(user, { id: `e${n}-${u}-${model}`, model, items });
        }),
      );
      const found = users.map((user, u) =>
        record(user, { id: `i${n}-${u}`, item: `i${(u * 7 + n) % (u % 3 === 0 ? 40 : 5)}` }),
      );
      // The broker may go while it is on its way.
      await topics.send('exposures', lists).catch(() => {});
      await topics.send('interactions', found).catch(() => {});
    }
    await sleep(500);
  }
}

/** What a test takes away, and what must be said of it then, by what the test has done. */
const OUTAGES = [
  {
    what: 'Redis is killed',
    take: () => redis.stopRedis(),
    give: () => redis.startRedis(),
    code: 'away',
    label: 'Store unreachable',
    says: /^No state is saved: .*Redis.*\.$/,
    isProblem: false,
  },
  {
    what: 'Redis is silently cut off',
    take: async () => toRedis.freeze('both'),
    give: async () => toRedis.thaw(),
    code: 'away',
    label: 'Store unreachable',
    says: /^No state is saved: .*Redis.*\.$/,
    isProblem: false,
  },
  {
    what: 'Kafka is silently cut off',
    take: async () => toKafka.freeze('both'),
    give: async () => toKafka.thaw(),
    code: 'away',
    label: 'Kafka unreachable',
    says: /^Kafka cannot be reached\. Numbers are as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$/,
    isProblem: true,
  },
  {
    what: 'Kafka is stopped',
    take: async () => {
      isSending = false;
      await broker.stopBroker();
    },
    give: async () => {
      await broker.startBroker();
      await topics.renewProducer();
      isSending = true;
    },
    code: 'away',
    label: 'Kafka unreachable',
    says: /^Kafka cannot be reached\. Numbers are as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$/,
    isProblem: true,
  },
] as const;

const status = () => page.locator('#status').textContent();
const icon = () => page.locator('#tab-icon').getAttribute('href');
const TITLE = 'unskew: debiased metrics, live';

async function answers() {
  const ready = await service.get('/readyz');
  const { states } = JSON.parse(ready.body) as { states: { code: string }[] };
  const series = await service.scrape();
  const measured = series.filter(({ name, value }) => name === 'unskew_state' && value === 1);
  return {
    status: ready.status,
    ready: states.map(({ code }) => code),
    measured: measured.map(({ labels }) => labels['state']),
  };
}

const lineOf = (code: string) => page.locator(`#states li[data-code="${code}"]`);

/** All that people and machines are given while something is away. */
async function expectAway(
  { what, code, label, says, isProblem }: (typeof OUTAGES)[number],
  logged: number,
) {
  const line = lineOf(code);
  await line.waitFor({ state: 'attached', timeout: NOTICED_MS });
  expect(await page.locator('#states li').first().getAttribute('data-code')).toBe(code);
  expect(await line.locator('.label').textContent()).toContain(label);
  expect(await line.locator('.said').textContent()).toMatch(says);
  // A store that is away leaves the numbers true; without Kafka they are of the past.
  expect(await status()).toBe(isProblem ? label : 'Live');
  expect(await page.title()).toBe(isProblem ? `${label} · unskew` : TITLE);
  expect(await icon()).toBe(isProblem ? '/icon-alert.svg' : '/icon.svg');
  if (isProblem) expect(await page.locator('#trust > summary').textContent()).toMatch(/\? No\. /);
  const seen = await answers();
  expect(seen.status).toBe(503);
  expect(seen.ready).toContain(code);
  expect(seen.measured).toContain(code);
  await eventually(
    'the log to say it',
    async () => service.output.slice(logged),
    (text) => text.includes(`"state":"${code}"`),
    30_000,
  );
  // It has not gone meanwhile, as something would that is asked again and again.
  expect((await answers()).ready).toContain(code);
  expect(await seriousFaultsOf(page)).toEqual([]);
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `outage-${what.replaceAll(' ', '-')}.png`) });
}

describe('page, tab, /readyz, metric and log', () => {
  it.each(OUTAGES)('report an outage and its end if $what', async (outage) => {
    const { take, give, code, label } = outage;
    await expect.poll(status, { timeout: NOTICED_MS }).toBe('Live');
    await eventually('it to be ready', answers, (seen) => seen.status === 200);
    expect([await page.title(), await icon()]).toEqual([TITLE, '/icon.svg']);
    expect((await answers()).ready).not.toContain(code);
    const logged = service.output.length;

    await take();
    await expectAway(outage, logged).finally(give);

    await lineOf(code).waitFor({ state: 'detached', timeout: NOTICED_MS });
    await expect.poll(status, { timeout: NOTICED_MS }).toBe('Live');
    expect([await page.title(), await icon()]).toEqual([TITLE, '/icon.svg']);
    const after = await eventually('it to be ready', answers, (now) => now.status === 200);
    expect(after.measured).not.toContain(code);
    expect(service.output.slice(logged)).toContain(`no longer the case: ${label}`);
  });
});
