import { performance } from 'node:perf_hooks';
import { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Interner } from '../../src/state/ids/interner.js';
import type { BenchResult } from './result.js';

const EVENTS = 1_000_000;
const USERS = 100_000;
const ITEMS = 20_000;
const BATCH = 1000;
const ROUNDS = 9;
const START_TS = 1_750_000_000_000;

/**
 * Decode and intern against JSON.parse of the same buffers, in alternating rounds, best of each;
 * and what the ids cost in memory.
 */
export async function benchDecode(): Promise<BenchResult[]> {
  const events = canonicalEvents();
  const parsed: number[] = [];
  const decoded: number[] = [];
  let bytesPerId = 0;
  for (let round = 0; round < ROUNDS; round++) {
    parsed.push(timed(() => parseAll(events)));
    decoded.push(
      timed(() => {
        bytesPerId = decodeAll(events);
      }),
    );
    // A breath between rounds, for the machine's other work and the collector's.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const parse = Math.min(...parsed);
  const decode = Math.min(...decoded);
  const ratio = decode / parse;
  const meanBytes = events.reduce((sum, event) => sum + event.length, 0) / EVENTS;
  return [
    {
      id: 'decode.interactions_vs_json_parse',
      value: ratio,
      unit: 'ratio',
      target: '<= 1.0',
      ok: ratio <= 1,
      detail:
        `${perEvent(decode)} ns an event of ${meanBytes.toFixed(0)} bytes, decoded and interned; ` +
        `JSON.parse alone ${perEvent(parse)} ns`,
    },
    {
      id: 'decode.bytes_per_id',
      value: bytesPerId,
      unit: 'bytes',
      target: '<= 150',
      ok: bytesPerId <= 150,
      detail: `memory of the users' and items' tables over ${USERS + ITEMS} ids at most`,
    },
  ];
}

function perEvent(ms: number): string {
  return ((ms * 1e6) / EVENTS).toFixed(0);
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function parseAll(events: readonly Buffer[]): void {
  let fields = 0;
  for (const event of events) fields += JSON.parse(event.toString()).user.length;
  if (fields === 0) throw new Error('Nothing was parsed.');
}

function decodeAll(events: readonly Buffer[]): number {
  const decoder = new Decoder({ maxFutureMs: 60_000 });
  const tables = { users: new Interner(), items: new Interner(), models: new Interner() };
  const batch = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
  for (let i = 0; i < events.length; i++) {
    if (i % BATCH === 0) batch.interactions.clear();
    const event = events[i];
    const ts = START_TS + EVENTS;
    const code = decoder.decode(event, 0, event.length, 'interactions', ts, tables, batch);
    if (code !== 0) throw new Error(`Event ${i} was refused: ${decoder.detail}`);
  }
  const { users, items } = tables;
  return (users.byteLength + items.byteLength) / (users.size + items.size);
}

/** Events as a Kafka client hands them out: slices of chunks of about a megabyte. */
function canonicalEvents(): Buffer[] {
  const random = generator(42);
  const events: Buffer[] = [];
  for (let first = 0; first < EVENTS; first += 5000) {
    const lines: string[] = [];
    for (let i = first; i < first + 5000; i++) lines.push(canonicalEvent(i, random));
    const chunk = Buffer.from(lines.join(''));
    let at = 0;
    for (const line of lines) {
      events.push(chunk.subarray(at, at + line.length));
      at += line.length;
    }
  }
  return events;
}

export function canonicalEvent(i: number, random: () => number): string {
  return encodeEvent({
    type: 'interaction',
    id: `evt-${(i * 2654435761).toString(16).padStart(16, '0')}`,
    ts: START_TS + i,
    user: `user-${powerLaw(USERS, random()).toString().padStart(15, '0')}`,
    item: `item-${powerLaw(ITEMS, random()).toString().padStart(10, '0')}`,
    action: 'click',
    value: 1 + Math.floor(random() * 5),
    exposure: `exp-${Math.floor(random() * 2 ** 48)
      .toString(16)
      .padStart(16, '0')}`,
  });
}

/** A rank with density ∝ 1 / rank, the usual shape of popularity. */
function powerLaw(count: number, uniform: number): number {
  return Math.floor(Math.exp(uniform * Math.log(count + 1))) - 1;
}

/** Mulberry32: small, seeded, the same on every machine. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
