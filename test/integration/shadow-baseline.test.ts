import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Event } from '../support/log.js';
import { eventually, RunningService } from '../support/program.js';
import { isLiked, messagesOf, ShadowTraffic } from '../support/shadow-traffic.js';
import { TestTopics } from '../support/topics.js';

const WORLD = { users: 60, items: 100, seed: 3 };
const PAUSE_MS = 200;
/** Between two rounds of traffic, in event time: as many on a busy machine as on an idle one. */
const ROUND_MS = 80;
let folder: string;
let topics: TestTopics;
const services: RunningService[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-shadow-'));
  topics = await TestTopics.create(inject('kafkaBrokers'), 2);
});
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});
afterAll(async () => {
  await topics.delete();
  rmSync(folder, { recursive: true, force: true });
});

const out = () => join(folder, 'lists');
const settings = (more: Readonly<Record<string, string>> = {}) => ({
  ...topics.settings,
  UNSKEW_SHADOW_KIND: 'mf-ips',
  UNSKEW_SHADOW_PROPENSITIES: 'nb',
  UNSKEW_SHADOW_FACTORS: '2',
  UNSKEW_SHADOW_LAMBDA: '0.001',
  UNSKEW_SHADOW_SCHEDULE: '*/3 * * * * *',
  UNSKEW_SHADOW_SETTLE: '500ms',
  UNSKEW_SHADOW_RANGE: '4s',
  UNSKEW_SHADOW_RETAIN: '100',
  UNSKEW_SHADOW_LENGTH: '10',
  UNSKEW_SHADOW_OUT: out(),
  UNSKEW_POSITIVE_MIN_VALUE: '4',
  UNSKEW_TIME_TICK: '1s',
  UNSKEW_TIME_WINDOWS: '1m',
  UNSKEW_TIME_LATENESS: '500ms',
  UNSKEW_ESTIMATES_METRICS: 'recall,mae',
  ...more,
});

async function start(more: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const service = await RunningService.start(['serve'], settings(more));
  services.push(service);
  return service;
}

async function metric(
  service: RunningService,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  return (await service.scrape())
    .filter((series) => series.name === name)
    .filter((series) => Object.entries(labels).every(([key, is]) => series.labels[key] === is))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Sends traffic until something holds. */
async function flowing<T>(isShifted: () => boolean, work: () => Promise<T>): Promise<T> {
  const traffic = new ShadowTraffic({ ...WORLD, seed: Math.floor(Date.now() % 1e6) });
  let isOn = true;
  const run = `${Date.now()}-`;
  const sent = (async () => {
    let next = Date.now();
    while (isOn) {
      const events: Event[] = [];
      for (; next <= Date.now(); next += ROUND_MS) events.push(...traffic.round(next, isShifted()));
      const named = events.map((event) => ({ ...event, id: run + event.id }));
      const { exposure, interaction } = messagesOf(named);
      await topics.send('exposures', exposure);
      await topics.send('interactions', interaction);
      await sleep(PAUSE_MS);
    }
  })();
  try {
    return await work();
  } finally {
    isOn = false;
    await sent;
  }
}

const sets = () =>
  readdirSync(out())
    .filter((set) => existsSync(join(out(), set, 'manifest.json')))
    .sort();

/** Share of the lists' first items that users like. */
function likedShare(set: string, isShifted: boolean): number {
  const lines = readFileSync(join(out(), set, 'lists.ndjson'), 'utf8')
    .trim()
    .split('\n');
  const liked = lines.map((line) => {
    const { user, items } = JSON.parse(line) as { user: string; items: string[] };
    return isLiked(Number(user.slice(1)), Number(items[0]!.slice(1)), isShifted) ? 1 : 0;
  });
  return liked.reduce((sum: number, each) => sum + each, 0) / liked.length;
}

describe('a service that learns a baseline by schedule', () => {
  it('learns again as tastes shift, shows it as a model, and takes it up after a start', async () => {
    const service = await start();
    let isShifted = false;
    /** The newest lists hold what users like. */
    const learned = async (awaited: string): Promise<string> => {
      const newest = async () => {
        const set = existsSync(out()) ? sets().at(-1) : undefined;
        return { set, liked: set === undefined ? 0 : likedShare(set, isShifted) };
      };
      return (await eventually(awaited, newest, ({ liked }) => liked > 0.8, 60_000)).set!;
    };
    const [before, after] = await flowing(
      () => isShifted,
      async () => {
        const first = await learned('a baseline');
        isShifted = true;
        expect(likedShare(first, isShifted)).toBeLessThan(0.2);
        const second = await learned('one of the shifted traffic');
        await eventually(
          'estimates of it',
          async () => (await service.get('/api/v1/estimates')).body,
          (body) => (JSON.parse(body) as { models: string[] }).models.includes('mf-ips'),
        );
        return [first, second];
      },
    );
    expect(after > before).toBe(true);
    const made = await metric(service, 'unskew_shadow_runs_total', { outcome: 'made' });
    expect(made).toBeGreaterThanOrEqual(2);
    expect(await metric(service, 'unskew_shadow_lists_total', { list: 'own' })).toBeGreaterThan(60);
    const { body } = await service.get('/api/v1/estimates');
    expect(body).toMatch(/"model":"mf-ips"[^}]*"metric":"recall"/);
    expect(await service.stop()).toBe(0);

    const manifest = JSON.parse(readFileSync(join(out(), after, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ schema: 'unskew/shadow@1', kind: 'mf-ips', level: 0 });
    const again = await start({ UNSKEW_SHADOW_SCHEDULE: '0 0 1 1 *' });
    const newest = JSON.parse(readFileSync(join(out(), sets().at(-1)!, 'manifest.json'), 'utf8'));
    await eventually(
      'the lists that were kept',
      () => metric(again, 'unskew_shadow_learned_to_seconds'),
      (seconds) => seconds === newest.to / 1000,
    );
    // Newer ones that were cut short are refused once, and the ones in use stay.
    const bad = '2099-01-01T00-00-00Z';
    await cp(join(out(), sets().at(-1)!), join(out(), bad), { recursive: true });
    await writeFile(join(out(), bad, 'lists.ndjson'), '{"user":"u1"');
    await eventually(
      'a refusal',
      () => metric(again, 'unskew_shadow_refused_total'),
      (count) => count === 1,
    );
    await rm(join(out(), bad), { recursive: true });
    expect(again.output).toMatch(/lists of the baseline mf-ips are not used: .*was changed or cut/);
    expect(await metric(again, 'unskew_shadow_learned_to_seconds')).toBe(newest.to / 1000);
  });

  it('keeps the old one where a fit does not converge, and says why in one line', async () => {
    const service = await start({ UNSKEW_SHADOW_SWEEPS: '1' });
    const kept = sets();
    const line =
      /the baseline mf-ips was not learned again, the old one stays in use: the fit did not converge within 1 sweeps/;
    await flowing(
      () => false,
      () =>
        eventually(
          'the reason',
          async () => service.output,
          (output) => line.test(output),
        ),
    );
    const failed = await metric(service, 'unskew_shadow_runs_total', { outcome: 'failed' });
    expect(failed).toBeGreaterThan(0);
    expect(sets()).toEqual(kept);
    expect(await metric(service, 'unskew_shadow_learned_to_seconds')).toBeGreaterThan(0);
  });
});
