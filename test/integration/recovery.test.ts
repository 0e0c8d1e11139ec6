import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mulberry32 } from '../bench/synthetic-log.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import {
  formsGiven,
  linesOf,
  replayed,
  series,
  valuesGiven,
  type WindowLine,
  WrittenWindows,
  withoutReading,
  written,
} from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { mergeLogs } from '../support/merged-logs.js';
import { giveOwnShares } from '../support/own-shares.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestTopics } from '../support/topics.js';

const SETTINGS = {
  // Most of the time goes into ticks, and a pane of ten minutes can be met by all that one of two can.
  UNSKEW_TIME_TICK: IS_LONG ? '2m' : '10m',
  UNSKEW_TIME_WINDOWS: '10m,3h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: IS_LONG ? '6h' : '3h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_VALUE_HORIZON: '12m',
  UNSKEW_GAMMA: 'fit',
  // A killed worker soon leaves the group.
  UNSKEW_KAFKA_SESSION_TIMEOUT: '3s',
  // Small fetches, so that there are moments in between: none is all that is left of a partition.
  UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: IS_LONG ? '48KiB' : '3KiB',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  ...FEW_ESTIMATES,
};
/** So few places, and so many clicks on them, that it is known how likely each is looked at. */
const SHOWN = ['--shown-length', '3', '--caused', '1'];
/**
 * Requests are open when a worker is killed: their lists are joined over several panes. Some users have
 * an experiment with lists drawn at random, in which each request has shares of its own, others a logger
 * with propensities.
 */
const TRAFFIC = [
  { users: 200, flags: ['--arms', '2', '--random-arm', '0.2', ...SHOWN] },
  { users: 100, flags: ['--logger', '0.5', ...SHOWN] },
];
const USERS = TRAFFIC.reduce((sum, { users }) => sum + users, 0);
/** What such traffic is valued by. */
const FORMS = ['on_policy', 'arms_ips', 'arms_dr', 'logged_slot_ips', 'logged_slot_dr'];
/** Hours: as many as make a kill meet each part of a run. Four runs of them tick every estimator. */
const CYCLES = IS_LONG ? 6 : 3;
const KILLS = IS_LONG ? 3 : 1;
const WINDOWS_AN_HOUR = IS_LONG ? 60 : 12;

let folder: string;
let topics: TestTopics;
let events = 0;
let wanted: WindowLine[];

const start = (group: string, path: string, settings: Readonly<Record<string, string>>) =>
  RunningService.start(['serve'], {
    ...topics.settings,
    ...SETTINGS,
    UNSKEW_KAFKA_GROUP_ID: `${topics.name}.${group}`,
    UNSKEW_ESTIMATES_FILE: path,
    UNSKEW_STATE_EVERY: '300ms',
    ...settings,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-recovery-'));
  topics = await TestTopics.create(kafkaBrokers, 3);
  const paths = await Promise.all(
    TRAFFIC.map(async ({ users, flags }, n) => {
      const own = join(folder, `${n}`);
      const sizes = ['--cycles', `${CYCLES}`, '--list-length', '20'];
      const simulation = ['--users', `${users}`, ...sizes, '--seed', '12', ...flags];
      expect((await unskew(['simulate', '--out', own, ...simulation])).code).toBe(0);
      return own;
    }),
  );
  const files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
  for (const name of ['train.ndjson', 'events.ndjson']) {
    await mergeLogs(
      paths.map((path) => join(path, name)),
      join(folder, name),
    );
  }
  // More than make strata: each request is weighed by its own.
  const [, own] = await Promise.all(files.map((file, n) => giveOwnShares(file, 20 + n)));
  expect(own).toBeGreaterThan(150);
  events = await topics.sendFiles(files);
  wanted = series(await replayed(files, SETTINGS));
  expect(valuesGiven(wanted)).toBeGreaterThan(wanted.length);
  expect([...formsGiven(wanted)]).toEqual(expect.arrayContaining(FORMS));
});

afterAll(async () => {
  await topics?.delete();
  await rm(folder, { recursive: true, force: true });
});

/** Figures in sentences: 12.25 is read as 12.2 or 12.3 by what its sums round to. All are in numbers, too. */
function withoutTies(lines: readonly unknown[]): unknown[] {
  const withoutFigures = (_: string, value: unknown) =>
    typeof value === 'string' ? value.replace(/\d+\.\d+/g, '#') : value;
  return lines.map((line) => {
    const { trust, ...window } = line as { trust: unknown };
    return { ...window, trust: JSON.parse(JSON.stringify(trust), withoutFigures) as unknown };
  });
}

function expectWanted(lines: readonly WindowLine[]): void {
  const found = withoutTies(withoutReading(series(lines)));
  expect(differences(found, withoutTies(withoutReading(wanted)), 1e-9)).toEqual([]);
}

async function outcomes(service: RunningService): Promise<Record<string, number>> {
  const series = await service.scrape();
  return Object.fromEntries(
    series
      .filter(({ name }) => name === 'unskew_checkpoints_total')
      .map(({ labels, value }) => [labels['outcome'], value]),
  );
}

async function accepted(service: RunningService): Promise<number> {
  const series = await service.scrape();
  return series
    .filter(
      ({ name, labels }) => name === 'unskew_events_total' && labels['outcome'] === 'accepted',
    )
    .reduce((sum, { value }) => sum + value, 0);
}

describe('a worker that keeps its state in Redis', () => {
  it('gives the series of an undisturbed run if it is killed and restarted at random', async () => {
    expect(events).toBeGreaterThan(7 * USERS * CYCLES);
    expect(wanted.length).toBeGreaterThan(0.8 * WINDOWS_AN_HOUR * CYCLES);
    const path = join(folder, 'killed.ndjson');
    const random = mulberry32(20_240_607);
    const store = { UNSKEW_STATE_STORE: 'redis', UNSKEW_STATE_REDIS_URL: redisUrl };
    // The first before there is any checkpoint.
    const shares = [
      0,
      ...Array.from({ length: KILLS }, () => 0.9 * random()).sort((a, b) => a - b),
    ];
    let loaded = 0;
    for (const share of shares) {
      const service = await start('killed', path, store);
      await written([path], share * wanted.length);
      await sleep(400 * random());
      const { loaded: here = 0 } = await outcomes(service);
      loaded += here;
      await service.kill();
    }
    const service = await start('killed', path, store);
    await written([path], wanted.length);
    loaded += (await outcomes(service))['loaded'] ?? 0;
    expect(await service.stop()).toBe(0);
    // Each that finds a checkpoint loads three.
    expect(loaded).toBeGreaterThanOrEqual(3);
    expectWanted(await linesOf([path]));
  }, 300_000);

  // By day integration/moved-state and integration/forget stop a service and go on from its state.
  itAtNight('saves its state on SIGTERM and resumes from there', async () => {
    const path = join(folder, 'stopped.ndjson');
    const store = {
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: redisUrl,
      // Never on the timer: only at the end.
      UNSKEW_STATE_EVERY: '1h',
    };
    const first = await start('stopped', path, store);
    // Reading runs ahead of the panes, and all of it takes a second.
    await written([path], 1);
    expect(await first.stop()).toBe(0);
    const left = events - (await topics.committed(`${topics.name}.stopped`));
    const before = await new WrittenWindows().count([path]);
    expect(before).toBeLessThan(wanted.length);
    const second = await start('stopped', path, store);
    await written([path], wanted.length);
    expect((await outcomes(second))['loaded']).toBe(3);
    const read = await accepted(second);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(events);
    // What the group shows as its lag is what had yet to be read.
    expect(read).toBe(left);
    expect(await second.stop()).toBe(0);
    const lines = await linesOf([path]);
    // The newest pane is written again, and no other.
    expect(lines.length).toBe(wanted.length + 2);
    expectWanted(lines);
  });

  itAtNight(
    'keeps running while Redis is away, reports it, and saves when Redis returns',
    async () => {
      const path = join(folder, 'away.ndjson');
      const proxy = await TcpProxy.before(redisUrl);
      const store = {
        UNSKEW_STATE_STORE: 'redis',
        UNSKEW_STATE_REDIS_URL: `redis://${proxy.address}`,
      };
      const service = await start('away', path, store);
      await eventually(
        'three checkpoints',
        () => outcomes(service),
        ({ saved = 0 }) => saved >= 3,
      );
      await proxy.cut();
      await eventually(
        'the service to say that its store is away',
        () => service.get('/readyz'),
        ({ status, body }) => status === 503 && /"state_store"[^}]*false/.test(body),
      );
      expect((await service.get('/healthz')).status).toBe(200);
      await written([path], wanted.length);
      const away = await outcomes(service);
      expect(away['failed']).toBeGreaterThan(0);
      await proxy.restore();
      await eventually(
        'checkpoints after the outage',
        () => outcomes(service),
        ({ saved = 0 }) => saved >= (away['saved'] ?? 0) + 3,
      );
      await eventually(
        'the service to be ready once more',
        () => service.get('/readyz'),
        ({ status }) => status === 200,
      );
      await service.kill();
      const again = await start('away', path, store);
      await eventually(
        'the next one to be ready',
        () => again.get('/readyz'),
        ({ status }) => status === 200,
      );
      // What was saved after the return is all there is to know: no record is read again.
      expect(await accepted(again)).toBe(0);
      await again.stop();
      await proxy.cut();
      expectWanted(await linesOf([path]));
    },
  );
});
