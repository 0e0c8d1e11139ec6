import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnRedis, startOwnRedis } from '../../deploy/services.mjs';
import { writeClosing } from '../support/closing-records.js';
import { differences } from '../support/compare.js';
import {
  linesOf,
  replayed,
  series,
  type WindowLine,
  WrittenWindows,
  withoutReading,
  written,
} from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestTopics } from '../support/topics.js';

const TICK_MS = 120_000;
const LATENESS_MS = 10_000;
const SETTINGS = {
  UNSKEW_TIME_TICK: `${TICK_MS}ms`,
  UNSKEW_TIME_LATENESS: `${LATENESS_MS}ms`,
  UNSKEW_TIME_WINDOWS: '10m,1h',
  // Longer than the test: what is late would be so by the silence of others.
  UNSKEW_TIME_IDLE: '10m',
  UNSKEW_POPULARITY_HORIZON: '2h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_GAMMA: 'fit',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_ESTIMATES_METRICS: 'recall',
  UNSKEW_ESTIMATES_KS: '10',
  ...FEW_ESTIMATES,
};
const PARTITIONS = 6;
/** Above the 5 s that a command may take: what was sent and abandoned is done when Redis goes on. */
const FROZEN_MS = 14_000;
/** The second joins this much later than the first: what the first made of the group is outdated then. */
const APART_MS = 4_000;
const SLICES = 60;

let folder: string;
let topics: TestTopics;
let redis: OwnRedis;
let wanted: WindowLine[];
let lines: { role: 'exposures' | 'interactions'; key: string; value: string }[];
const running: RunningService[] = [];
const gates: TcpProxy[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-frozen-'));
  redis = await startOwnRedis();
  topics = await TestTopics.create(kafkaBrokers, PARTITIONS);
  const size = ['--users', '150', '--cycles', '3', '--list-length', '15', '--seed', '12'];
  expect((await unskew(['simulate', '--out', folder, ...size])).code).toBe(0);
  const files = [join(folder, 'train.ndjson'), join(folder, 'events.ndjson')];
  wanted = series(await replayed(files, SETTINGS));
  lines = [];
  for (const file of files) {
    for await (const value of createInterface({ input: createReadStream(file) })) {
      const { type, user } = JSON.parse(value) as { type: string; user: string };
      lines.push({ role: type === 'exposure' ? 'exposures' : 'interactions', key: user, value });
    }
  }
});

afterAll(async () => {
  redis?.thawRedis();
  for (const service of running.splice(0)) await service.kill();
  for (const gate of gates.splice(0)) await gate.cut();
  await topics?.delete();
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Panes that came more than once, though no worker began with them: one that takes over gives the
 * newest pane once more, and nobody gives another one twice.
 */
function doubled(files: readonly (readonly WindowLine[])[]): number[] {
  const all = [...new Set(wanted.map(({ window }) => window.to))];
  const given = new Map<number, boolean[]>();
  for (const file of files) {
    const ends = file.filter(({ window }) => window.name === '10m').map(({ window }) => window.to);
    for (const [n, end] of ends.entries()) {
      const isBegun = n === 0 || all.indexOf(end) !== all.indexOf(ends[n - 1]!) + 1;
      given.set(end, [...(given.get(end) ?? []), isBegun]);
    }
  }
  const isTwice = (begun: readonly boolean[]) => begun.length > 1 && !begun.includes(true);
  return [...given].filter(([, begun]) => isTwice(begun)).map(([end]) => end);
}

/** Whichever worker is asked, it has the newest numbers of all. */
async function haveAll(newest: number): Promise<void> {
  await eventually(
    'all workers to have the newest numbers',
    () => Promise.all(running.map((service) => service.get('/api/v1/estimates'))),
    (all) =>
      all.every(({ status, body }) => {
        return status === 200 && (JSON.parse(body) as { paneEnd: number }).paneEnd === newest;
      }),
  );
}

async function send(from: number, to: number): Promise<void> {
  const slice = lines.slice(from, to);
  for (const role of ['exposures', 'interactions'] as const) {
    await topics.send(
      role,
      slice.filter((line) => line.role === role),
    );
  }
}

/** Sends what is left a slice at a time, as producers do that know of nothing. */
async function sendSlowly(from: number, overMs: number): Promise<void> {
  const length = Math.ceil((lines.length - from) / SLICES);
  for (let at = from; at < lines.length; at += length) {
    await send(at, Math.min(lines.length, at + length));
    await sleep(overMs / SLICES);
  }
}

async function start(path: string, brokers = kafkaBrokers): Promise<RunningService> {
  const service = await RunningService.start(['serve'], {
    ...topics.settings,
    UNSKEW_KAFKA_BROKERS: brokers,
    ...SETTINGS,
    UNSKEW_STATE_STORE: 'redis',
    UNSKEW_STATE_REDIS_URL: redis.url,
    UNSKEW_STATE_EVERY: '500ms',
    UNSKEW_ESTIMATES_FILE: path,
  });
  running.push(service);
  return service;
}

/** Starts a worker that has looked at what is kept, and reaches Kafka when its gate is opened. */
async function joinsLater(path: string): Promise<TcpProxy> {
  const gate = await TcpProxy.before(`tcp://${kafkaBrokers}`, true);
  gates.push(gate);
  gate.freeze('both');
  await start(path, gate.address);
  await eventually(
    'the worker to ask for Kafka',
    async () => gate.clients,
    (clients) => clients > 0,
  );
  return gate;
}

it('two workers that join while Redis stands still leave the group with the panes of an undisturbed run', async () => {
  const paths = ['a', 'b', 'c'].map((name) => join(folder, `${name}.ndjson`));
  const third = Math.floor(lines.length / 3);
  await send(0, third);
  await start(paths[0]!);
  await written(paths, wanted.length / 6);
  const first = await joinsLater(paths[1]!);
  const second = await joinsLater(paths[2]!);
  redis.freezeRedis();
  const sending = sendSlowly(third, FROZEN_MS + 4_000);
  first.thaw();
  await sleep(APART_MS);
  second.thaw();
  await sleep(FROZEN_MS - APART_MS);
  const before = await new WrittenWindows().count(paths);
  redis.thawRedis();
  await eventually(
    'a pane from the group',
    () => new WrittenWindows().count(paths),
    (count) => count > before,
    30_000,
  );
  await sending;
  const newestMs = Math.max(...lines.map(({ value }) => new Date(JSON.parse(value).ts).getTime()));
  const how = { partitions: PARTITIONS, latenessMs: LATENESS_MS, tickMs: TICK_MS };
  await writeClosing(topics, newestMs, how);
  await written(paths, wanted.length);
  const files = await Promise.all(paths.map((path) => linesOf([path])));
  // None is missing, each has its value, and all workers have the newest.
  const found = withoutReading(series(files.flat()).slice(0, wanted.length));
  expect(differences(found, withoutReading(wanted), 1e-9)).toEqual([]);
  expect(doubled(files)).toEqual([]);
  const newest = Math.max(...files.flat().map(({ window }) => window.to));
  await haveAll(newest);
});
