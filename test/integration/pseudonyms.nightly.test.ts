import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Admin, Kafka as Client, type Kafka, logLevel, type Message } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { differences } from '../support/compare.js';
import { linesOf, replayed, series, withoutReading, written } from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';

const NAME = `t${randomUUID()}`;
const SOURCES = { views: `${NAME}.views`, clicks: `${NAME}.clicks` };
const INTERNAL = ['exposures', 'interactions', 'letters'].map((kind) => `${NAME}.in.${kind}`);
const KEY = 'a key that stands in no file and no topic';
const SETTINGS = {
  UNSKEW_TIME_TICK: '10m',
  UNSKEW_TIME_WINDOWS: '20m,1h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '1h',
  UNSKEW_GAMMA: 'fit',
  UNSKEW_GAMMA_PERIOD: '30m',
  ...FEW_ESTIMATES,
  UNSKEW_ESTIMATES_ESTIMATORS: 'naive,snips',
};
const START = Date.UTC(2026, 0, 5);

let kafka: Kafka;
let admin: Admin;
let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-pseudonyms-'));
  const brokers = kafkaBrokers.split(',');
  kafka = new Client({ brokers, logLevel: logLevel.NOTHING });
  admin = kafka.admin();
  await admin.connect();
  const topics = Object.values(SOURCES).map((topic) => ({ topic, numPartitions: 3 }));
  await createTopics(admin, topics);
});

afterAll(async () => {
  const all = await admin.listTopics();
  const own = [...Object.values(SOURCES), ...INTERNAL, `${INTERNAL[0]}.parts`];
  await admin.deleteTopics({ topics: own.filter((topic) => all.includes(topic)) });
  await admin.disconnect();
  await rm(folder, { recursive: true });
});

/** Lists and clicks that name their users in every record; one click is refused. */
async function send(): Promise<void> {
  const due: Record<keyof typeof SOURCES, Message[]> = { views: [], clicks: [] };
  const canonical: object[] = [];
  for (let n = 0; n < 240; n++) {
    const user = `shopper-${n % 40}@example.com`;
    const ts = START + 30_000 * n;
    const id = `r${n}`;
    const skus = ['a', 'b', 'c', 'd', 'e'].map((sku, k) => `${sku}${(n + k) % 7}`);
    canonical.push({ type: 'exposure', id, ts, user, model: `m${n % 2}`, items: skus });
    for (const [place, sku] of skus.entries()) {
      const value = { at: ts, who: user, rid: id, sku, place, model: `m${n % 2}` };
      due.views.push({ key: user, value: JSON.stringify(value) });
    }
    const click = { type: 'interaction', id: `c${n}`, ts: ts + 5000, user, item: skus[n % 3] };
    canonical.push(click);
    due.clicks.push({ key: user, value: JSON.stringify(click) });
  }
  const refused = { type: 'interaction', id: 'x', ts: START, user: ['ann@example.com'], item: 'a' };
  due.clicks.push({ key: 'ann@example.com', value: JSON.stringify(refused) });
  await writeFile(at('canonical.ndjson'), canonical.map((e) => `${JSON.stringify(e)}\n`).join(''));
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  for (const [role, topic] of Object.entries(SOURCES)) {
    await producer.send({ topic, messages: due[role as keyof typeof SOURCES] });
  }
  await producer.disconnect();
}

/** Keys, values and headers of all records of a topic. */
async function recordsOf(topic: string): Promise<string> {
  const ends = await admin.fetchTopicOffsets(topic);
  const left = new Set(ends.filter(({ low, high }) => low !== high).map((each) => each.partition));
  const consumer = kafka.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const found: string[] = [];
  await new Promise<void>((resolve, reject) => {
    if (left.size === 0) resolve();
    const eachMessage = async ({
      partition,
      message,
    }: {
      partition: number;
      message: Message & { offset: string };
    }) => {
      const { key, value, headers = {} } = message;
      found.push([key, value, ...Object.entries(headers).flat()].join(' '));
      const end = ends.find((each) => each.partition === partition);
      if (Number(message.offset) + 1 >= Number(end?.high)) left.delete(partition);
      if (left.size === 0) resolve();
    };
    consumer.run({ eachMessage: eachMessage as never }).catch(reject);
  });
  await consumer.disconnect();
  return found.join('\n');
}

async function filesIn(path: string): Promise<string> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

it('a service with pseudonyms stores no user id anywhere and gives the same numbers', async () => {
  await send();
  const wanted = series(await replayed([at('canonical.ndjson')], SETTINGS));
  const impression = {
    ts: '/at',
    user: '/who',
    item: '/sku',
    list: '/rid',
    place: '/place',
    model: '/model',
  };
  const estimates = at('estimates.ndjson');
  const settings = {
    ...SETTINGS,
    UNSKEW_KAFKA_BROKERS: kafkaBrokers,
    UNSKEW_KAFKA_GROUP_ID: NAME,
    UNSKEW_KAFKA_TOPICS_EXPOSURES: INTERNAL[0]!,
    UNSKEW_KAFKA_TOPICS_INTERACTIONS: INTERNAL[1]!,
    UNSKEW_KAFKA_TOPICS_DEAD_LETTER: INTERNAL[2]!,
    UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
    UNSKEW_INTAKE_PARTITIONS: '4',
    UNSKEW_INTAKE_SOURCES: JSON.stringify([
      { topic: SOURCES.views, events: 'exposures', mapping: { impression } },
      { topic: SOURCES.clicks, events: 'interactions' },
    ]),
    UNSKEW_EVENTS_PSEUDONYMS: JSON.stringify([{ key: KEY }]),
    UNSKEW_ESTIMATES_FILE: estimates,
    UNSKEW_HISTORY_DIR: at('history'),
    UNSKEW_STATE_STORE: 'file',
    UNSKEW_STATE_DIR: at('state'),
    UNSKEW_STATE_EVERY: '300ms',
    UNSKEW_LOG_LEVEL: 'trace',
    UNSKEW_HTTP_PORT: '0',
  };
  const logs: string[] = [];
  let service = await RunningService.start(['serve'], settings);
  try {
    await written([estimates], wanted.length / 3);
    await service.kill();
    logs.push(service.output);
    service = await RunningService.start(['serve'], settings);
    await written([estimates], wanted.length);
    const { status, body } = await service.get('/api/v1/users/shopper-7@example.com');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ user: expect.stringMatching(/^~[\w-]{22}$/) });
    expect(body).not.toContain('@example');
  } finally {
    await service.stop();
  }
  logs.push(service.output);
  const found = series(await linesOf([estimates]));
  expect(differences(withoutReading(found), withoutReading(wanted), 1e-9)).toEqual([]);
  // They name users where they should, so that the search would find them.
  expect(await recordsOf(SOURCES.clicks)).toContain('@example.com');
  expect(await readFile(at('canonical.ndjson'), 'latin1')).toContain('@example.com');
  await rm(at('canonical.ndjson'));
  const outputs = {
    files: await filesIn(folder),
    log: logs.join('\n'),
    ...Object.fromEntries(
      await Promise.all(
        [...INTERNAL, `${INTERNAL[0]}.parts`].map(async (topic) => [topic, await recordsOf(topic)]),
      ),
    ),
  };
  for (const [where, text] of Object.entries(outputs)) {
    expect(text, where).not.toContain('@example');
    expect(text, where).not.toContain(KEY);
  }
  expect(outputs[INTERNAL[0]!]).toMatch(/~[\w-]{22}/);
  expect(outputs.files).toMatch(/~[\w-]{22}/);
  expect(outputs[INTERNAL[2]!]).toContain('withheld');
}, 300_000);
