import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OwnRegistry, startOwnRegistry } from '../../deploy/services.mjs';
import { mulberry32 } from '../bench/synthetic-log.js';
import { launchChromium } from '../page/chromium.js';
import { differences } from '../support/compare.js';
import { linesOf, replayed, series, type WindowLine, written } from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { produceForeign, serializeForeign } from '../support/librdkafka/librdkafka.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { createTopics } from '../support/topics.js';

const KILLS = IS_LONG ? 10 : 3;
const SETTINGS = {
  UNSKEW_TIME_TICK: '5m',
  UNSKEW_TIME_WINDOWS: '10m,3h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '3h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_GAMMA: 'fit',
  ...FEW_ESTIMATES,
};
const IMPRESSION = {
  ...{ type: 'record', name: 'Impression', namespace: 'shop' },
  fields: [
    { name: 'occurred_at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'user_id', type: ['null', 'string'], default: null },
    ...['session', 'request_id', 'slot', 'sku'].map((name) => ({ name, type: 'string' })),
    { name: 'position', type: 'int' },
    { name: 'labels', type: { type: 'map', values: 'string' } },
  ],
};
/** What is not an event: text, JSON of something else, and what looks like a frame and is none. */
const GARBAGE = [
  Buffer.from('no event'),
  Buffer.from('{"level":"info"}'),
  Buffer.of(0, 255, 255, 255, 255, 7, 7, 7),
  Buffer.of(1, ...new Array<number>(20).fill(9)),
  Buffer.of(0, 0, 0, 1, 200, 3),
];

let folder: string;
let registry: OwnRegistry;
let admin: Admin;
let wanted: WindowLine[];
let canonical: string;
const name = `t${randomUUID()}`;
const topics = ['impressions', 'clicks', 'orders'].map((kind) => `${name}.${kind}`) as [
  string,
  string,
  string,
];
const internal = ['exposures', 'interactions', 'letters'].map((kind) => `${name}.in.${kind}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-shop-'));
  registry = await startOwnRegistry();
  const brokers = inject('kafkaBrokers').split(',');
  admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
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
  await registry.stop();
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
    log.push({ type, id, ts, user, item: of.item, exposure });
    const cause = exposure === undefined ? {} : { reco_request_id: exposure, slot: 'HOME' };
    const click = { event_id: id, event_name: 'click', at, user_id: user, session, sku: of.item };
    json(topics[1], session, { ...click, ...cause });
    if (n % 7 === 0) json(topics[1], session, { ...click, event_id: `${id}?`, user_id: null });
    if (n % 3 === 0) {
      json(topics[1], session, { ...click, event_id: `${id}!`, event_name: 'page_view' });
    }
  }
  canonical = join(folder, 'canonical.ndjson');
  await writeFile(canonical, log.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const framed = await serializeForeign({
    ...{ registry: registry.url, topic: topics[0], kind: 'avro', schema: IMPRESSION },
    values: views.map(({ value }) => value),
  });
  const all = views
    .map(({ key }, n) => ({ topic: topics[0], key, value: framed[n]! }))
    .concat(sent);
  const spoiled = all.flatMap((record, n) =>
    n % 33 === 0 ? [record, { ...record, value: GARBAGE[(n / 33) % GARBAGE.length]! }] : [record],
  );
  await produceForeign({ 'bootstrap.servers': inject('kafkaBrokers'), 'linger.ms': 20 }, spoiled);
}

it('is read by what doctor writes of it, and its numbers are those of its canonical log, through kills', async () => {
  const file = join(folder, 'unskew.yaml');
  const address = ['--brokers', inject('kafkaBrokers'), '--registry', `${registry.url}`];
  const looked = await unskew(['doctor', ...address, '--topics', ...topics, '--out', file]);
  expect([looked.code, looked.stderr]).toEqual([0, '']);
  expect(looked.stdout).not.toContain('Its numbers would be wrong');
  expect(looked.stdout).toMatch(/passed over +.*anonymous/);
  const configured = await readFile(file, 'utf8');
  expect(configured).toMatch(/exposure:\n +join:\n +- \/reco_request_id\n +- \/slot/);
  expect(configured).toContain('model: /labels/reco_model');
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
  const browser = await launchChromium();
  try {
    for (let kill = 1; kill <= KILLS; kill++) {
      await written([path], ((kill - 0.9) / KILLS) * 0.9 * wanted.length);
      await sleep(500 * random());
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
  expect(await admin.listTopics()).toContain(internal[2]);
}, 600_000);

/** Numbers without what is said of the reading. */
function plain({ window, counts, results }: WindowLine) {
  const { faults: _f, requestFaults: _r, ...rest } = counts as Record<string, number>;
  return { window, counts: rest, results };
}
