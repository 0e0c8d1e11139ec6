import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mulberry32 } from '../bench/synthetic-log.js';
import { sharedBrowser } from '../page/shared-browser.js';
import { differences } from '../support/compare.js';
import { linesOf, replayed, series, type WindowLine, written } from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { produceForeign, serializeForeign } from '../support/librdkafka/librdkafka.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { addressOf } from '../support/shared/address-of.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';

/** By day integration/intake kills those who bring topics together. */
const KILLS = IS_LONG ? 10 : 0;
const THROUGH_KILLS = KILLS > 0 ? ', through kills' : '';
const SETTINGS = {
  UNSKEW_TIME_TICK: IS_LONG ? '5m' : '10m',
  UNSKEW_TIME_WINDOWS: '10m,3h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '3h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_GAMMA: 'fit',
  ...FEW_ESTIMATES,
};
const IMPRESSION = {
  type: 'record',
  name: 'Impression',
  namespace: 'shop',
  fields: [
    { name: 'occurred_at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'user_id', type: ['null', 'string'], default: null },
    ...['session', 'request_id', 'slot', 'sku'].map((name) => ({ name, type: 'string' })),
    { name: 'position', type: 'int' },
    { name: 'labels', type: { type: 'map', values: 'string' } },
  ],
};
/** JSON of something else, which a topic of many kinds of events passes over as it does pages. */
const OTHER = Buffer.from('{"level":"info"}');
/** Clicks that are none: of other types, or of no time, or of one that is not here yet. */
const SPOILED = [
  { sku: {} },
  { user_id: ['u'] },
  { user_id: 17.5 },
  { at: 'never' },
  { at: '2199-01-01T00:00:00Z' },
];
/**
 * What is not an event: text, nothing, half an event, numbers, frames of schemas that nobody knows;
 * and of each topic a record that is cut in the middle.
 */
const GARBAGE = [
  ...['no event', '', '{"event_name":"click","sku":', '[1,2]'].map((text) => Buffer.from(text)),
  Buffer.of(0, 255, 255, 255, 255, 7, 7, 7),
  Buffer.of(1, ...new Array<number>(20).fill(9)),
  Buffer.of(0, 0, 0, 1, 200, 3),
  OTHER,
];
/** Names of actions in a shop; the last three are not feedback. */
const NAMES = ['click', 'click', 'add_to_cart', 'click'];
const OTHER_NAMES = ['page_view', 'search', 'login'];

let folder: string;
let registry: string;
let kafka: Kafka;
let admin: Admin;
let wanted: WindowLine[];
let canonical: string;
/** Records that are not events: each must become a dead letter. */
let refused = 0;
const name = `t${randomUUID()}`;
const topics = ['impressions', 'clicks', 'orders'].map((kind) => `${name}.${kind}`) as [
  string,
  string,
  string,
];
const internal = ['exposures', 'interactions', 'letters'].map((kind) => `${name}.in.${kind}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-shop-'));
  registry = await addressOf('registry');
  const brokers = kafkaBrokers.split(',');
  kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  admin = kafka.admin();
  await admin.connect();
  const partitions = [6, 5, 3];
  await createTopics(
    admin,
    topics.map((topic, n) => ({ topic, numPartitions: partitions[n]! })),
  );
  const size = ['--users', '40', '--cycles', '3', '--list-length', '10', '--seed', '8'];
  expect((await unskew(['simulate', '--out', folder, ...size])).code).toBe(0);
  await send();
  wanted = series(await replayed([canonical], SETTINGS));
}, 120_000);

afterAll(async () => {
  const all = await admin.listTopics();
  const own = [...topics, ...internal, `${internal[0]}.parts`];
  await admin.deleteTopics({ topics: own.filter((topic) => all.includes(topic)) });
  await admin.disconnect();
  await rm(folder, { recursive: true, force: true });
});

interface Simulated {
  readonly type: 'exposure' | 'interaction';
  readonly id: string;
  readonly ts: number;
  readonly user: string;
  readonly model: string;
  readonly items: readonly string[];
  readonly item: string;
  readonly shown?: boolean;
}

/**
 * The shop's own records, and the canonical log of the same: every fourth interaction is an order of
 * three lines; of some events nobody knows the user, some are of pages, three of a hundred are no events.
 */
async function send(): Promise<void> {
  const random = mulberry32(4);
  const log: object[] = [];
  const views: { key: string; value: object }[] = [];
  const sent: { topic: string; key: string; value: Buffer }[] = [];
  const json = (topic: string, key: string, value: object) =>
    sent.push({ topic, key, value: Buffer.from(JSON.stringify(value)) });
  const lines = (await readFile(join(folder, 'events.ndjson'), 'utf8')).trim().split('\n');
  const newest = new Map<string, Simulated>();
  const items = ['i1', 'i2', 'i3', 'i4', 'i5', 'i6'];
  for (const [n, line] of lines.entries()) {
    const { type, id, ts, user, model, shown = true, ...of } = JSON.parse(line) as Simulated;
    const session = `${user}/${Math.floor(3 * random())}`;
    if (type === 'exposure') {
      if (!shown) continue;
      newest.set(user, JSON.parse(line) as Simulated);
      log.push({ type, id, ts, user, model, items: of.items });
      const whose = { user_id: user, session, request_id: id };
      for (const [place, sku] of of.items.entries()) {
        const labels = { theme: 'dark', reco_model: model };
        const value = { ...whose, sku, slot: 'HOME', position: place + 1, occurred_at: ts, labels };
        views.push({ key: session, value });
        if (n % 10 !== 0) continue;
        const nobodys = { ...value, user_id: null, request_id: `${id}?` };
        views.push({ key: session, value: nobodys });
      }
      continue;
    }
    const at = new Date(ts).toISOString();
    if (n % 4 === 0) {
      const bought = [of.item, items[n % 3]!, items[3 + (n % 3)]!];
      const skus = bought.filter((sku, place) => bought.indexOf(sku) === place);
      for (const [place, item] of skus.entries()) {
        log.push({ type, id: `${id}/${place}`, ts, user, item, action: 'purchase' });
      }
      const basket = skus.map((sku) => ({ sku, quantity: 1 }));
      json(topics[2], id, { order_number: id, placed_at: at, user_id: user, lines: basket });
      continue;
    }
    const list = newest.get(user);
    const exposure = list?.items.includes(of.item) ? list.id : undefined;
    const action = NAMES[n % NAMES.length]!;
    log.push({ type, id, ts, user, item: of.item, action, exposure });
    const cause = exposure === undefined ? {} : { reco_request_id: exposure, slot: 'HOME' };
    const click = { event_id: id, event_name: action, at, user_id: user, session, sku: of.item };
    json(topics[1], session, { ...click, ...cause });
    if (n % 7 === 0) json(topics[1], session, { ...click, event_id: `${id}?`, user_id: null });
    if (n % 3 === 0) {
      const event_name = OTHER_NAMES[(n / 3) % OTHER_NAMES.length]!;
      json(topics[1], session, { ...click, event_id: `${id}!`, event_name });
    }
  }
  canonical = join(folder, 'canonical.ndjson');
  await writeFile(canonical, log.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const framed = await serializeForeign({
    registry,
    topic: topics[0],
    kind: 'avro',
    schema: IMPRESSION,
    values: views.map(({ value }) => value),
  });
  const all = views
    .map(({ key }, n) => ({ topic: topics[0], key, value: framed[n]! }))
    .concat(sent);
  const turns = new Map<string, number>();
  const spoiled = all.flatMap((record, n) => {
    if (n % 33 !== 0) return [record];
    const turn = turns.get(record.topic) ?? 0;
    turns.set(record.topic, turn + 1);
    const cut = record.value.subarray(0, record.value.length / 2);
    const sorts = [...GARBAGE, cut, ...(record.topic === topics[1] ? SPOILED.map(asClick) : [])];
    const value = sorts[turn % sorts.length]!;
    if (value !== OTHER || record.topic !== topics[1]) refused++;
    return [record, { ...record, value }];
  });
  await produceForeign({ 'bootstrap.servers': kafkaBrokers, 'linger.ms': 20 }, spoiled);
}

function asClick(spoiled: object): Buffer {
  const sound = { event_id: '?', event_name: 'click', user_id: 'u1', session: 's', sku: 'i1' };
  return Buffer.from(JSON.stringify({ ...sound, at: '2026-01-01T00:00:00Z', ...spoiled }));
}

it(`a foreign shop log, configured by doctor, gives the numbers of its canonical log${THROUGH_KILLS}`, async () => {
  const file = join(folder, 'unskew.yaml');
  const address = ['--brokers', kafkaBrokers, '--registry', registry];
  const looked = await unskew(['doctor', ...address, '--topics', ...topics, '--out', file]);
  expect([looked.code, looked.stderr]).toEqual([0, '']);
  expect(looked.stdout).toMatch(/ignored +.*anonymous/);
  const configured = await readFile(file, 'utf8');
  expect(configured).toMatch(/exposure:\n +join:\n +- \/reco_request_id\n +- \/slot/);
  expect(configured).toContain('model: /labels/reco_model');
  expect(configured).toContain('format: avro');
  expect(configured).toMatch(/action:\n +constant: purchase/);
  const path = join(folder, 'estimates.ndjson');
  const settings = {
    ...SETTINGS,
    UNSKEW_KAFKA_GROUP_ID: name,
    UNSKEW_KAFKA_TOPICS_EXPOSURES: internal[0]!,
    UNSKEW_KAFKA_TOPICS_INTERACTIONS: internal[1]!,
    UNSKEW_KAFKA_TOPICS_DEAD_LETTER: internal[2]!,
    UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
    UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: '16KiB',
    UNSKEW_INTAKE_PARTITIONS: '4',
    UNSKEW_ESTIMATES_FILE: path,
    UNSKEW_STATE_STORE: 'file',
    UNSKEW_STATE_DIR: join(folder, 'state'),
    UNSKEW_STATE_EVERY: '300ms',
    UNSKEW_HTTP_PORT: '0',
  };
  const random = mulberry32(2);
  const begin = () => RunningService.start(['serve', '--config', file], settings);
  let service = await begin();
  const browser = await sharedBrowser();
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      // The first before there is any number.
      if (kill > 0) await written([path], ((kill + random()) / KILLS) * 0.9 * wanted.length);
      await sleep(1000 * random());
      await service.kill();
      service = await begin();
    }
    await written([path], wanted.length);
    const lost = (await service.scrape()).filter(
      ({ name: metric, labels, value }) =>
        metric === 'unskew_events_total' && labels['outcome'] === 'late' && value > 0,
    );
    expect(lost).toEqual([]);
    const page = await browser.newPage();
    await page.goto(service.address);
    const newest = new Date(wanted.at(-1)!.window.to).toISOString().slice(0, 16).replace('T', ' ');
    const isShown = (text: string) => text.includes(newest) && text.includes('production');
    await eventually('the page', () => page.innerText('body'), isShown, 30_000);
  } finally {
    await browser.close();
    await service.stop();
  }
  const found = series(await linesOf([path])).map(plain);
  expect(differences(found, wanted.map(plain), 1e-9)).toEqual([]);
  expect((await lettersOf(internal[2]!)).size).toBe(refused);
}, 600_000);

/** Which records the letters of a topic are of: a process that was killed may have written some again. */
async function lettersOf(topic: string): Promise<ReadonlySet<string>> {
  const ends = await admin.fetchTopicOffsets(topic);
  const left = new Set(ends.filter(({ low, high }) => low !== high).map((each) => each.partition));
  const places = new Set<string>();
  const consumer = kafka.consumer({ groupId: `${name}.letters` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ partition, message: { offset, headers = {} } }) => {
      places.add(['topic', 'partition', 'offset'].map((key) => `${headers[key]}`).join('/'));
      const end = ends.find((each) => each.partition === partition);
      if (Number(offset) + 1 >= Number(end?.high)) left.delete(partition);
    },
  });
  await eventually(
    'all letters',
    async () => left.size,
    (count) => count === 0,
    30_000,
  );
  await consumer.disconnect();
  return places;
}

/** Numbers without the findings about reading. */
function plain({ window, counts, results }: WindowLine) {
  const { faults: _f, requestFaults: _r, ...rest } = counts as Record<string, number>;
  return { window, counts: rest, results };
}
