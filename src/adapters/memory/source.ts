import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UnskewError } from '../../errors.js';
import type {
  LogEnd,
  LogSource,
  SourceHandlers,
  StartPosition,
  StartPositions,
  TopicRole,
} from '../../stream/ports.js';
import { balancePartitions } from '../kafka/balance.js';
import { LogReader } from './log-reader.js';
import type { PartitionLog } from './partition-log.js';

/** A member of a consumer group. */
export interface GroupMember {
  readonly partitionCount: number;
  /** Stop reading all partitions after the current batches. */
  quiesce(): Promise<void>;
  /** Set the assigned partitions, under this generation of the group. */
  assign(partitions: readonly number[], generation: number): Promise<void>;
}

/**
 * Consumer group whose members share the partitions. At each change of the group, all members stop
 * reading before any member starts again, so no partition ever has two readers.
 */
export class ConsumerGroup {
  readonly #members = new Map<string, GroupMember>();
  #nextId = 0;
  #generation = 0;
  /** The last change, after which the next one starts. */
  #last: Promise<void> = Promise.resolve();

  join(member: GroupMember): {
    id: string;
    joined: Promise<void>;
  } {
    // Padded, so that the order of the ids is the order of joining.
    const id = `member-${String(this.#nextId++).padStart(6, '0')}`;
    return {
      id,
      joined: this.#change(() => this.#members.set(id, member)),
    };
  }

  leave(id: string): Promise<void> {
    return this.#change(() => this.#members.delete(id));
  }

  /** Assign the partitions to the members again, without a change of members. */
  renew(): Promise<void> {
    return this.#change(() => {});
  }

  #change(apply: () => void): Promise<void> {
    const done = this.#last.then(async () => {
      const leaving = new Set(this.#members.values());
      await Promise.all([...leaving].map((member) => member.quiesce()));
      apply();
      const count = Math.max(0, ...[...this.#members.values()].map((m) => m.partitionCount));
      const shares = balancePartitions([...this.#members.keys()], count);
      const generation = ++this.#generation;
      await Promise.all(
        [...this.#members].map(([id, member]) => member.assign(shares.get(id) ?? [], generation)),
      );
    });
    this.#last = done.catch(() => {});
    return done;
  }
}

export interface MemorySourceOptions {
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly group: string;
  /** Maximum number of records per batch (1,000). */
  readonly batchSize?: number;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/** Reads topics of the in-memory broker as a member of a consumer group. */
export class MemorySource implements LogSource, GroupMember {
  readonly #topics: MemorySourceOptions['topics'];
  readonly #batchSize: number;
  #handlers: SourceHandlers | undefined;
  #memberId: string | undefined;
  #held: readonly number[] = [];
  #reading = new AbortController();
  #pumps: Promise<void>[] = [];
  readonly #reads = new Map<
    string,
    {
      role: TopicRole;
      partition: number;
      reader: LogReader;
    }
  >();
  #isStarted = false;
  #isStopped = false;
  #failure: Error | undefined;

  /** @param logs returns the partitions of a topic; throws if there is no such topic. */
  constructor(
    private readonly logs: (topic: string) => readonly PartitionLog[],
    private readonly group: ConsumerGroup,
    options: MemorySourceOptions,
  ) {
    this.#topics = options.topics;
    this.#batchSize = options.batchSize ?? 1000;
  }

  get partitionCount(): number {
    return this.logs(this.#topics.interactions).length;
  }

  async start(handlers: SourceHandlers): Promise<void> {
    const { exposures, interactions } = this.#topics;
    const counts = [exposures, interactions].map((topic) => this.logs(topic).length);
    if (counts[0] !== counts[1]) {
      throw new UnskewError(
        'USAGE',
        `the topics must have the same number of partitions: ${exposures} has ${counts[0]}, ${interactions} has ${counts[1]}`,
      );
    }
    this.#handlers = handlers;
    const { id, joined } = this.group.join(this);
    this.#memberId = id;
    await joined;
    this.#isStarted = true;
    if (this.#failure) throw this.#failure;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#memberId === undefined) return;
    const id = this.#memberId;
    this.#memberId = undefined;
    await this.group.leave(id);
  }

  async ends(): Promise<readonly LogEnd[]> {
    return [...this.#reads.values()].map(({ role, partition, reader }) => ({
      role,
      partition,
      next: reader.next,
      end: this.logs(this.#topics[role])[partition]!.high,
    }));
  }

  rejoin(): void {
    void this.group.renew();
  }

  async quiesce(): Promise<void> {
    this.#reading.abort();
    await Promise.all(this.#pumps);
    this.#pumps = [];
    this.#reads.clear();
  }

  async assign(partitions: readonly number[], generation: number): Promise<void> {
    const handlers = this.#handlers;
    // A member that is about to leave reads no more.
    if (!handlers || this.#isStopped) return;
    const lost = this.#held.filter((partition) => !partitions.includes(partition));
    this.#held = partitions;
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    // One listener for each topic-partition that waits for records.
    setMaxListeners(0, signal);
    let starts: ReadonlyMap<number, StartPositions>;
    try {
      if (lost.length > 0) {
        handlers.revoked(lost);
      }
      starts = await handlers.assigned(partitions, this.partitionCount, signal);
      handlers.state('connected');
      handlers.confirmed?.(generation);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    this.#pumps = partitions.flatMap((partition) =>
      ROLES.map((role) => {
        const start = starts.get(partition)?.[role] ?? 'earliest';
        return this.#pump(handlers, role, partition, start, signal).catch((error: Error) =>
          this.#fail(error),
        );
      }),
    );
  }

  async #pump(
    handlers: SourceHandlers,
    role: TopicRole,
    partition: number,
    start: StartPosition,
    signal: AbortSignal,
  ): Promise<void> {
    const log = this.logs(this.#topics[role])[partition] as PartitionLog;
    const reader = new LogReader(log, role, partition, start, handlers);
    this.#reads.set(`${role}/${partition}`, {
      role,
      partition,
      reader,
    });
    while (!signal.aborted) {
      const batch = reader.read(this.#batchSize);
      if (batch !== undefined) {
        if ((await handlers.batch(batch)) !== 'again') {
          reader.done(batch);
        }
      }
      if (reader.next === log.high) {
        handlers.caughtUp?.(role, partition);
        await log.reached(reader.next, signal);
      }
      // Handlers that never wait would otherwise block timers and sockets.
      await nextTurn();
    }
  }

  /**
   * Report an error and stop. The end of `stop` is not awaited, since the group waits for the
   * reading that calls this method.
   */
  #fail(error: Error): void {
    if (this.#isStopped) return;
    void this.stop();
    this.#failure = error;
    // Before that, `start` throws the error.
    if (!this.#isStarted) return;
    if (this.#handlers?.failed) {
      this.#handlers.failed(error);
    } else {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
