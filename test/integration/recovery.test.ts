import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { mulberry32 } from '../bench/synthetic-log.js';
import { differences } from '../support/compare.js';
import {
  distinctLines,
  linesOf,
  series,
  settled,
  type WindowLine,
} from '../support/estimate-lines.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestTopics } from '../support/topics.js';

const SETTINGS = {
  UNSKEW_TIME_TICK: '2m',
  UNSKEW_TIME_WINDOWS: '10m,1h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '6h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_GAMMA: 'fit',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  // Small fetches, so that there are moments in between.
  UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: '48KiB',
  UNSKEW_DEAD_LETTERS_TO: 'none',
};

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
  topics = await TestTopics.create(inject('kafkaBrokers'), 3);
  const simulation = ['--users', '600', '--cycles', '12', '--list-length', '20', '--seed', '11'];
  expect((await unskew(['simulate', '--out', folder, ...simulation])).code).toBe(0);
  events = await topics.sendFiles([join(folder, 'train.ndjson'), join(folder, 'events.ndjson')]);
  const path = join(folder, 'undisturbed.ndjson');
  const service = await start('undisturbed', path, {});
  await settled([path]);
  expect(await service.stop()).toBe(0);
  wanted = series(await linesOf([path]));
});

afterAll(async () => {
  await topics?.delete();
  await rm(folder, { recursive: true, force: true });
});

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
  it('killed at any moment and started again, gives the series of an undisturbed run', async () => {
    expect(events).toBeGreaterThan(100_000);
    expect(wanted.length).toBeGreaterThan(600);
    const path = join(folder, 'killed.ndjson');
    const random = mulberry32(20_240_607);
    const store = { UNSKEW_STATE_STORE: 'redis', UNSKEW_STATE_REDIS_URL: inject('redisUrl') };
    // The first before there is any checkpoint.
    const shares = [0, ...Array.from({ length: 5 }, () => 0.9 * random()).sort((a, b) => a - b)];
    let loaded = 0;
    for (const share of shares) {
      const service = await start('killed', path, store);
      await eventually(
        () => distinctLines([path]),
        (lines) => lines >= share * wanted.length,
      );
      await sleep(400 * random());
      const { loaded: here = 0 } = await outcomes(service);
      loaded += here;
      await service.kill();
    }
    const service = await start('killed', path, store);
    await eventually(
      () => distinctLines([path]),
      (lines) => lines >= wanted.length,
    );
    expect(await service.stop()).toBe(0);
    expect(loaded).toBeGreaterThanOrEqual(3);
    expect(differences(series(await linesOf([path])), wanted, 1e-9)).toEqual([]);
  }, 300_000);

  it('stopped with SIGTERM in the middle saves what it has and goes on from there', async () => {
    const path = join(folder, 'stopped.ndjson');
    const store = {
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: inject('redisUrl'),
      // Never on the timer: only at the end.
      UNSKEW_STATE_EVERY: '1h',
    };
    const first = await start('stopped', path, store);
    await eventually(
      () => distinctLines([path]),
      (lines) => lines >= wanted.length / 3,
    );
    expect(await first.stop()).toBe(0);
    const left = events - (await topics.committed(`${topics.name}.stopped`));
    const before = await distinctLines([path]);
    expect(before).toBeLessThan(wanted.length);
    const second = await start('stopped', path, store);
    await eventually(
      () => distinctLines([path]),
      (lines) => lines >= wanted.length,
    );
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
    expect(differences(series(lines), wanted, 1e-9)).toEqual([]);
  });

  it('goes on while Redis is away, says so, and saves when it is back', async () => {
    const path = join(folder, 'away.ndjson');
    const proxy = await TcpProxy.before(inject('redisUrl'));
    const store = {
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    };
    const service = await start('away', path, store);
    await eventually(
      () => outcomes(service),
      ({ saved = 0 }) => saved >= 3,
    );
    await proxy.cut();
    await eventually(
      () => service.get('/readyz'),
      ({ status, body }) => status === 503 && /"state_store"[^}]*false/.test(body),
    );
    expect((await service.get('/healthz')).status).toBe(200);
    await eventually(
      () => distinctLines([path]),
      (lines) => lines >= wanted.length,
    );
    const away = await outcomes(service);
    expect(away['failed']).toBeGreaterThan(0);
    await proxy.restore();
    await eventually(
      () => outcomes(service),
      ({ saved = 0 }) => saved >= (away['saved'] ?? 0) + 3,
    );
    await eventually(
      () => service.get('/readyz'),
      ({ status }) => status === 200,
    );
    await service.kill();
    const again = await start('away', path, store);
    await eventually(
      () => again.get('/readyz'),
      ({ status }) => status === 200,
    );
    // What was saved after the return is all there is to know: no record is read again.
    expect(await accepted(again)).toBe(0);
    await again.stop();
    await proxy.cut();
    expect(differences(series(await linesOf([path])), wanted, 1e-9)).toEqual([]);
  });
});
