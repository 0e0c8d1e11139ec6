import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differences } from '../support/compare.js';
import { linesOf, replayed, series, WrittenWindows } from '../support/estimate-lines.js';
import { produceForeign, serializeForeign } from '../support/librdkafka/librdkafka.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { addressOf } from '../support/shared/address-of.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestTopics } from '../support/topics.js';
import type { ParsedSeries } from '../unit/prometheus/exposition.js';

const PARTITIONS = 3;
const AWAY_MS = 30_000;

const EXPOSURE_FIELDS = [
  { name: 'id', type: 'string' },
  { name: 'ts', type: { type: 'long', logicalType: 'timestamp-millis' } },
  { name: 'user', type: 'string' },
  { name: 'model', type: 'string' },
  { name: 'items', type: { type: 'array', items: 'string' } },
  { name: 'shown', type: ['null', 'boolean'], default: null },
  { name: 'candidates', type: ['null', 'int'], default: null },
  { name: 'request', type: ['null', 'string'], default: null },
  { name: 'share', type: ['null', 'double'], default: null },
  { name: 'depth', type: ['null', 'int'], default: null },
  { name: 'note', type: 'string', default: '' },
];
const EXPOSURE = { type: 'record', name: 'Exposure', namespace: 'shop', fields: EXPOSURE_FIELDS };
/** One field is gone, one is new, and one has another name. */
const LATER_EXPOSURE = {
  ...EXPOSURE,
  fields: [
    { name: 'page', type: { type: 'map', values: 'long' }, default: {} },
    ...EXPOSURE_FIELDS.filter(({ name }) => name !== 'note').map((field) =>
      field.name === 'user' ? { ...field, name: 'user_id', aliases: ['user'] } : field,
    ),
  ],
};
const field = (name: string, number: number, type: string, oneofIndex?: number) => ({
  name,
  number,
  type: `TYPE_${type}`,
  label: 'LABEL_OPTIONAL',
  ...(oneofIndex !== undefined && { proto3Optional: true, oneofIndex }),
});
const CLICK = {
  name: 'click.proto',
  package: 'shop',
  syntax: 'proto3',
  messageType: [
    {
      name: 'Click',
      field: [
        field('id', 1, 'STRING'),
        field('ts', 2, 'INT64'),
        field('user', 3, 'STRING'),
        field('item', 4, 'STRING'),
        field('action', 5, 'STRING'),
        field('value', 6, 'DOUBLE', 0),
        field('exposure', 7, 'STRING'),
      ],
      oneofDecl: [{ name: '_value' }],
    },
  ],
};

interface Event extends Record<string, unknown> {
  readonly type: string;
  readonly user: string;
}

let folder: string;
let registry: string;
let door: TcpProxy;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-framed-'));
  registry = await addressOf('registry');
  door = await TcpProxy.before(registry);
});
afterAll(async () => {
  await door.cut();
  await rm(folder, { recursive: true });
});

/** A small log of requests in the order of time. */
async function simulated(): Promise<{ files: string[]; events: Event[] }> {
  const size = ['--users', '60', '--items', '60', '--relevant-per-user', '12', '--arms', '2'];
  const lists = [
    '--cycles',
    '5',
    '--train-cycles',
    '1',
    '--list-length',
    '10',
    '--shown-length',
    '5',
  ];
  const { code, stderr } = await unskew(['simulate', '--out', folder, ...size, ...lists]);
  if (code !== 0) throw new Error(stderr);
  const files = ['train', 'events'].map((name) => join(folder, `${name}.ndjson`));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
  return { files, events: lines.map((line) => JSON.parse(line) as Event) };
}

function sumOf(seen: readonly ParsedSeries[], name: string, outcome?: string): number {
  return seen
    .filter((each) => each.name === name && (!outcome || each.labels['outcome'] === outcome))
    .reduce((sum, { value }) => sum + value, 0);
}

describe('events in Avro and Protobuf', () => {
  it('give the numbers of the same events in JSON through schema changes and a registry outage', async () => {
    const { files, events } = await simulated();
    const topics = await TestTopics.create(kafkaBrokers, PARTITIONS);
    const settings = {
      ...topics.settings,
      UNSKEW_TIME_TICK: '10m',
      UNSKEW_TIME_WINDOWS: '1h',
    };
    const exposures = `${topics.name}.exposures`;
    const interactions = `${topics.name}.interactions`;
    const partitionOf = ({ user }: Event) => Number(user.slice(1)) % PARTITIONS;
    const middle = Math.floor(events.length / 2);

    const frame = async (
      some: readonly Event[],
      avro: object,
      rename: (event: Event) => object,
    ) => {
      const ofKind = (kind: string) => some.filter(({ type }) => type === kind);
      const shown = ofKind('exposure');
      const clicked = ofKind('interaction');
      const common = { registry };
      const [lists, clicks] = await Promise.all([
        serializeForeign({
          ...common,
          topic: exposures,
          kind: 'avro',
          schema: avro,
          values: shown.map(rename),
        }),
        serializeForeign({
          ...common,
          topic: interactions,
          kind: 'protobuf',
          schema: CLICK,
          values: clicked.map(({ type: _, ...click }) => click),
        }),
      ]);
      const places = new Map<Event, { topic: string; value: Buffer }>();
      for (const [n, event] of shown.entries()) {
        places.set(event, { topic: exposures, value: lists[n]! });
      }
      for (const [n, event] of clicked.entries()) {
        places.set(event, { topic: interactions, value: clicks[n]! });
      }
      return some.map((event) => ({ ...places.get(event)!, partition: partitionOf(event) }));
    };
    const asIs = ({ type: _, ...event }: Event) => event;
    const renamed = ({ type: _, user, ...event }: Event) => ({
      ...event,
      user_id: user,
      page: { n: 1 },
    });
    const early = await frame(events.slice(0, middle), EXPOSURE, asIs);
    const late = await frame(events.slice(middle), LATER_EXPOSURE, renamed);
    const config = {
      'bootstrap.servers': kafkaBrokers,
      'compression.type': 'lz4',
      'linger.ms': 20,
    };

    const out = join(folder, 'estimates.ndjson');
    const service = await RunningService.start(['serve'], {
      ...settings,
      UNSKEW_ESTIMATES_FILE: out,
      UNSKEW_KAFKA_FORMATS_EXPOSURES: 'avro',
      UNSKEW_KAFKA_FORMATS_INTERACTIONS: 'protobuf',
      UNSKEW_REGISTRY_URL: `http://${door.address}/apis/ccompat/v7`,
    });
    const accepted = async () => sumOf(await service.scrape(), 'unskew_events_total', 'accepted');
    const states = async () => {
      const { states: known } = JSON.parse((await service.get('/readyz')).body) as {
        states: { code: string }[];
      };
      return known.map(({ code }) => code);
    };
    try {
      await produceForeign(config, early);
      await eventually('the first half', accepted, (count) => count === middle);

      await door.cut();
      await produceForeign(config, late);
      await eventually('the registry to be missed', states, (found) => found.includes('away'));
      await sleep(AWAY_MS);
      expect(await accepted()).toBeLessThan(events.length);
      expect(sumOf(await service.scrape(), 'unskew_faults_total')).toBe(0);
      const connected = (await service.scrape()).find(
        ({ name, labels }) => name === 'unskew_connected' && labels['to'] === 'schema_registry',
      );
      expect(connected?.value).toBe(0);

      await door.restore();
      await eventually('all events', accepted, (count) => count === events.length);
      expect(await states()).not.toContain('away');
      expect(sumOf(await service.scrape(), 'unskew_faults_total')).toBe(0);
      const expected = series(await replayed(files, settings));
      const written = new WrittenWindows();
      const last = expected.at(-2)!.window.to;
      await eventually(
        'the last windows',
        async () => {
          await written.count([out]);
          return written.until;
        },
        (until) => until >= last,
      );
      const found = new Map(series(await linesOf([out])).map((line) => [line.window.to, line]));
      const both = expected.filter(({ window }) => found.has(window.to));
      expect(both.length).toBeGreaterThan(10);
      for (const line of both) {
        const own = found.get(line.window.to)!;
        expect(differences(own.results, line.results, 1e-9)).toEqual([]);
        expect(differences(own.counts, line.counts, 1e-9)).toEqual([]);
      }
      expect(both.some(({ results }) => results.length > 0)).toBe(true);
    } finally {
      expect(await service.stop()).toBe(0);
      await topics.delete();
    }
  });
});
