import { setTimeout as sleep } from 'node:timers/promises';
import { avroOf, Decoded, framed, protobufOf } from '../support/formats/writers.js';
import { CLICK, CLICK_PROTO, clicksAndLists, LIST, LIST_PROTO, START_TS } from './framed-events.js';
import type { BenchResult } from './result.js';

const ROUNDS = 9;
const INTERACTIONS = 200_000;
const LISTS = 40_000;

/** Of the time that JSON.parse takes. */
const MOST = { avro: 0.7, protobuf: 1 } as const;

/** Ms of the processor: the machine may have other work. */
function timed(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Framed events decoded and interned, against JSON.parse of the same events as text; alternating
 * rounds, best of each.
 */
export async function benchFormats(): Promise<BenchResult[]> {
  const { clicks, lists } = clicksAndLists(INTERACTIONS, LISTS);
  return [
    ...(await measured('interaction', 'interactions', clicks, CLICK, CLICK_PROTO)),
    ...(await measured('list', 'exposures', lists, LIST, LIST_PROTO)),
  ];
}

async function measured(
  what: string,
  role: 'exposures' | 'interactions',
  events: readonly { readonly user: string }[],
  avroSchema: object,
  protoSchema: string,
): Promise<BenchResult[]> {
  const avro = avroOf(avroSchema);
  const proto = protobufOf(protoSchema);
  const forms = {
    json: events.map((event) => Buffer.from(JSON.stringify(event))),
    avro: events.map((event) => framed(1, avro.write(event))),
    protobuf: events.map((event) => framed(2, proto.write(event))),
  };
  const best: Record<string, number> = {};
  const keep = (name: string, ms: number) => {
    best[name] = Math.min(ms, best[name] ?? Number.POSITIVE_INFINITY);
  };
  for (let round = 0; round < ROUNDS; round++) {
    keep(
      'parse',
      timed(() => parseAll(forms.json)),
    );
    for (const [name, bytes] of Object.entries(forms)) {
      const decoded = new Decoded();
      decoded.schemas.add('id 1', avro.schema);
      decoded.schemas.add('id 2', proto.schema);
      keep(
        name,
        timed(() => decodeAll(decoded, role, bytes)),
      );
    }
    await sleep(10);
  }
  const ns = (name: string) => ((best[name]! * 1e6) / events.length).toFixed(0);
  return Object.entries(MOST).map(([name, most]) => {
    const value = best[name]! / best['parse']!;
    return {
      id: `decode.${name}_${what}_vs_json_parse`,
      value,
      unit: 'ratio',
      target: `<= ${most.toFixed(1)}`,
      ok: value <= most,
      detail: `${ns(name)} ns of the processor an event, decoded and interned; of JSON ${ns('json')} ns, JSON.parse alone ${ns('parse')} ns`,
    };
  });
}

function parseAll(events: readonly Buffer[]): void {
  let length = 0;
  for (const event of events) length += JSON.parse(event.toString()).user.length;
  if (length === 0) throw new Error('Nothing was parsed.');
}

function decodeAll(
  { decoder, tables, batch }: Decoded,
  role: 'exposures' | 'interactions',
  events: readonly Buffer[],
): void {
  for (let i = 0; i < events.length; i++) {
    if (i % 1000 === 0) {
      batch.interactions.clear();
      batch.exposures.clear();
    }
    const event = events[i]!;
    const now = START_TS + events.length;
    if (decoder.decode(event, 0, event.length, role, now, tables, batch) !== 0) {
      throw new Error(`Event ${i} was refused: ${decoder.detail}`);
    }
  }
}
