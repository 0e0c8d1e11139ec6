import type { ClosedPane } from '../../src/stream/closed-pane.js';
import { Monitor } from '../../src/stream/monitor.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { Fold } from '../../src/stream/sums/fold.js';
import { GroupTick } from '../../src/stream/sums/group-tick.js';
import { decodeSums, encodeSums, type SumsRecord } from '../../src/stream/sums/record.js';
import { cpuMs, medianOf } from './cpu-time.js';
import { optionsOf } from './default-options.js';
import type { BenchResult } from './result.js';
import { type SyntheticLog, syntheticLog } from './synthetic-log.js';

const PARTITIONS = 24;
const WORKERS = 4;
const ITEMS = 100_000;
const ROWS = 960_000;
const HOUR = 3_600_000;
const TICK_MS = 60_000;
/** Ticks of each, the first ones unmeasured: they pay for compilation. */
const TICKS = 8;
const WARM_UP = 3;

const OPTIONS = optionsOf({ 'time.windows': '30m,1h' });

const LOGS = Array.from({ length: PARTITIONS }, (_, p) => ({ partition: p, seed: p + 1 }));

/** Has read the whole log of some partitions, and closed all panes but the last ones. */
function monitorOf(own: readonly number[]): Monitor {
  const share = { interactions: ROWS / PARTITIONS, users: 4_000, items: ITEMS };
  const how = { interactionsPerSession: 15, listLength: 20, spanMs: HOUR + TICKS * TICK_MS };
  let monitor: Monitor | undefined;
  const users = new Map<number, SyntheticLog['userIds']>();
  for (const { partition, seed } of LOGS.filter((each) => own.includes(each.partition))) {
    const log = syntheticLog({ ...share, ...how }, seed);
    users.set(partition, log.userIds);
    const ids = { ...log.ids, users: (p: number) => users.get(p)! };
    monitor ??= new Monitor(OPTIONS, ids, PARTITIONS);
    const outcomes = new Outcomes();
    for (const { interactions, exposures } of log.batches) {
      monitor.intake.acceptExposures(partition, exposures, outcomes);
      monitor.intake.acceptInteractions(partition, interactions, outcomes);
    }
  }
  for (let pane = 0; pane < FIRST; pane++) runAtOnce(monitor!.settle(pane));
  return monitor!;
}

const FIRST = HOUR / TICK_MS;
const PANES = Array.from({ length: TICKS }, (_, n) => FIRST + n);

/** A worker that reads what all say, with the CPU time that it takes. */
class Worker {
  ms = 0;
  readonly own: readonly number[];
  readonly #fold = new Fold(PARTITIONS, { offset: 0, generation: 0, phase: 'none', pane: 0 });
  readonly #tick: GroupTick;
  #at = 0;
  #made = Number.NEGATIVE_INFINITY;
  #work: Generator<void, ClosedPane | undefined> | undefined;

  constructor(own: readonly number[], say: (record: SumsRecord) => void) {
    this.own = own;
    this.#tick = new GroupTick(monitorOf(own), this.#fold, 1, own, FIRST - 1, say);
    this.#tick.hello();
  }

  /** Goes on as far as it can without others. */
  move(pane: number, log: readonly Uint8Array[]): void {
    this.ms += cpuMs(() => this.#move(pane, log));
  }

  #move(pane: number, log: readonly Uint8Array[]): void {
    for (; this.#at < log.length; this.#at++) {
      const turn = this.#fold.take(decodeSums(log[this.#at]!)!, this.#at);
      if (turn) this.#tick.heed(turn);
    }
    if (this.#fold.phase === 'rounds' && this.#made < pane) this.#close(pane);
  }

  #close(pane: number): void {
    const cut = { exposures: 0, interactions: 0 };
    const throughOf = () => pane - 1;
    this.#work ??= this.#tick.close(pane, { cutOf: () => cut, throughOf });
    for (let isDone = false; !isDone; ) {
      isDone = this.#work.next().done === true;
      if (!isDone && this.#tick.isWaiting) return;
    }
    this.#work = undefined;
    this.#made = pane;
    this.#tick.finish(pane);
  }

  hasConcluded(pane: number): boolean {
    return this.#tick.concluded >= pane;
  }
}

/**
 * What a tick takes of each of four workers that tick together, against one that has all
 * partitions, how much they say to each other, and what each keeps of others: 24 partitions, 100,000
 * items.
 */
export async function benchSharedTicks(): Promise<BenchResult[]> {
  const log: Uint8Array[] = [];
  const workers = Array.from({ length: WORKERS }, (_, w) => {
    const own = LOGS.map(({ partition }) => partition).filter((p) => p % WORKERS === w);
    return new Worker(own, (record) => log.push(encodeSums(record)));
  });
  const cpu: number[] = [];
  const bytes: number[] = [];
  const rounds: number[] = [];
  const before = heldBytes();
  for (const pane of PANES) {
    const from = log.length;
    for (const worker of workers) worker.ms = 0;
    while (!workers.every((each) => each.hasConcluded(pane))) {
      for (const each of workers) each.move(pane, log);
    }
    for (const each of workers) each.move(pane, log);
    const said = log.slice(from);
    cpu.push(workers.reduce((sum, { ms }) => sum + ms, 0) / WORKERS);
    bytes.push(said.reduce((sum, { length }) => sum + length, 0) / 1e6);
    rounds.push(said.length / PARTITIONS);
  }
  const own = heldBytes() - before - log.reduce((sum, { length }) => sum + length, 0);
  const one = monitorOf(LOGS.map(({ partition }) => partition));
  const alone = PANES.map((pane) => cpuMs(() => runAtOnce(one.close(pane))));
  const each = medianOf(cpu.slice(WARM_UP));
  const all = medianOf(alone.slice(WARM_UP));
  const mb = medianOf(bytes.slice(WARM_UP));
  const barriers = medianOf(rounds.slice(WARM_UP));
  return [
    figure('shared-ticks.cpu', each / all, 'ratio', 0.3, `${ms(each)} of ${ms(all)} alone`),
    figure('shared-ticks.bytes', mb, 'MB', 30, `${bytes[0]!.toFixed(0)} MB in the first tick`),
    figure('shared-ticks.barriers', barriers, 'rounds', 24, 'of a tick of two windows'),
    figure('shared-ticks.memory', own / WORKERS / ITEMS, 'B/item', 400, 'a worker, beside its own'),
  ];
}

function figure(id: string, value: number, unit: string, most: number, detail: string) {
  return { id, value, unit, target: `<= ${most}`, ok: value <= most, detail };
}

function heldBytes(): number {
  globalThis.gc!();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
