import { expect, it } from 'vitest';
import { Random } from '../../src/estimators/mathematics/random.js';
import type { ClosedPane } from '../../src/stream/closed-pane.js';
import type { Ingest } from '../../src/stream/ingest.js';
import type { LearnedState } from '../../src/stream/learned.js';
import { Fold } from '../../src/stream/sums/fold.js';
import { GroupTick } from '../../src/stream/sums/group-tick.js';
import { decodeSums, encodeSums } from '../../src/stream/sums/record.js';
import { differences } from '../support/compare.js';
import { withoutTest } from '../support/pane-series.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import {
  FEW,
  logOfAll,
  type PartitionedLog,
  ROLES,
  withoutRatings,
} from '../support/tick-processes.js';

const DEATHS = repetitions(5, 12);

/** Partitions and workers. */
const LONG_FORM: readonly (readonly [number, number])[] = [
  [1, 2],
  [6, 4],
  [24, 8],
];
const SCHEDULES = IS_LONG ? LONG_FORM : [[6, 2] as const];

type Closed = ReturnType<PartitionedLog['alone']>['closed'];

/** What outlives workers: the newest pane that any has concluded, and the log of sums. */
class Group {
  readonly log: PartitionedLog;
  readonly closed: Closed;
  readonly records: Uint8Array[] = [];
  readonly flight: Uint8Array[] = [];
  concluded: number;
  learned: LearnedState | undefined;
  readonly found = new Map<number, number>();

  constructor(log: PartitionedLog, closed: Closed) {
    this.log = log;
    this.closed = closed;
    this.concluded = closed[0]!.pane - 1;
  }

  conclude(pane: number, { snapshot }: ClosedPane, learned: LearnedState): void {
    const wanted = this.closed.find((own) => own.pane === pane)!.snapshot;
    const [own, alone] = [snapshot, wanted].map(withoutRatings);
    expect(withoutTest([own!])).toEqual(withoutTest([alone!]));
    expect(differences(withoutTest([snapshot]), withoutTest([wanted]), 1e-12)).toEqual([]);
    this.found.set(pane, (this.found.get(pane) ?? 0) + 1);
    if (pane <= this.concluded) return;
    this.concluded = pane;
    this.learned = learned;
  }
}

class Worker {
  readonly #group: Group;
  readonly #ingest: Ingest;
  readonly #positions = new Map<number, { exposures: number; interactions: number }>();
  readonly #fold: Fold;
  #offset = 0;
  #generation = 0;
  #tick!: GroupTick;
  #work: Generator<void, ClosedPane | undefined> | undefined;
  #made: ClosedPane | undefined;
  readonly own: readonly number[];

  constructor(group: Group, own: readonly number[]) {
    this.#group = group;
    this.own = own;
    this.#ingest = group.log.ingest();
    const { partitions } = this.#ingest.monitor;
    const none = { generation: 0, phase: 'none' as const, pane: 0, offset: 0 };
    this.#fold = new Fold(group.log.partitions, none);
    for (const p of own) {
      partitions.of(p);
      this.#positions.set(p, { exposures: 0, interactions: 0 });
    }
    // As from a checkpoint.
    for (const { pane } of group.closed.filter((each) => each.pane <= group.concluded)) {
      this.#readTo(pane);
      for (const _ of this.#ingest.monitor.closeEach(pane, (p) => this.#positions.get(p)!));
    }
    if (group.learned) partitions.learned.resume(group.learned);
  }

  join(generation: number): void {
    const { concluded, flight } = this.#group;
    const known = this.#tick?.concluded ?? concluded;
    // What a tick has learned that is void now is not to be said.
    const { learned } = this.#ingest.monitor.partitions;
    if (this.#tick) learned.resume(this.#tick.learned);
    this.#generation = generation;
    this.#work = undefined;
    this.#made = undefined;
    const say = (record: Parameters<typeof encodeSums>[0]) => flight.push(encodeSums(record));
    const { monitor } = this.#ingest;
    this.#tick = new GroupTick(monitor, this.#fold, generation, this.own, known, say);
    this.#tick.hello();
  }

  read(): boolean {
    const bytes = this.#group.records[this.#offset];
    if (bytes === undefined) return false;
    const turn = this.#fold.take(decodeSums(bytes)!, this.#offset++);
    if (turn === undefined || this.#fold.generation !== this.#generation) return true;
    this.#tick.heed(turn);
    if (turn.kind === 'concluded') {
      // Its last records were read, so it has made the pane itself, or has no partition in it.
      while (this.#work) this.work();
      this.#group.conclude(turn.pane, this.#made!, this.#tick.learned);
    }
    if (turn.kind === 'opened' || turn.kind === 'concluded') this.#begin(this.#fold.pane);
    return true;
  }

  work(): void {
    const step = this.#work?.next();
    if (!step?.done) return;
    this.#made = step.value;
    this.#work = undefined;
    this.#tick.finish(this.#fold.pane);
  }

  #begin(pane: number): void {
    if (!this.#group.closed.some((each) => each.pane === pane)) return;
    this.#readTo(pane);
    this.#work = this.#tick.close(pane, {
      cutOf: (p) => ({ ...this.#positions.get(p)! }),
      throughOf: () => pane - 1,
    });
  }

  #readTo(pane: number): void {
    const { cuts } = this.#group.closed.find((each) => each.pane === pane)!;
    for (const [p, own] of this.#positions) {
      for (const role of ROLES) {
        own[role] = this.#group.log.read(this.#ingest, p, role, own[role], cuts[p]![role]);
      }
    }
  }
}

it.each(SCHEDULES)(
  'of %i partitions are those of one worker, whichever of %i dies between which rounds',
  (partitions, count) => {
    const random = new Random(partitions + count, 'group');
    const few = { 'time.windows': '30m,1h' };
    const log = logOfAll(partitions, { ...FEW, ...(!IS_LONG && few) });
    const group = new Group(log, log.alone(50).closed);
    let workers: Worker[] = [];
    let generation = 0;
    let deaths = 0;
    const rebalance = () => {
      const owner = Array.from({ length: partitions }, () => random.below(count));
      const before = workers;
      workers = Array.from({ length: count }, (_, w) => {
        const own = owner.flatMap((of, p) => (of === w ? [p] : []));
        // One that keeps its partitions keeps their state.
        const kept = before.find((worker) => worker.own.join() === own.join());
        return kept ?? new Worker(group, own);
      });
      generation++;
      for (const worker of workers) worker.join(generation);
    };
    const die = () => {
      deaths++;
      const dead = random.below(workers.length);
      const { own } = workers[dead]!;
      if (random.below(2) === 0) rebalance();
      else {
        workers = workers.with(dead, new Worker(group, own));
        generation++;
        for (const worker of workers) worker.join(generation);
      }
    };
    rebalance();
    const last = group.closed.at(-1)!.pane;
    for (let turn = 0; group.concluded < last; turn++) {
      if (turn > 5_000_000) throw new Error('it stands still');
      const worker = workers[random.below(workers.length)]!;
      if (random.below(3) === 0 && group.flight.length > 0) {
        const n = random.below(group.flight.length);
        group.records.push(group.flight[n]!);
        if (random.below(10) > 0) group.flight.splice(n, 1);
      } else if (random.below(2) === 0) worker.read();
      else for (let n = 0; n < 20; n++) worker.work();
      if (deaths < DEATHS && random.below(IS_LONG ? 150 : 80) === 0) die();
    }
    expect(deaths).toBe(DEATHS);
    expect([...group.found.keys()]).toEqual(group.closed.map(({ pane }) => pane));
  },
  600_000,
);
