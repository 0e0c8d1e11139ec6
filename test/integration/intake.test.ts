import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Message } from 'kafkajs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { mulberry32 } from '../bench/synthetic-log.js';
import { differences } from '../support/compare.js';
import { linesOf, replayed, series, type WindowLine, written } from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { createTopics, TestTopics } from '../support/topics.js';

const KILLS = IS_LONG ? 10 : 2;
const IMPRESSION_PARTITIONS = 24;
const CLICK_PARTITIONS = 12;
const SETTINGS = {
  UNSKEW_TIME_TICK: '5m',
  UNSKEW_TIME_WINDOWS: '10m,3h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '3h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_GAMMA: 'fit',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: '16KiB',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  ...FEW_ESTIMATES,
};

let folder: string;
let topics: TestTopics;
let admin: Admin;
let sources: Record<'exposures' | 'interactions' | 'impressions', string>;
let files: string[];
let wanted: WindowLine[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-intake-'));
  topics = await TestTopics.create(inject('kafkaBrokers'), 4);
  sources = {
    exposures: `${topics.name}.views`,
    interactions: `${topics.name}.clicks`,
    impressions: `${topics.name}.impressions`,
  };
  admin = topics.kafka.admin();
  await admin.connect();
  await createTopics(admin, [
    { topic: sources.exposures, numPartitions: IMPRESSION_PARTITIONS },
    { topic: sources.interactions, numPartitions: CLICK_PARTITIONS },
    { topic: sources.impressions, numPartitions: IMPRESSION_PARTITIONS },
  ]);
  const size = ['--users', '150', '--cycles', '3', '--list-length', '20', '--seed', '5'];
  expect((await unskew(['simulate', '--out', folder, ...size])).code).toBe(0);
  files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
  await send();
  wanted = series(await replayed(files, SETTINGS));
});

afterAll(async () => {
  await admin?.deleteTopics({ topics: Object.values(sources) });
  await admin?.disconnect();
  await topics?.delete();
  await rm(folder, { recursive: true, force: true });
});

interface Written {
  readonly type: string;
  readonly id: string;
  readonly ts: number;
  readonly user: string;
  readonly items: readonly string[];
}

/** One record for each item of a list, as it comes into view. */
function impressionsOf({ type: _type, id, ts, items, ...list }: Written): string[] {
  return items.map((sku, n) =>
    JSON.stringify({ ...list, shelf: 'top', rid: id, at: ts + 150 * n, place: n + 1, sku }),
  );
}

/** Keyed by session: the events of a user lie in many partitions of each topic. */
async function send(): Promise<void> {
  const due = {
    exposures: [] as Message[],
    interactions: [] as Message[],
    impressions: [] as Message[],
  };
  const random = mulberry32(7);
  for (const file of files) {
    for (const line of (await readFile(file, 'utf8')).split('\n').filter((text) => text !== '')) {
      const event = JSON.parse(line) as Written;
      const { type, user } = event;
      const key = `${user}/${Math.floor(4 * random())}`;
      if (type === 'exposure') {
        due.impressions.push(...impressionsOf(event).map((value) => ({ key, value })));
      }
      due[type === 'exposure' ? 'exposures' : 'interactions'].push({ key, value: line });
    }
  }
  const producer = topics.kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  for (const role of ['exposures', 'interactions', 'impressions'] as const) {
    for (let from = 0; from < due[role].length; from += 1000) {
      await producer.send({ topic: sources[role], messages: due[role].slice(from, from + 1000) });
    }
  }
  await producer.disconnect();
}

const settingsOf = (own: TestTopics, path: string, lists: object) => ({
  ...own.settings,
  ...SETTINGS,
  UNSKEW_ESTIMATES_FILE: path,
  UNSKEW_STATE_STORE: 'file',
  UNSKEW_STATE_DIR: join(folder, own.name),
  UNSKEW_STATE_EVERY: '300ms',
  UNSKEW_INTAKE_IN_SERVE: 'false',
  UNSKEW_INTAKE_SOURCES: JSON.stringify([
    lists,
    { topic: sources.interactions, events: 'interactions' },
  ]),
});

const outcomesOf = async (service: RunningService) =>
  Object.fromEntries(
    (await service.scrape())
      .filter(({ name }) => name === 'unskew_events_total')
      .map(({ labels, value }) => [`${labels['topic']} ${labels['outcome']}`, value]),
  );

/** Starts both roles, kills them in turns, and gives the numbers in the end. */
async function throughKills(own: TestTopics, lists: object): Promise<WindowLine[]> {
  const path = join(folder, `${own.name}.ndjson`);
  const settings = settingsOf(own, path, lists);
  const random = mulberry32(11);
  const begin = (role: string) => RunningService.start([role], settings);
  let [intake, serve] = await Promise.all(['intake', 'serve'].map(begin));
  for (let kill = 1; kill <= KILLS; kill++) {
    await written([path], ((kill - 0.9) / KILLS) * 0.9 * wanted.length);
    await sleep(500 * random());
    if (kill % 2 === 1) {
      await intake!.kill();
      intake = await begin('intake');
    } else {
      await serve!.kill();
      serve = await begin('serve');
    }
  }
  await written([path], wanted.length);
  const outcomes = await outcomesOf(serve!);
  expect((await intake!.get('/readyz')).status).toBe(200);
  expect(await intake!.stop()).toBe(0);
  expect(await serve!.stop()).toBe(0);
  for (const role of ['exposures', 'interactions']) {
    expect(outcomes[`${own.name}.${role} late`] ?? 0).toBe(0);
  }
  return series(await linesOf([path])).map(plain);
}

it('brings topics of any shape and key, and the numbers are those of a log keyed by user, through kills of both', async () => {
  const found = await throughKills(topics, { topic: sources.exposures, events: 'exposures' });
  expect(differences(found, wanted.map(plain), 1e-9)).toEqual([]);
}, 300_000);

it('assembles lists of one record per impression, and the numbers are those of whole lists, through kills of both', async () => {
  const own = await TestTopics.create(inject('kafkaBrokers'), 4);
  const impression = {
    ...{ ts: '/at', user: '/user', item: '/sku', list: '/rid', place: '/place' },
    ...{ model: '/model', shown: '/shown', randomized: '/randomized', candidates: '/candidates' },
  };
  const mapping = { impression };
  const lists = { topic: sources.impressions, events: 'exposures', mapping };
  try {
    const found = await throughKills(own, lists);
    expect(differences(found, wanted.map(plain), 1e-9)).toEqual([]);
  } finally {
    await own.delete();
  }
}, 300_000);

/** Numbers without what is said of the reading. */
function plain({ window, counts, results }: WindowLine) {
  const { faults: _f, requestFaults: _r, ...rest } = counts as Record<string, number>;
  return { window, counts: rest, results };
}
