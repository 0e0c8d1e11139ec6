import { balancePartitions } from '../../src/adapters/kafka/balance.js';
import { encodeEvent } from '../../src/events/encode.js';
import type {
  LogEnd,
  LogSource,
  SourceHandlers,
  StartPositions,
  TopicRole,
} from '../../src/stream/ports.js';
import { type Event, partitionOf, roleOf } from './log.js';

const ROLES = ['exposures', 'interactions'] as const;
const BATCH = 3;
const BATCH_EVERY_MS = 2_000;
const HEARTBEAT_MS = 1_000;

/**
 * A consumer group as its members see it, for virtual time. A member may learn late of a change: until
 * then it goes on with what it had, while others have got it. Only who knows the newest generation
 * is confirmed.
 */
export class ModelGroup {
  readonly #queues = new Map<string, Uint8Array[]>();
  readonly #members = new Set<ModelMember>();
  readonly #count: number;
  generation = 0;

  constructor(log: readonly Event[], partitions: number) {
    this.#count = partitions;
    for (const role of ROLES) {
      for (let p = 0; p < partitions; p++) this.#queues.set(`${role}/${p}`, []);
    }
    for (const event of log) {
      const key = `${roleOf(event)}/${partitionOf(event.user, partitions)}`;
      this.#queues.get(key)!.push(Buffer.from(encodeEvent(event)));
    }
  }

  /** @param name a digit */
  source(name: string): ModelMember {
    return new ModelMember(name, this, this.#count, (role, p) => this.#queues.get(`${role}/${p}`)!);
  }

  /** @param learnedAfterMs how late each member is to know, by its name */
  change(member: ModelMember, is: 'here' | 'gone', learnedAfterMs: readonly number[]): void {
    if (is === 'here') this.#members.add(member);
    else this.#members.delete(member);
    const generation = ++this.generation;
    const shares = balancePartitions(
      [...this.#members].map(({ name }) => name),
      this.#count,
    );
    for (const each of this.#members) {
      const partitions = shares.get(each.name)!;
      const late = each === member ? 0 : (learnedAfterMs[Number(each.name)] ?? 0);
      setTimeout(() => each.learn(generation, partitions), late);
    }
  }
}

export class ModelMember implements LogSource {
  readonly name: string;
  /** It stands still: nothing is read, and no heartbeat sent. */
  isFrozen = false;
  readonly #group: ModelGroup;
  readonly #count: number;
  readonly #records: (role: TopicRole, partition: number) => readonly Uint8Array[];
  #handlers!: SourceHandlers;
  #outdated = new AbortController();
  #generation = 0;
  #isTaken = false;
  #isStopped = false;
  #taking: Promise<void> = Promise.resolve();
  #pumps: Promise<void>[] = [];
  readonly #reads = new Map<string, Omit<LogEnd, 'end'>>();

  constructor(
    name: string,
    group: ModelGroup,
    count: number,
    records: (role: TopicRole, partition: number) => readonly Uint8Array[],
  ) {
    this.name = name;
    this.#group = group;
    this.#count = count;
    this.#records = records;
  }

  async start(handlers: SourceHandlers): Promise<void> {
    this.#handlers = handlers;
    void this.#beat();
  }

  rejoin(): void {
    this.#group.change(this, 'here', []);
  }

  /** What stands still asks nobody. */
  async ends(): Promise<readonly LogEnd[]> {
    if (this.isFrozen) return [];
    return [...this.#reads.values()].map((read) => ({
      ...read,
      end: this.#records(read.role, read.partition).length,
    }));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#outdated.abort();
  }

  learn(generation: number, partitions: readonly number[]): void {
    if (this.#isStopped || generation < this.#generation) return;
    this.#generation = generation;
    this.#isTaken = false;
    this.#outdated.abort();
    const outdated = new AbortController();
    this.#outdated = outdated;
    this.#taking = this.#taking.then(async () => {
      await Promise.all(this.#pumps);
      this.#reads.clear();
      if (outdated.signal.aborted) return;
      const starts = await this.#handlers.assigned(partitions, this.#count, outdated.signal);
      if (outdated.signal.aborted) return;
      this.#isTaken = true;
      this.#pumps = partitions.flatMap((p) =>
        ROLES.map((role) => this.#pump(role, p, starts.get(p)!, outdated.signal)),
      );
    });
  }

  async #beat(): Promise<void> {
    while (!this.#isStopped) {
      await sleep(HEARTBEAT_MS);
      if (!this.isFrozen && this.#isTaken && this.#generation === this.#group.generation) {
        this.#handlers.confirmed?.(this.#generation);
      }
    }
  }

  async #pump(
    role: TopicRole,
    partition: number,
    starts: StartPositions,
    outdated: AbortSignal,
  ): Promise<void> {
    const all = this.#records(role, partition);
    const start = starts[role];
    let next = typeof start === 'object' ? start.next : typeof start === 'number' ? start : 0;
    while (!outdated.aborted) {
      this.#reads.set(`${role}/${partition}`, { role, partition, next });
      const values = this.isFrozen ? [] : all.slice(next, next + BATCH);
      if (values.length > 0) {
        const answer = await this.#handlers.batch({
          role,
          partition,
          offsets: Float64Array.from(values, (_, r) => next + r),
          values,
          recordTs: new Float64Array(values.length),
          highWatermark: all.length,
        });
        if (answer !== 'again') next += values.length;
      }
      if (next === all.length && !this.isFrozen) this.#handlers.caughtUp?.(role, partition);
      await sleep(BATCH_EVERY_MS);
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
