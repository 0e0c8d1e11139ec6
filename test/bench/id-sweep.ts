import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashBytes } from '../../src/events/hash.js';
import type { Interner } from '../../src/state/ids/interner.js';
import { runSliced } from '../../src/stream/sliced.js';
import { aMillionRows, filled } from './checkpoint.js';
import type { BenchResult } from './result.js';

const ROUNDS = 10;
const SLICE_MS = 1;
const turns = { now: () => performance.now(), next: () => nextTurn() };

type Mark = (flags: Uint8Array) => Generator<void, void>;

/**
 * Forgetting as many ids as stay: 100,000 users of one partition, then 20,000 items, where a
 * million rows, 200,000 lists of 20 and the counts of three models refer to those that stay.
 */
export async function benchIdSweep(): Promise<BenchResult[]> {
  const log = aMillionRows();
  const monitor = filled(log);
  const { items } = log.ids;
  const users = log.userIds;
  const results: BenchResult[] = [];
  const measures: readonly (readonly [string, Interner, Mark])[] = [
    ['users', users, (flags) => monitor.partitions.markUsers(0, flags)],
    ['items', items, (flags) => monitor.partitions.markItems(flags)],
  ];
  for (const [name, table, mark] of measures) {
    const known = table.known;
    const rounds: { ms: number; stall: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      intern(table, known, `${name} of round ${round}`);
      rounds.push(await sweep(table, mark));
      if (table.known > known) throw new Error('what nothing refers to was kept');
    }
    results.push(...figures(name, known, rounds));
  }
  return results;
}

function intern(table: Interner, count: number, name: string): void {
  for (let n = 0; n < count; n++) {
    const bytes = Buffer.from(`${name} ${n}`);
    table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
}

async function sweep(table: Interner, mark: Mark): Promise<{ ms: number; stall: number }> {
  let stall = 0;
  const start = performance.now();
  const work = (function* () {
    yield* mark(table.mark());
    return yield* table.sweep();
  })();
  const onSlice = (ms: number) => {
    stall = Math.max(stall, ms);
  };
  await runSliced(work, turns, onSlice, SLICE_MS);
  return { ms: performance.now() - start, stall };
}

/** As for checkpoints: the first round pays for compilation, and of the others the median counts. */
function figures(
  name: string,
  known: number,
  rounds: readonly { readonly ms: number; readonly stall: number }[],
): BenchResult[] {
  const whole = Math.min(...rounds.map(({ ms }) => ms));
  const stalls = rounds.slice(1).map(({ stall }) => stall);
  stalls.sort((a, b) => a - b);
  const stall = stalls[stalls.length >> 1]!;
  const detail = `${known.toLocaleString('en')} ${name} are kept and as many forgotten`;
  const worst = `${stalls.at(-1)!.toFixed(1)} in the worst of ${stalls.length} rounds`;
  return [
    {
      id: `id_sweep.${name}`,
      value: whole,
      unit: 'ms',
      target: '<= 100',
      ok: whole <= 100,
      detail,
    },
    {
      id: `id_sweep.${name}_stall`,
      value: stall,
      unit: 'ms',
      target: '<= 5',
      ok: stall <= 5,
      detail: `longest slice, median; ${worst}`,
    },
  ];
}
