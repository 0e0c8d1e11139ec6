import { setTimeout as sleep } from 'node:timers/promises';
import avro from 'avsc';
import protobuf from 'protobufjs';
import { EventDraft } from '../../src/events/draft.js';
import { ACCEPTED } from '../../src/events/fault.js';
import { FramedEvents } from '../../src/events/formats/framed.js';
import { compileMapping, type Mapping } from '../../src/events/mapping/mapping.js';
import { EventParser } from '../../src/events/parse.js';
import { CLICKED, clicked, SHOWN, SHOWN_MAPPING, shown } from '../support/formats/shop.js';
import { avroOf, Decoded, framed, protobufOf } from '../support/formats/writers.js';
import { cpuMs, medianOf } from './cpu-time.js';
import { CLICK, CLICK_PROTO, clicksAndLists, LIST, LIST_PROTO } from './framed-events.js';
import type { BenchResult } from './result.js';

const ROUNDS = 9;
const INTERACTIONS = 100_000;
const LISTS = 20_000;

type Role = 'exposures' | 'interactions';

/** Events in one format, how the package reads their values, and the same as text. */
interface Case {
  readonly id: string;
  readonly role: Role;
  readonly mapping?: Mapping;
  readonly json: readonly Buffer[];
  readonly bytes: readonly Buffer[];
  /** By the id of each frame. */
  readonly schemas: readonly ReturnType<typeof avroOf>['schema'][];
  /** Behind the frame; gives the values of the fields that are wanted, ids as text. */
  readonly byPackage: (payload: Buffer, schema: number) => unknown;
  readonly packageName: string;
}

/**
 * Our walkers against what avsc and protobufjs take for the values of the same fields alone, before
 * any text is checked or any number judged: avsc by a resolver to the wanted fields, protobufjs by a
 * type that has no others. In turns, medians.
 */
export async function benchPackages(): Promise<BenchResult[]> {
  const { clicks, lists } = clicksAndLists(INTERACTIONS, LISTS);
  const cases = [
    avroCase('interaction', 'interactions', clicks, [CLICK], CLICK),
    protobufCase('interaction', 'interactions', clicks, CLICK_PROTO, CLICK_PROTO),
    avroCase('list', 'exposures', lists, [LIST], LIST),
    protobufCase('list', 'exposures', lists, LIST_PROTO, LIST_PROTO),
    avroCase('evolving_interaction', 'interactions', clicks, VERSIONS, NEWEST),
    nestedLists(),
    nestedInteractions(),
  ];
  const results: BenchResult[] = [];
  for (const each of cases) results.push(await measured(each));
  return results;
}

/** Ids are integers there. */
function nestedLists(): Case {
  const of = avroCase('nested_list', 'exposures', valuesOf(shown, LISTS), [SHOWN], SHOWN_WANTED);
  return {
    ...of,
    mapping: SHOWN_MAPPING,
    byPackage: (payload, schema) => {
      const { context, slots } = of.byPackage(payload, schema) as ShownValue;
      return [String(context.user.id), ...slots.map(({ item }) => String(item))];
    },
  };
}

function nestedInteractions(): Case {
  const wanted = CLICKED.replace(/map<.*labels = 6; repeated int32 steps = 7;/, '');
  const values = valuesOf(clicked, INTERACTIONS);
  const of = protobufCase('nested_interaction', 'interactions', values, CLICKED, wanted);
  return {
    ...of,
    mapping: SHOWN_MAPPING,
    byPackage: (payload, schema) => {
      const { who, sku, at } = of.byPackage(payload, schema) as ClickedValue;
      return [String(who.user_id), String(sku), at.seconds.toNumber() * 1000];
    },
  };
}

interface ShownValue {
  readonly context: { readonly user: { readonly id: number } };
  readonly slots: readonly { readonly item: number }[];
}

interface ClickedValue {
  readonly who: { readonly user_id: object };
  readonly sku: object;
  readonly at: { readonly seconds: { toNumber(): number } };
}

function valuesOf(one: (n: number) => { value: object }, count: number): object[] {
  return Array.from({ length: count }, (_, n) => one(n).value);
}

const field = (name: string, type: unknown, more = {}) => ({ name, type, ...more });
const clickOf = (...fields: readonly object[]) => ({ ...CLICK, fields });
const [ID, TS, USER, ITEM, ACTION, VALUE, EXPOSURE] = CLICK.fields;
/** One after the other: renamed with an alias, wider, with fields that nobody asks for, without some. */
const VERSIONS = [
  clickOf(ID!, TS!, field('user_id', 'string', { aliases: ['user'] }), ITEM!, ACTION!, VALUE!),
  clickOf(field('page', ['null', 'string', 'long']), ID!, TS!, USER!, ITEM!, EXPOSURE!),
  clickOf(ID!, TS!, USER!, field('tags', { type: 'map', values: 'string' }), ITEM!, VALUE!),
];
const NEWEST = clickOf(
  ID!,
  TS!,
  field('user', 'string', { aliases: ['user_id'] }),
  ITEM!,
  field('action', ['null', 'string'], { default: null }),
  field('value', ['null', 'double'], { default: null }),
  field('exposure', ['null', 'string'], { default: null }),
);
const SHOWN_WANTED = {
  ...SHOWN,
  fields: [
    field('id', 'string'),
    field('at', 'long'),
    field('engine', { type: 'enum', name: 'Engine', symbols: ['OLD', 'NEW'] }),
    field('total', 'int'),
    field('context', {
      type: 'record',
      name: 'Context',
      fields: [
        field('user', ['null', { type: 'record', name: 'User', fields: [field('id', 'long')] }]),
        field('labels', { type: 'map', values: 'string' }),
      ],
    }),
    field('slots', {
      type: 'array',
      items: {
        type: 'record',
        name: 'Slot',
        fields: [field('item', 'long'), field('chance', 'double')],
      },
    }),
  ],
};

function avroCase(
  what: string,
  role: Role,
  events: readonly object[],
  versions: readonly object[],
  wanted: object,
): Case {
  const written = versions.map((version) => avroOf(version));
  const reader = avro.Type.forSchema(wanted as avro.Schema, { omitRecordMethods: true });
  const resolvers = versions.map((version) =>
    reader.createResolver(avro.Type.forSchema(version as avro.Schema)),
  );
  const whole = events.map((event) => ({ page: 'home', tags: { a: 'b' }, ...renamed(event) }));
  return {
    id: `avro_${what}`,
    role,
    json: events.map((event) => Buffer.from(JSON.stringify(event))),
    bytes: whole.map((event, n) => {
      const version = n % versions.length;
      return framed(version, written[version]!.write(event));
    }),
    schemas: written.map(({ schema }) => schema),
    byPackage: (payload, schema) => reader.fromBuffer(payload, resolvers[schema]),
    packageName: 'avsc',
  };
}

function renamed(event: object): object {
  return 'user' in event ? { ...event, user_id: event.user } : event;
}

function protobufCase(
  what: string,
  role: Role,
  events: readonly object[],
  text: string,
  wanted: string,
): Case {
  const { schema, write } = protobufOf(text);
  const { root } = protobuf.parse(wanted, new protobuf.Root(), { keepCase: true });
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')!.nested!);
  const name = /message (\w+)/.exec(wanted)![1]!;
  const type = root.lookupType(name);
  return {
    id: `protobuf_${what}`,
    role,
    json: events.map((event) => Buffer.from(JSON.stringify(event))),
    bytes: events.map((event) => framed(0, write(event))),
    schemas: [schema],
    // Behind the byte that stands for the file's first message.
    byPackage: (payload) => type.decode(payload.subarray(1)),
    packageName: 'protobufjs',
  };
}

async function measured(of: Case): Promise<BenchResult> {
  const works: Readonly<Record<string, () => void>> = {
    parse: () => each(of.json, (text) => JSON.parse(text.toString())),
    package: () => each(of.bytes, (bytes) => of.byPackage(bytes.subarray(5), bytes[4]!)),
    draft: () => toDraft(of),
    columns: () => toColumns(of),
  };
  const times: Record<string, number[]> = { parse: [], package: [], draft: [], columns: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) times[name]!.push(cpuMs(work));
    await sleep(10);
  }
  const ms = (name: string) => medianOf(times[name]!);
  const share = (name: string) => (ms(name) / ms('parse')).toFixed(2);
  const value = ms('draft') / ms('package');
  return {
    id: `formats.${of.id}_vs_package`,
    value,
    unit: 'ratio',
    target: '<= 1.0',
    ok: value <= 1,
    detail: `of the time of JSON.parse ${of.packageName} takes ${share('package')} for values, we ${share('draft')} for a checked event, ${share('columns')} with its ids interned`,
  };
}

function each(events: readonly Buffer[], read: (event: Buffer) => unknown): void {
  let seen = 0;
  for (const event of events) {
    if (typeof read(event) === 'object') seen++;
  }
  if (seen !== events.length) throw new Error('not every event was read');
}

function toDraft({ role, mapping, bytes, schemas }: Case): void {
  const draft = new EventDraft();
  const compiled = mapping && compileMapping(mapping);
  const parser = new EventParser(draft, compiled);
  const decoded = decodedWith(schemas);
  const formats = { exposures: 'auto', interactions: 'auto' } as const;
  const events = new FramedEvents(formats, decoded.schemas, parser, draft, compiled);
  for (const event of bytes) {
    const code = events.read(event, 0, event.length, role, Number.POSITIVE_INFINITY, undefined);
    if (code !== ACCEPTED) throw new Error(parser.detail);
  }
}

function toColumns({ role, mapping, bytes, schemas }: Case): void {
  const { decoder, tables, batch } = decodedWith(schemas, mapping);
  for (const [n, event] of bytes.entries()) {
    if (n % 1000 === 0) {
      batch.interactions.clear();
      batch.exposures.clear();
    }
    const latest = Number.POSITIVE_INFINITY;
    if (decoder.decode(event, 0, event.length, role, latest, tables, batch) !== ACCEPTED) {
      throw new Error(decoder.detail);
    }
  }
}

function decodedWith(schemas: Case['schemas'], mapping?: Mapping): Decoded {
  const decoded = new Decoded(mapping && { mapping });
  for (const [id, schema] of schemas.entries()) decoded.schemas.add(`id ${id}`, schema);
  return decoded;
}
