import { balancePartitions } from '../../src/adapters/kafka/balance.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Checkpointer } from '../../src/stream/checkpoint/checkpointer.js';
import { Ingest } from '../../src/stream/ingest.js';
import type { Lookup } from '../../src/stream/lookup.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import type { TopicRole } from '../../src/stream/ports.js';
import { runAtOnce, runSliced } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { SharedCloser } from '../../src/stream/workers/shared-closer.js';
import { type Event, partitionOf, roleOf } from './log.js';
import { MemoryCheckpointStore } from './memory-checkpoint-store.js';
import { MemoryPaneExchange } from './memory-pane-exchange.js';
import { TOPICS } from './restarts.js';

const ROLES = ['exposures', 'interactions'] as const;

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
  readonly closer: SharedCloser;
  readonly checkpointer: Checkpointer;
  readonly partitions: readonly number[];
}

/**
 * Workers of one group in one process, moved a step at a time: each reads its partitions, closes,
 * publishes, evaluates and keeps by itself. One that dies does not know it, and may go on for a while.
 */
export class SharedWorkers {
  readonly snapshots: Snapshot[] = [];
  /** How often each outcome of keeping was reported. */
  readonly outcomes = new Map<string, number>();
  readonly exchange: MemoryPaneExchange;
  readonly #store = new MemoryCheckpointStore();
  readonly #options: MonitorOptions;
  readonly #count: number;
  readonly #queues = new Map<string, Uint8Array[]>();
  #workers: Worker[] = [];
  #ghosts: Worker[] = [];

  constructor(log: readonly Event[], options: MonitorOptions, partitions: number) {
    this.#options = options;
    this.#count = partitions;
    this.exchange = new MemoryPaneExchange(this.#store);
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
    for (const worker of this.#workers) {
      await worker.closer.stop();
      await this.#keep(worker);
    }
    const names = Array.from({ length: workers }, (_, n) => `worker-${n}`);
    const shares = balancePartitions(names, this.#count);
    this.#workers = [];
    for (const [n, name] of names.entries()) {
      this.#workers.push(await this.#begin(shares.get(name) ?? [], optionsOf(n)));
    }
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
      await this.#move(ghost);
      await this.#keep(ghost);
    }
  }

  /** The worker that has the partition reads this many records of one of its topics. */
  read(role: TopicRole, partition: number, count: number): boolean {
    const worker = this.#workers.find(({ partitions }) => partitions.includes(partition));
    return worker !== undefined && this.#read(worker, role, partition, count);
  }

  /** How many records of a topic nobody has read yet. */
  left(role: TopicRole, partition: number): number {
    const worker = this.#workers.find(({ partitions }) => partitions.includes(partition));
    const next = worker?.ingest.records.nextOffset(role, partition) ?? 0;
    return this.#queues.get(`${role}/${partition}`)!.length - next;
  }

  /** A worker closes, publishes and evaluates what there is. */
  async move(which: number): Promise<boolean> {
    return this.#move(this.#workers[which % this.size]!);
  }

  async keep(which: number): Promise<void> {
    await this.#keep(this.#workers[which % this.size]!);
  }

  /** What the worker that evaluates knows of single items and users. */
  get lookup(): Lookup | undefined {
    return this.#workers.find(({ partitions }) => partitions.includes(0))?.closer.lookup;
  }

  /** Reads everything to its end, after which all is silent. */
  async finish(): Promise<void> {
    let isMoving = true;
    while (isMoving) {
      isMoving = false;
      for (let p = 0; p < this.#count; p++) {
        for (const role of ROLES) isMoving = this.read(role, p, 40) || isMoving;
      }
      const before = await this.#published();
      for (const worker of this.#workers) isMoving = (await this.#move(worker)) || isMoving;
      // What one says of its time lets others close, though there is no record in it.
      isMoving ||= before !== (await this.#published());
    }
  }

  async #published(): Promise<string> {
    const progress = await this.exchange.progress(this.#count);
    return JSON.stringify([progress, await this.exchange.concluded()], (_key, value) =>
      typeof value === 'number' ? String(value) : value,
    );
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
    const checkpointer = new Checkpointer({ store, everyMs: 1, turns, now: turns.now, written });
    checkpointer.events$.subscribe(({ outcome }) => {
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    });
    checkpointer.hold(partitions, new AbortController().signal);
    for (const p of partitions) {
      for (const role of ROLES) ingest.monitor.watermarks.expect(role, p);
      const opened = await checkpointer.take(p, new AbortController().signal);
      if (opened === 'outdated') throw new Error('nobody has said that it is');
      await runSliced(ingest.checkpoints.restore(p, opened), turns);
      for (const role of ROLES) this.#giveUpIfSilent(ingest, role, p);
    }
    const closer = new SharedCloser(ingest, {
      monitor: options,
      topics: TOPICS,
      exchange: new MemoryPaneExchange(this.#store, this.exchange),
      store,
      turns,
      partitions,
      count: this.#count,
      epochOf: (partition) => checkpointer.epochOf(partition),
      holdBack: () => {},
      written,
    });
    closer.panes$.subscribe(({ snapshot }) => this.snapshots.push(snapshot));
    return { ingest, closer, checkpointer, partitions };
  }

  async #move({ closer, partitions }: Worker): Promise<boolean> {
    let isMoving = await closer.publish();
    if (!partitions.includes(0)) return isMoving;
    while (await closer.evaluate()) isMoving = true;
    return isMoving;
  }

  #keep({ checkpointer, ingest, closer, partitions }: Worker): Promise<void> {
    return checkpointer.save(partitions, ingest, closer);
  }

  #read({ ingest }: Worker, role: TopicRole, partition: number, count: number): boolean {
    const all = this.#queues.get(`${role}/${partition}`)!;
    const from = ingest.records.nextOffset(role, partition) ?? 0;
    const values = all.slice(from, from + count);
    if (values.length === 0) return false;
    const offsets = Float64Array.from(values, (_, r) => from + r);
    const recordTs = new Float64Array(values.length);
    const batch = { role, partition, offsets, values, recordTs, highWatermark: all.length };
    runAtOnce(ingest.apply(batch, () => 0));
    this.#giveUpIfSilent(ingest, role, partition);
    return true;
  }

  #giveUpIfSilent(ingest: Ingest, role: TopicRole, partition: number): void {
    const next = ingest.records.nextOffset(role, partition) ?? 0;
    if (next < this.#queues.get(`${role}/${partition}`)!.length) return;
    ingest.monitor.watermarks.setIdle(role, partition);
  }
}
