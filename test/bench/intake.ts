import { setTimeout as sleep } from 'node:timers/promises';
import { SchemaTable } from '../../src/events/formats/schema.js';
import type { Mapping } from '../../src/events/mapping/mapping.js';
import { Pseudonyms } from '../../src/events/pseudonyms.js';
import { Shuffle, type SourceRecord } from '../../src/stream/intake/shuffle.js';
import { avroOf, framed } from '../support/formats/writers.js';
import { cpuMs } from './cpu-time.js';
import { generator } from './decode.js';
import type { BenchResult } from './result.js';

const START_TS = 1_750_000_000_000;
const ROUNDS = 5;
const EVENTS = 20_000;
const BATCH = 1000;

const VIEW = {
  type: 'record',
  name: 'View',
  fields: [
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    ...['user', 'rid', 'slot', 'sku', 'model'].map((name) => ({ name, type: 'string' })),
    { name: 'place', type: 'int' },
  ],
};
const VIEWS: Mapping = {
  impression: {
    ts: '/at',
    user: '/user',
    item: '/sku',
    model: '/model',
    list: '/rid',
    surface: '/slot',
    place: '/place',
  },
};
const CLICKS: Mapping = {
  kind: { path: '/event', values: { click: 'interaction', page: 'ignored' } },
  interaction: {
    id: '/uuid',
    ts: '/time',
    user: '/user/id',
    item: '/sku',
    action: '/event',
    exposure: { join: ['/rid', '/slot'] },
  },
};

/**
 * What the intake makes of records before it writes them, against JSON.parse of the same as text; and
 * what pseudonyms add, for users who come again and for users who are all new. Alternating rounds,
 * best of each.
 */
export async function benchIntake(): Promise<BenchResult[]> {
  const random = generator(9);
  const often = Array.from({ length: EVENTS }, () => Math.floor(random() ** 2 * 10_000));
  const once = Array.from({ length: EVENTS }, (_, n) => n);
  const frequent = sourcesOf(often);
  const best = await measured({ frequent, new: sourcesOf(once) });
  const plain = best['frequent']!;
  return [
    ratio(
      'intake.vs_json_parse',
      plain / best['parse']!,
      14,
      `${us(plain)} µs of the processor a record, read, mapped and written as text, of JSON and of Avro by halves; JSON.parse of the same ${us(best['parse']!)} µs`,
    ),
    ...(
      [
        ['frequent', 1.15],
        ['new', 1.4],
      ] as const
    ).map(([users, most]) => {
      const without = best[users]!;
      const added = best[`${users} with pseudonyms`]!;
      const detail = `${us(without)} µs a record, ${us(added)} µs with pseudonyms, before Kafka reads or writes it; users are ${users}`;
      return ratio(`intake.pseudonyms_of_${users}_users`, added / without, most, detail);
    }),
  ];
}

function ratio(id: string, value: number, most: number, detail: string): BenchResult {
  return { id, value, unit: 'ratio', target: `<= ${most}`, ok: value <= most, detail };
}

const us = (ms: number) => ((ms * 1000) / (2 * EVENTS)).toFixed(2);

type Sources = ReturnType<typeof sourcesOf>;

function sourcesOf(users: readonly number[]) {
  const avro = avroOf(VIEW);
  const schemas = new SchemaTable();
  schemas.add('id 1', avro.schema);
  const named = users.map((user) => `user-${String(user).padStart(12, '0')}`);
  const views = named.map((user, n) => ({
    at: START_TS + n,
    user,
    rid: `r-${n >> 3}`,
    slot: 'HOME',
    sku: `item-${n % 5000}`,
    model: 'blend',
    place: n & 7,
  }));
  const clicks = named.map((id, n) => ({
    event: 'click',
    uuid: `evt-${n.toString(16).padStart(16, '0')}`,
    time: START_TS + n,
    user: { id, plan: 'free' },
    sku: `item-${n % 5000}`,
    rid: `r-${n >> 3}`,
    slot: 'HOME',
  }));
  const json = [...views, ...clicks].map((event) => Buffer.from(JSON.stringify(event)));
  const recordsOf = (topic: string, values: readonly Buffer[]): SourceRecord[] =>
    values.map((value, n) => {
      const from = { topic, partition: 0, offset: `${n}`, key: null, headers: {} };
      return { from, value, ts: START_TS + EVENTS };
    });
  return {
    schemas,
    json,
    views: recordsOf(
      'views',
      views.map((view) => framed(1, avro.write(view))),
    ),
    clicks: recordsOf('clicks', json.slice(EVENTS)),
  };
}

function shuffled({ schemas, views, clicks }: Sources, pseudonyms: Pseudonyms | undefined): number {
  const reading = { maxEventBytes: 1 << 20, maxFutureMs: 60_000, schemas, pseudonyms };
  const shuffle = new Shuffle([
    { topic: 'views', events: 'exposures', format: 'avro', mapping: VIEWS, ...reading },
    { topic: 'clicks', events: 'mixed', mapping: CLICKS, ...reading },
  ]);
  let written = 0;
  for (const [topic, all] of Object.entries({ views, clicks })) {
    for (let at = 0; at < all.length; at += BATCH) {
      const { records, letters } = shuffle.read(
        topic,
        0,
        all.slice(at, at + BATCH),
        () => Number.POSITIVE_INFINITY,
      );
      if (letters.length > 0) throw new Error(letters[0]!.detail);
      written += records.parts.length + records.interactions.length;
    }
  }
  return written;
}

async function measured(worlds: Readonly<Record<string, Sources>>) {
  const best: Record<string, number> = {};
  const keep = (name: string, work: () => number) => {
    const ms = cpuMs(() => {
      if (work() !== 2 * EVENTS) throw new Error(`${name}: not every record was read`);
    });
    best[name] = Math.min(ms, best[name] ?? Number.POSITIVE_INFINITY);
  };
  const key = { key: 'the key of a measurement, no secret at all', fromMs: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    keep(
      'parse',
      () => worlds['frequent']!.json.filter((json) => JSON.parse(json.toString())).length,
    );
    for (const [name, sources] of Object.entries(worlds)) {
      keep(name, () => shuffled(sources, undefined));
      keep(`${name} with pseudonyms`, () => shuffled(sources, new Pseudonyms([key])));
    }
    await sleep(10);
  }
  return best;
}
