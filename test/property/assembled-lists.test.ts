import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Assembler, type AssemblyMark } from '../../src/stream/intake/assembler.js';
import type { Part } from '../../src/stream/intake/part.js';
import type { SourceProgress } from '../../src/stream/panes/source-times.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import '../support/property-runs.js';

const OPTIONS = {
  gapMs: 30,
  withinMs: 100,
  latenessMs: 20,
  maxParts: 1e6,
  firstPlace: 0,
  noteEvery: 8,
};
const SOURCES = 3;

interface SourceRecord {
  readonly part: Part;
  readonly source: string;
  readonly newest: number;
}
type Entry = SourceRecord | { readonly progress: SourceProgress };

/** Impressions of one source: times go up, with some that are late and some that come close. */
function sourceLog(random: () => number, source: number, count: number): SourceRecord[] {
  let clock = 1000;
  let newest = Number.NEGATIVE_INFINITY;
  return Array.from({ length: count }, (_, n) => {
    clock += Math.floor(random() * (random() < 0.1 ? 80 : 12));
    const ts = clock - Math.floor(random() * (random() < 0.1 ? 40 : 15));
    newest = Math.max(newest, ts);
    const user = `u${Math.floor(random() * 3)}`;
    const item = `i${Math.floor(random() * 30)}`;
    const id = `v/${source}/${n}`;
    const event = { type: 'exposure', id, ts, user, model: 'm', items: [item] } as const;
    const named = random() < 0.5 ? { list: `r${Math.floor(clock / 60)}` } : {};
    const placed = random() < 0.7 ? { place: Math.floor(random() * 10) } : {};
    return { part: { event, ...named, ...placed }, source: `v/${source}`, newest };
  });
}

/** The definition, over all parts that are on time at their sources. */
function expected(logs: readonly SourceRecord[][]): Map<string, readonly string[]> {
  const onTime = logs.flat().filter(({ part, newest }) => part.event.ts >= newest - 20);
  const byKey = new Map<string, SourceRecord[]>();
  for (const record of onTime) {
    const key = `${record.part.event.user} ${record.part.list ?? ''}`;
    byKey.set(key, [...(byKey.get(key) ?? []), record]);
  }
  const lists = new Map<string, readonly string[]>();
  for (const records of byKey.values()) {
    const parts = records.map(({ part }) => part);
    parts.sort((a, b) => a.event.ts - b.event.ts || (a.event.id < b.event.id ? -1 : 1));
    let piece: Part[] = [];
    const end = () => {
      const [first] = piece;
      if (first === undefined) return;
      const order = piece.map((part, n) => ({ part, n }));
      order.sort((a, b) => (a.part.place ?? 99) - (b.part.place ?? 99) || a.n - b.n);
      const items = [...new Set(order.map(({ part }) => part.event.items[0]!))];
      const id = first.list ?? first.event.id;
      // A second list of the same name is dropped by its id.
      const key = `${first.event.user} ${id} ${first.event.ts}`;
      lists.set(key, items);
    };
    for (const part of parts) {
      const last = piece.at(-1);
      const isNew =
        last !== undefined &&
        (part.event.ts - last.event.ts > 30 || part.event.ts >= piece[0]!.event.ts + 100);
      if (isNew) {
        end();
        piece = [];
      }
      piece.push(part);
    }
    end();
  }
  return lists;
}

/** The sources between each other as they are read, some of it twice, and how far they are. */
function interleaved(random: () => number, logs: readonly SourceRecord[][]): Entry[] {
  const log: Entry[] = [];
  const at = logs.map(() => 0);
  const partitions = { v: SOURCES };
  const say = (emptyAt = {}) => {
    const newest = logs.flatMap((records, s) => {
      const read = records[at[s]! - 1];
      return read === undefined ? [] : [[`v/${s}`, read.newest] as const];
    });
    log.push({ progress: { partitions, newest: Object.fromEntries(newest), emptyAt } });
  };
  const speeds = logs.map(() => random() ** 3 + 0.05);
  while (at.some((read, s) => read < logs[s]!.length)) {
    const s = pick(random, speeds, (n) => at[n]! < logs[n]!.length);
    const batch = 1 + Math.floor(random() * 8);
    log.push(...logs[s]!.slice(at[s], at[s]! + batch));
    at[s] = Math.min(logs[s]!.length, at[s]! + batch);
    // What was written and not committed is written again.
    if (random() < 0.1) at[s] = Math.max(0, at[s]! - Math.ceil(random() * batch));
    else if (random() < 0.3) say();
  }
  say({ 'v/0': 1e9, 'v/1': 1e9, 'v/2': 1e9 });
  return log;
}

function pick(
  random: () => number,
  weights: readonly number[],
  isOpen: (n: number) => boolean,
): number {
  const open = weights.map((weight, n) => (isOpen(n) ? weight : 0));
  let left = random() * open.reduce((sum, weight) => sum + weight, 0);
  const found = open.findIndex((weight) => {
    left -= weight;
    return weight > 0 && left <= 0;
  });
  return found < 0 ? open.findIndex((weight) => weight > 0) : found;
}

/** What is written, by list, through kills that lose what is not committed. */
function assembled(random: () => number, log: readonly Entry[], kills: number) {
  const lists = new Map<string, readonly string[]>();
  let writes = 0;
  let mark: AssemblyMark | undefined;
  const deaths = Array.from({ length: kills }, () => Math.floor(random() * log.length));
  for (const death of [...deaths.sort((a, b) => a - b), log.length]) {
    const assembler = new Assembler(OPTIONS, mark && (JSON.parse(JSON.stringify(mark)) as never));
    let offset = assembler.next;
    while (offset < death) {
      const end = Math.min(death, offset + 1 + Math.floor(random() * 10));
      for (; offset < end; offset++) {
        const entry = log[offset]!;
        if ('progress' in entry) assembler.progressed(offset, entry.progress);
        else assembler.part(offset, entry.part, entry);
      }
      const said = assembler.newest;
      for (const { event } of assembler.complete()) {
        const key = `${event.user} ${event.id} ${event.ts as number}`;
        const before = lists.get(key);
        if (before !== undefined) expect([key, event.items]).toEqual([key, before]);
        lists.set(key, event.items);
        writes++;
        // No list is late by what was said of this partition.
        expect(event.ts as number).toBeGreaterThanOrEqual(said - OPTIONS.latenessMs);
      }
      // Killed before it has written, or before it has committed.
      if (random() < 0.8) {
        assembler.written();
        if (random() < 0.5) mark = assembler.mark();
      }
    }
  }
  return { lists, writes };
}

const seeds = fc.integer({ min: 1, max: 1e9 });

describe('lists assembled from interleaved parts', () => {
  it('equal the lists of the sources, despite repeated records and kills', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 6 }), (seed, kills) => {
        const random = mulberry32(seed);
        const logs = Array.from({ length: SOURCES }, (_, s) => sourceLog(random, s, 150));
        const wanted = expected(logs);
        const { lists } = assembled(random, interleaved(random, logs), kills);
        expect(new Map([...lists].sort())).toEqual(new Map([...wanted].sort()));
      }),
    );
  });
});
