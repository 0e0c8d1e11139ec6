import { setImmediate as nextTurn } from 'node:timers/promises';
import { balancePartitions } from '../../src/adapters/kafka/balance.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Checkpointer } from '../../src/stream/checkpoint/checkpointer.js';
import { Ingest } from '../../src/stream/ingest.js';
import type { Lookup } from '../../src/stream/lookup.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { type Closer, PaneCloser } from '../../src/stream/pane-closer.js';
import type { TopicRole } from '../../src/stream/ports.js';
import { runAtOnce, runSliced } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { GroupCloser } from '../../src/stream/sums/group-closer.js';
import { GroupLog } from '../../src/stream/sums/group-log.js';
import { type Event, partitionOf, roleOf } from './log.js';
import { MemoryCheckpointStore } from './memory-checkpoint-store.js';
import { MemorySumsLog } from './memory-sums-log.js';
import { TOPICS } from './restarts.js';

const ROLES = ['exposures', 'interactions'] as const;
/** Turns without anything new, after which all wait for more to be read. */
const QUIET_TURNS = 4;

/** Time passes by much at each look at it, so that nothing that waits for others waits long. */
function impatientTurns() {
  let now = 0;
  return {
    now: () => {
      now += 60_000;
      return now;
    },
    next: () => Promise.resolve(),
  };
}

interface Worker {
  readonly ingest: Ingest;
  readonly closer: Closer;
  readonly checkpointer: Checkpointer;
  readonly partitions: readonly number[];
  readonly group: GroupLog;
}

/**
 * Workers of one group in one process: what each reads and keeps is for the caller to say. One that
 * dies does not know it, and may go on for a while.
 */
export class SharedWorkers {
  readonly snapshots: Snapshot[] = [];
  /** How often each outcome of keeping was reported. */
  readonly outcomes = new Map<string, number>();
  readonly sums = new MemorySumsLog();
  readonly #store = new MemoryCheckpointStore();
  readonly #options: MonitorOptions;
  readonly #count: number;
  readonly #queues = new Map<string, Uint8Array[]>();
  readonly #failures: unknown[] = [];
  #generation = 0;
  #workers: Worker[] = [];
  #ghosts: Worker[] = [];

  constructor(log: readonly Event[], options: MonitorOptions, partitions: number) {
    this.#options = options;
    this.#count = partitions;
    for (const role of ROLES) {
      for (let p = 0; p < partitions; p++) this.#queues.set(`${role}/${p}`, []);
    }
    for (const event of log) {
      const key = `${roleOf(event)}/${partitionOf(event.user, partitions)}`;
      this.#queues.get(key)!.push(Buffer.from(encodeEvent(event)));
    }
  }

  get size(): number {
    return this.#workers.length;
  }

  /**
   * Divides the partitions among this many new workers; those there are stop as they are asked to.
   *
   * @param optionsOf what each is set to, where they are not all set alike
   */
  async share(
    workers: number,
    optionsOf: (worker: number) => MonitorOptions = () => this.#options,
  ): Promise<void> {
    await Promise.all(this.#workers.map(({ closer }) => closer.stop()));
    for (const worker of this.#workers) {
      await this.#keep(worker);
      await worker.group.stop();
    }
    const names = Array.from({ length: workers }, (_, n) => `worker-${n}`);
    const shares = balancePartitions(names, this.#count);
    this.#workers = [];
    this.#generation++;
    for (const [n, name] of names.entries()) {
      this.#workers.push(await this.#begin(shares.get(name) ?? [], optionsOf(n)));
    }
    await this.#quiet();
  }

  /** One dies in the middle of whatever it does, and the others share what it had. */
  async die(which: number): Promise<void> {
    const [dead] = this.#workers.splice(which % this.size, 1);
    this.#ghosts.push(dead!);
    await this.share(Math.max(1, this.size));
  }

  /** Those that died without knowing go on. */
  async haunt(): Promise<void> {
    for (const ghost of this.#ghosts) {
      void ghost.closer.poke();
      await this.#quiet();
      await this.#keep(ghost);
    }
  }

  /** The worker that has the partition reads this many records of one of its topics. */
  read(role: TopicRole, partition: number, count: number): boolean {
    const worker = this.#ownerOf(partition);
    return worker !== undefined && this.#read(worker, role, partition, count);
  }

  /** All that is left of a partition comes to its worker, which does not get to it yet. */
  announce(partition: number): void {
    const { closer } = this.#ownerOf(partition)!;
    for (const role of ROLES) {
      const from = this.#nextOf(role, partition);
      const left = this.left(role, partition);
      closer.room({
        role,
        partition,
        offsets: Float64Array.from({ length: left }, (_, n) => from + n),
      });
    }
  }

  /** The newest pane of a partition that is closed. */
  closedThrough(partition: number): number {
    return this.#ownerOf(partition)!.ingest.monitor.partitions.of(partition).closedThrough;
  }

  /** How many records of a topic nobody has read yet. */
  left(role: TopicRole, partition: number): number {
    return this.#queues.get(`${role}/${partition}`)!.length - this.#nextOf(role, partition);
  }

  #ownerOf(partition: number): Worker | undefined {
    return this.#workers.find(({ partitions }) => partitions.includes(partition));
  }

  #nextOf(role: TopicRole, partition: number): number {
    return this.#ownerOf(partition)?.ingest.records.nextOffset(role, partition) ?? 0;
  }

  /** A worker looks at what it can close, and all do what follows from it. */
  async move(which: number): Promise<void> {
    void this.#workers[which % this.size]!.closer.poke();
    await this.#quiet();
  }

  /** A worker keeps what it can; a pane that waits for others is waited for, while the rest goes on. */
  async keep(which: number): Promise<void> {
    this.#keep(this.#workers[which % this.size]!).catch((error) => this.#failures.push(error));
    await this.#quiet();
  }

  /** What workers know of single items and users: each of its own users. */
  get lookups(): readonly (Lookup | undefined)[] {
    return this.#workers.map(({ closer }) => closer.lookup);
  }

  /** Reads everything to its end, after which all is silent. */
  async finish(): Promise<void> {
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (let p = 0; p < this.#count; p++) {
        for (const role of ROLES) isMoving = this.read(role, p, 40) || isMoving;
      }
      const before = this.#state;
      for (const { closer } of this.#workers) void closer.poke();
      await this.#quiet();
      isMoving ||= before !== this.#state;
    }
    for (const { closer, group } of [...this.#workers, ...this.#ghosts]) {
      await closer.stop();
      await group.stop();
    }
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  get #state(): string {
    const closed = this.#workers.map(({ ingest, partitions }) =>
      partitions.map((p) => ingest.monitor.partitions.of(p).closedThrough),
    );
    return [this.sums.bytes, this.snapshots.length, closed].join();
  }

  async #quiet(): Promise<void> {
    for (let turns = 0, before = ''; turns < QUIET_TURNS; turns++) {
      await nextTurn();
      if (this.#state !== before) turns = 0;
      before = this.#state;
    }
  }

  async #begin(partitions: readonly number[], options: MonitorOptions): Promise<Worker> {
    const { actions } = options;
    const decoder = new Decoder({
      maxFutureMs: 1e15,
      ...(actions && { actions }),
      ...(options.ratings && { ratings: options.ratings.scale }),
      ...(options.segments && { segments: options.segments.dimensions.map(({ name }) => name) }),
    });
    const ingest = new Ingest(options, decoder, TOPICS, this.#count);
    const turns = impatientTurns();
    const store = new MemoryCheckpointStore(this.#store);
    const written = async () => {};
    const failed = (error: unknown) => this.#failures.push(error);
    const reload = (why: string) => failed(new Error(why));
    const heard = { now: turns.now, lostAfterMs: Number.POSITIVE_INFINITY, rejoin: reload, failed };
    const group = new GroupLog({ log: this.sums, ...heard });
    const checkpointer = new Checkpointer({ store, everyMs: 1, turns, now: turns.now, written });
    checkpointer.events$.subscribe(({ outcome }) => {
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    });
    await group.open();
    checkpointer.hold(partitions, new AbortController().signal);
    const restored = [];
    for (const p of partitions) {
      for (const role of ROLES) ingest.monitor.watermarks.expect(role, p);
      const opened = await checkpointer.take(p, new AbortController().signal);
      if (opened === 'outdated') throw new Error('nobody has said that it is');
      restored.push(opened?.head.sums);
      await runSliced(ingest.checkpoints.restore(p, opened), turns);
      for (const role of ROLES) this.#giveUpIfSilent(ingest, role, p);
    }
    group.follow(this.#count, restored);
    group.confirm(this.#generation);
    ingest.checkpoints.sums = () => group.headAlone;
    const wasAtEnd = (p: number) => ROLES.every((role) => this.#isAtEnd(ingest, role, p));
    const closing = {
      wasAtEnd,
      unknown: () => {},
      tickMs: options.tickMs,
      rules: JSON.stringify(options),
    };
    const closer: Closer =
      partitions.length === this.#count
        ? new PaneCloser(ingest.monitor, turns, ingest)
        : new GroupCloser(ingest, { group, turns, partitions, ...closing, written, reload });
    closer.panes$.subscribe({
      next: ({ snapshot }) => this.snapshots.push(snapshot),
      error: failed,
    });
    closer.confirmed(false);
    void closer.poke();
    return { ingest, closer, checkpointer, partitions, group };
  }

  #keep({ checkpointer, ingest, closer, partitions }: Worker): Promise<void> {
    return checkpointer.save(partitions, ingest, closer);
  }

  #read({ ingest, closer }: Worker, role: TopicRole, partition: number, count: number): boolean {
    const all = this.#queues.get(`${role}/${partition}`)!;
    const from = ingest.records.nextOffset(role, partition) ?? 0;
    const found = all.slice(from, from + count);
    const at = Float64Array.from(found, (_, r) => from + r);
    const rows = found.length === 0 ? 0 : closer.room({ role, partition, offsets: at });
    if (rows === 0) return false;
    const values = found.slice(0, rows);
    const offsets = at.subarray(0, rows);
    const recordTs = new Float64Array(rows);
    const batch = { role, partition, offsets, values, recordTs, highWatermark: all.length };
    runAtOnce(ingest.apply(batch, () => Number.POSITIVE_INFINITY));
    this.#giveUpIfSilent(ingest, role, partition);
    return true;
  }

  #giveUpIfSilent(ingest: Ingest, role: TopicRole, partition: number): void {
    if (!this.#isAtEnd(ingest, role, partition)) return;
    ingest.monitor.watermarks.setIdle(role, partition);
  }

  #isAtEnd(ingest: Ingest, role: TopicRole, partition: number): boolean {
    const next = ingest.records.nextOffset(role, partition) ?? 0;
    return next >= this.#queues.get(`${role}/${partition}`)!.length;
  }
}
