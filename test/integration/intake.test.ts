import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Message } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mulberry32 } from '../bench/synthetic-log.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { linesOf, replayed, series, type WindowLine, written } from '../support/estimate-lines.js';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { produceForeign, serializeForeign } from '../support/librdkafka/librdkafka.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { addressOf } from '../support/shared/address-of.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { createTopics, TestTopics } from '../support/topics.js';

const KILLS = IS_LONG ? 4 : 1;
const AWAY_MS = IS_LONG ? 30_000 : 1_000;
const USERS = IS_LONG ? 150 : 50;
const IMPRESSION_PARTITIONS = 24;
const CLICK_PARTITIONS = 12;
const SETTINGS = {
  UNSKEW_TIME_TICK: '5m',
  UNSKEW_TIME_WINDOWS: '10m,3h',
  UNSKEW_TIME_IDLE: '6s',
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
let sources: Record<'exposures' | 'interactions' | 'impressions' | 'taps', string>;
let registry: string;
let door: TcpProxy;
let files: string[];
let wanted: WindowLine[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-intake-'));
  topics = await TestTopics.create(kafkaBrokers, 4);
  registry = await addressOf('registry');
  door = await TcpProxy.before(registry);
  sources = {
    exposures: `${topics.name}.views`,
    interactions: `${topics.name}.clicks`,
    impressions: `${topics.name}.impressions`,
    taps: `${topics.name}.taps`,
  };
  admin = topics.kafka.admin();
  await admin.connect();
  await createTopics(admin, [
    { topic: sources.exposures, numPartitions: IMPRESSION_PARTITIONS },
    { topic: sources.interactions, numPartitions: CLICK_PARTITIONS },
    { topic: sources.taps, numPartitions: CLICK_PARTITIONS },
    { topic: sources.impressions, numPartitions: IMPRESSION_PARTITIONS },
  ]);
  const size = ['--users', `${USERS}`, '--cycles', '3', '--list-length', '20', '--seed', '5'];
  expect((await unskew(['simulate', '--out', folder, ...size])).code).toBe(0);
  files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
  await send();
  wanted = series(await replayed(files, SETTINGS));
});

afterAll(async () => {
  await admin?.deleteTopics({ topics: Object.values(sources) });
  await admin?.disconnect();
  await topics?.delete();
  await door?.cut();
  await rm(folder, { recursive: true, force: true });
});

interface Written extends Record<string, unknown> {
  readonly type: string;
  readonly id: string;
  readonly ts: number;
  readonly user: string;
  readonly items: readonly string[];
}

const optional = (name: string, type: string) => ({ name, type: ['null', type], default: null });
const IMPRESSION = {
  type: 'record',
  name: 'Impression',
  namespace: 'shop',
  fields: [
    ...['rid', 'user', 'sku', 'model'].map((name) => ({ name, type: 'string' })),
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'place', type: 'int' },
    optional('shown', 'boolean'),
    optional('randomized', 'boolean'),
    optional('candidates', 'int'),
  ],
};
const IMPRESSION_MAPPING = {
  impression: {
    ts: '/at',
    user: '/user',
    item: '/sku',
    list: '/rid',
    place: '/place',
    model: '/model',
    shown: '/shown',
    randomized: '/randomized',
    candidates: '/candidates',
  },
};
const tapField = (name: string, number: number, type: string) => ({
  name,
  number,
  type: `TYPE_${type}`,
  label: 'LABEL_OPTIONAL',
});
const TAP = {
  name: 'tap.proto',
  package: 'shop',
  syntax: 'proto3',
  messageType: [
    {
      name: 'Tap',
      field: [
        tapField('uuid', 1, 'STRING'),
        tapField('millis', 2, 'INT64'),
        tapField('who', 3, 'STRING'),
        tapField('sku', 4, 'STRING'),
        tapField('action', 5, 'STRING'),
        tapField('rid', 7, 'STRING'),
        { ...tapField('worth', 6, 'DOUBLE'), proto3Optional: true, oneofIndex: 0 },
      ],
      oneofDecl: [{ name: '_worth' }],
    },
  ],
};
const TAP_MAPPING = {
  interaction: {
    id: '/uuid',
    ts: '/millis',
    user: '/who',
    item: '/sku',
    action: '/action',
    value: '/worth',
    exposure: '/rid',
  },
};

/** One record for each item of a list, as it comes into view. */
function impressionsOf({ id, ts, items, user, model, ...list }: Written): object[] {
  const { shown = null, randomized = null, candidates = null } = list;
  const shared = { user, model, shown, randomized, candidates, rid: id };
  return items.map((sku, n) => ({ ...shared, at: ts + 150 * n, place: n + 1, sku }));
}

/** Keyed by session: the events of a user lie in many partitions of each topic. */
async function send(): Promise<void> {
  const random = mulberry32(7);
  const due = { exposures: [] as Message[], interactions: [] as Message[] };
  const impressions: { key: string; value: object }[] = [];
  const taps: { key: string; value: object }[] = [];
  for (const file of files) {
    for (const line of (await readFile(file, 'utf8')).split('\n').filter((text) => text !== '')) {
      const event = JSON.parse(line) as Written;
      const { type, user, id, ts } = event;
      const key = `${user}/${Math.floor(4 * random())}`;
      due[type === 'exposure' ? 'exposures' : 'interactions'].push({ key, value: line });
      if (type === 'exposure') {
        impressions.push(...impressionsOf(event).map((value) => ({ key, value })));
      } else {
        const { item: sku, action, value: worth, exposure: rid } = event;
        taps.push({ key, value: { uuid: id, millis: ts, who: user, sku, action, worth, rid } });
      }
    }
  }
  if (IS_LONG) await sendPlain(due);
  await Promise.all([
    sendForeign(sources.impressions, 'avro', IMPRESSION, impressions),
    sendForeign(sources.taps, 'protobuf', TAP, taps),
  ]);
}

/** Framed and packed by clients that are not ours. */
async function sendForeign(
  topic: string,
  kind: 'avro' | 'protobuf',
  schema: object,
  records: readonly { readonly key: string; readonly value: object }[],
): Promise<void> {
  const values = records.map(({ value }) => value);
  const framed = await serializeForeign({ registry, topic, kind, schema, values });
  const config = {
    'bootstrap.servers': kafkaBrokers,
    'compression.type': 'lz4',
    'linger.ms': 20,
    'enable.idempotence': 'true',
  };
  const keyed = records.map(({ key }, n) => ({ topic, key, value: framed[n]! }));
  await produceForeign(config, keyed);
}

async function sendPlain(due: Record<'exposures' | 'interactions', Message[]>): Promise<void> {
  const producer = topics.kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  for (const role of ['exposures', 'interactions'] as const) {
    for (let from = 0; from < due[role].length; from += 1000) {
      await producer.send({ topic: sources[role], messages: due[role].slice(from, from + 1000) });
    }
  }
  await producer.disconnect();
}

const settingsOf = (own: TestTopics, path: string, read: readonly object[]) => ({
  ...own.settings,
  ...SETTINGS,
  UNSKEW_ESTIMATES_FILE: path,
  UNSKEW_STATE_STORE: 'file',
  UNSKEW_STATE_DIR: join(folder, own.name),
  UNSKEW_STATE_EVERY: '300ms',
  UNSKEW_INTAKE_IN_SERVE: 'false',
  UNSKEW_INTAKE_SOURCES: JSON.stringify(read),
  UNSKEW_REGISTRY_URL: `http://${door.address}/apis/ccompat/v7`,
});

const outcomesOf = async (service: RunningService) =>
  Object.fromEntries(
    (await service.scrape())
      .filter(({ name }) => name === 'unskew_events_total')
      .map(({ labels, value }) => [`${labels['topic']} ${labels['outcome']}`, value]),
  );

/** Starts both roles, kills them in turns, and gives the numbers in the end. */
async function throughKills(own: TestTopics, read: readonly object[]): Promise<WindowLine[]> {
  const path = join(folder, `${own.name}.ndjson`);
  const settings = settingsOf(own, path, read);
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
  await door.cut();
  await sleep(AWAY_MS);
  await door.restore();
  await written([path], wanted.length);
  const outcomes = await outcomesOf(serve!);
  const ready = () => intake!.get('/readyz');
  await eventually('the intake to be ready', ready, ({ status }) => status === 200);
  expect(await intake!.stop()).toBe(0);
  expect(await serve!.stop()).toBe(0);
  for (const role of ['exposures', 'interactions']) {
    expect(outcomes[`${own.name}.${role} late`] ?? 0).toBe(0);
  }
  return series(await linesOf([path])).map(plain);
}

itAtNight(
  'intake of foreign topics gives the numbers of a log keyed by user, despite kills',
  async () => {
    const found = await throughKills(topics, [
      { topic: sources.exposures, events: 'exposures' },
      { topic: sources.interactions, events: 'interactions' },
    ]);
    expect(differences(found, wanted.map(plain), 1e-9)).toEqual([]);
  },
  600_000,
);

it('intake of Avro impressions and Protobuf clicks gives the numbers of whole lists, despite kills', async () => {
  const own = await TestTopics.create(kafkaBrokers, 4);
  try {
    const found = await throughKills(own, [
      {
        topic: sources.impressions,
        events: 'exposures',
        format: 'avro',
        mapping: IMPRESSION_MAPPING,
      },
      {
        topic: sources.taps,
        events: 'interactions',
        format: 'protobuf',
        mapping: TAP_MAPPING,
      },
    ]);
    expect(found.map(({ window }) => window)).toEqual(wanted.map(({ window }) => window));
    expect(differences(found, wanted.map(plain), 1e-9)).toEqual([]);
  } finally {
    await own.delete();
  }
}, 600_000);

/** Numbers without the findings about reading. */
function plain({ window, counts, results }: WindowLine) {
  const { faults: _f, requestFaults: _r, ...rest } = counts as Record<string, number>;
  return { window, counts: rest, results };
}
