import { setTimeout as sleep } from 'node:timers/promises';
import {
  AssignerProtocol,
  type Consumer,
  type IMemberAssignment,
  type Kafka,
  type PartitionAssigner,
} from 'kafkajs';
import type { LogEnd, NextOffsets, SourceHandlers } from '../../stream/ports.js';
import { balancePartitions } from './balance.js';
import { LogEnds } from './log-ends.js';
import { DEFAULT_MAX_BYTES, type KafkaOptions } from './options.js';
import { PartitionReader } from './partition-reader.js';
import { byHandler, type Position, startingPositions } from './position.js';
import { rawCluster } from './raw-cluster.js';
import { withAdmin } from './topics.js';

/**
 * Thrown if a fetch is not answered in time. The client itself has no timeout for fetches, and
 * would wait without end.
 */
export class StuckClient extends Error {}

/** Thrown to leave the session and join the group again. */
export class JoinAgain extends Error {}

export interface StuckWatchOptions {
  /** Timeout of a fetch, ms. */
  readonly stuckAfterMs: number;
  /** Whether a fetch should be running: there are partitions to fetch, and no handler is busy. */
  readonly isDue: () => boolean;
  readonly onStuck: (error: StuckClient) => void;
}

/** Detects a client that no longer fetches although brokers and membership are fine. */
export class StuckWatch {
  readonly #timer: NodeJS.Timeout;
  /** Whether any fetch was answered. */
  hasAnswer = false;
  #since = performance.now();

  constructor(consumer: Consumer, { stuckAfterMs, isDue, onStuck }: StuckWatchOptions) {
    consumer.on(consumer.events.REQUEST, ({ payload }) => {
      if (payload.apiName !== 'Fetch') return;
      this.hasAnswer = true;
      this.#since = performance.now();
    });
    this.#timer = setInterval(() => {
      if (!isDue()) {
        this.#since = performance.now();
      }
      const waitedMs = performance.now() - this.#since;
      if (waitedMs < stuckAfterMs) return;
      this.stop();
      const seconds = Math.round(waitedMs / 1000);
      onStuck(new StuckClient(`no fetch was answered for ${seconds} s`));
    }, stuckAfterMs / 10);
    // The timer alone does not keep the process running.
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Time for the last commits at the end of a session, ms. */
const LAST_COMMITS_MS = 1_000;

/**
 * Commits offsets to the consumer group, only for lag monitoring. Reading never starts from
 * committed offsets. So a failed commit is not retried: the next checkpoint commits again.
 */
class OffsetCommits {
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    private readonly consumer: Consumer,
    private readonly options: Pick<KafkaOptions, 'topics' | 'log'>,
  ) {}

  commit(partition: number, next: NextOffsets): void {
    const { topics, log } = this.options;
    const offsets = (['exposures', 'interactions'] as const).flatMap((role) => {
      const offset = next[role];
      return offset === undefined
        ? []
        : [
            {
              topic: topics[role],
              partition,
              offset: String(offset),
            },
          ];
    });
    if (offsets.length === 0) return;
    const commit = this.consumer.commitOffsets(offsets).catch((error: unknown) => {
      log?.('debug', 'cannot commit offsets', {
        partition,
        reason: `${error}`,
      });
    });
    this.#underWay.add(commit);
    void commit.finally(() => this.#underWay.delete(commit));
  }

  /** Resolves when all commits have ended, or after a timeout. */
  async settled(): Promise<void> {
    const enough = new AbortController();
    const late = sleep(LAST_COMMITS_MS, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#underWay), late]);
    enough.abort();
  }
}

/**
 * If a broker has not answered for longer than this, its logs may have changed, ms. The limit is
 * far longer than a fetch takes, and far shorter than recreating a topic takes.
 */
const LONG_MS = 2_000;

/**
 * Detects when a log may have changed: after a failed fetch, which the client does not report, and
 * after a broker has not answered for longer than `LONG_MS`.
 */
export class FetchWatch {
  /** Brokers whose last fetch has not been answered. */
  readonly #asked = new Set<string>();
  readonly #answeredAt = new Map<string, number>();

  /**
   * @param doubt called when a log may have changed
   * @param now a monotonic clock, ms, since the wall clock could hide a silence
   */
  constructor(
    private readonly doubt: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  asked(node: string): void {
    if (this.#asked.has(node)) {
      this.doubt();
    }
    this.#asked.add(node);
  }

  answered(node: string): void {
    const now = this.now();
    if (now - (this.#answeredAt.get(node) ?? now) > LONG_MS) {
      this.doubt();
    }
    this.#asked.delete(node);
    this.#answeredAt.set(node, now);
  }
}

const NAME = 'UnskewCoPartitioning';
const VERSION = 0;
/** Start time of this process, ms since the epoch, encoded for the other members of the group. */
const BEGAN = Buffer.alloc(8);
BEGAN.writeDoubleBE(performance.timeOrigin);

function beganAt(metadata: Buffer): number {
  const told = AssignerProtocol.MemberMetadata.decode(metadata)?.userData;
  return told?.length === BEGAN.length ? told.readDoubleBE() : 0;
}

/**
 * Assigns partition p of all subscribed topics to the same member, so that one process reads both
 * the exposures and the interactions of a user. (The client's own assigner does not.) If there are
 * more members than partitions, the newest members get the partitions. So a rolling update waits
 * until the new members are ready.
 */
export const coPartitioning: PartitionAssigner = ({ cluster }) => ({
  name: NAME,
  version: VERSION,
  async assign({ members, topics }) {
    const counts = topics.map((topic) => cluster.findTopicPartitionMetadata(topic).length);
    const count = Math.max(0, ...counts);
    const newestFirst = members
      .map(({ memberId, memberMetadata }) => ({
        memberId,
        began: beganAt(memberMetadata),
      }))
      .sort((a, b) => b.began - a.began || (a.memberId < b.memberId ? -1 : 1))
      .map(({ memberId }) => memberId);
    const shares = balancePartitions(newestFirst.slice(0, Math.max(1, count)), count);
    const assignmentOf = (partitions: readonly number[]) =>
      Object.fromEntries(
        topics.map((topic, t) => [topic, partitions.filter((p) => p < (counts[t] ?? 0))]),
      );
    return newestFirst.map((memberId) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: VERSION,
        assignment: assignmentOf(shares.get(memberId) ?? []),
        userData: Buffer.alloc(0),
      }),
    }));
  },
  protocol({ topics }) {
    const metadata = {
      version: VERSION,
      topics,
      userData: BEGAN,
    };
    return {
      name: NAME,
      metadata: AssignerProtocol.MemberMetadata.encode(metadata),
    };
  },
});

const DEFAULT_SESSION_TIMEOUT_MS = 30_000;
const MAX_HEARTBEAT_MS = 3_000;
/** Default timeout of a fetch, ms: three times the client's timeout of one request. */
const DEFAULT_STUCK_AFTER_MS = 90_000;
/** Longest wait for a client to leave the group, ms; a stuck client never leaves. */
const LEAVE_MS = 5_000;
/** Number of partitions of one fetch that are handled concurrently. */
const CONCURRENT_PARTITIONS = 8;

/**
 * One membership in the consumer group, from joining to a crash or stop. The client recovers from
 * many errors by itself; others end the session.
 */
export class GroupSession {
  readonly #consumer: Consumer;
  readonly #reader: PartitionReader;
  readonly #commits: OffsetCommits;
  readonly #ends: LogEnds;
  readonly #watch: StuckWatch;
  #started: Promise<void> = Promise.resolve();
  /** Aborted when the current assignment ends. */
  #outdated = new AbortController();
  /** Promise of the last assignment to be taken. The next assignment is taken after it. */
  #taking: Promise<unknown> = Promise.resolve();
  #isEnding = false;
  /** Partitions that are read; empty while their start is determined. */
  #assigned: readonly {
    topic: string;
    partitions: number[];
  }[] = [];
  #settle!: {
    joined: () => void;
    ended: (reason: unknown) => void;
  };
  /** Settles at the first assignment. */
  readonly joined: Promise<void>;
  /** Resolves with the reason of the end; undefined after `stop`. */
  readonly ended: Promise<unknown>;

  constructor(
    private readonly kafka: Kafka,
    private readonly options: KafkaOptions,
    private readonly handlers: SourceHandlers,
    /**
     * Partitions assigned last. The next session shares this set, and so detects partitions that
     * were lost between the two sessions.
     */
    private readonly held: Set<number>,
  ) {
    const sessionTimeout = options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS;
    const heartbeatMs = Math.min(MAX_HEARTBEAT_MS, Math.floor(sessionTimeout / 3));
    this.#reader = new PartitionReader(kafka, handlers, heartbeatMs, {
      seek: (position, offset) => this.#seek(position, offset),
      pause: ({ topic, partition }) =>
        this.#consumer.pause([
          {
            topic,
            partitions: [partition],
          },
        ]),
      resume: ({ topic, partition }) =>
        this.#consumer.resume([
          {
            topic,
            partitions: [partition],
          },
        ]),
      aside: (work) => void this.#guarded(work),
    });
    this.#ends = new LogEnds(options, this.#reader, (level) => rawCluster(options, level));
    this.#consumer = kafka.consumer({
      groupId: options.groupId,
      allowAutoTopicCreation: false,
      partitionAssigners: [coPartitioning],
      sessionTimeout,
      heartbeatInterval: heartbeatMs,
      metadataMaxAge: options.metadataMaxAgeMs ?? 30_000,
      maxWaitTimeInMs: options.maxWaitMs ?? 250,
      maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
      maxBytesPerPartition: options.maxBytesPerPartition ?? 1024 * 1024,
      // A crash ends the session; the source then starts another one.
      retry: {
        retries: 3,
        initialRetryTime: 200,
        restartOnFailure: async () => false,
      },
    });
    this.#watch = new StuckWatch(this.#consumer, {
      stuckAfterMs: options.stuckAfterMs ?? DEFAULT_STUCK_AFTER_MS,
      isDue: () => this.#isDue,
      onStuck: (error) => this.#end(error),
    });
    this.#commits = new OffsetCommits(this.#consumer, options);
    let joined!: () => void;
    let ended!: (reason: unknown) => void;
    this.joined = new Promise((resolve) => {
      joined = resolve;
    });
    this.ended = new Promise((resolve) => {
      ended = resolve;
    });
    this.#settle = { joined, ended };
  }

  /** Join the group; `joined` and `ended` report the outcome. */
  start(): void {
    this.#started = this.#run();
  }

  async #run(): Promise<void> {
    const consumer = this.#consumer;
    const { GROUP_JOIN, HEARTBEAT, CRASH, END_BATCH_PROCESS, FETCH_START, FETCH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => this.#onJoin(payload.memberAssignment));
    consumer.on(HEARTBEAT, ({ payload }) => {
      if (this.#assigned.length > 0) {
        this.handlers.confirmed?.(payload.groupGenerationId);
      }
    });
    const watch = new FetchWatch(() => this.#reader.doubt());
    consumer.on(FETCH_START, ({ payload }) => watch.asked(`${payload.nodeId}`));
    consumer.on(FETCH, ({ payload }) => watch.answered(`${payload.nodeId}`));
    consumer.on(CRASH, ({ payload }) => this.#end(payload.error));
    consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize === 0) {
        void this.#guarded(this.#reader.passMarks(payload));
      }
    });
    try {
      await consumer.connect();
      // `topics` also has the topic of dead letters.
      const { exposures, interactions } = this.options.topics;
      await consumer.subscribe({
        topics: [exposures, interactions],
        fromBeginning: true,
      });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
        eachBatch: (payload) => this.#guarded(this.#reader.read(payload)),
      });
    } catch (error) {
      this.#end(error);
    }
    if (this.#isEnding) {
      await this.#disconnect();
    }
  }

  commit(partition: number, next: NextOffsets): void {
    if (!this.#isEnding) {
      this.#commits.commit(partition, next);
    }
  }

  /** Whether any fetch was answered in this session. */
  get hasFetched(): boolean {
    return this.#watch.hasAnswer;
  }

  /** Whether a fetch should be running: partitions are wanted, and no handler is busy. */
  get #isDue(): boolean {
    return !this.#reader.isBusy && this.#assigned.length > 0 && this.#reader.isFetching;
  }

  async ends(): Promise<readonly LogEnd[]> {
    return this.#isEnding ? [] : this.#ends.ask();
  }

  /** End the session, so that the source opens another one. */
  rejoin(why: string): void {
    this.#end(new JoinAgain(why));
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#outdated.abort();
    this.#reader.pause();
    await this.#commits.settled();
    await this.#disconnect();
    await Promise.allSettled([this.#started, this.#taking, this.#reader.drained()]);
    this.#settle.ended(undefined);
  }

  #end(reason: unknown): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#outdated.abort();
    this.#reader.pause();
    void Promise.race([this.#disconnect(), sleep(LEAVE_MS)])
      .then(() => Promise.allSettled([this.#taking, this.#reader.drained()]))
      .then(() => this.#settle.ended(reason));
  }

  async #disconnect(): Promise<void> {
    // The client rejects pausing partitions that it no longer reads.
    this.#assigned = [];
    this.#watch.stop();
    // A connection that is broken already has nothing left to close.
    await Promise.all([this.#consumer.disconnect().catch(() => {}), this.#ends.close()]);
  }

  /** End the session on reading errors, which the client would retry forever. */
  async #guarded(reading: Promise<void>): Promise<void> {
    await reading.catch((error: unknown) => this.#end(error));
  }

  /**
   * Called by the client before its first fetch under a new assignment. The partitions are paused
   * at once: determining their start offsets takes time, and the client does not wait for it.
   */
  #onJoin(assignment: IMemberAssignment): void {
    if (this.#isEnding) return;
    this.#outdated.abort();
    this.#outdated = new AbortController();
    const outdated = this.#outdated.signal;
    const assigned = Object.entries(assignment).map(([topic, partitions]) => ({
      topic,
      partitions,
    }));
    this.#consumer.pause(assigned);
    this.#assigned = [];
    this.#reader.pause();
    const partitions = [...new Set(assigned.flatMap((topic) => topic.partitions))];
    partitions.sort((a, b) => a - b);
    this.#taking = this.#taking
      .then(() => {
        // Otherwise the records of a partition that one topic lacks would silently remain unread.
        const isPaired = assigned.every((topic) => topic.partitions.length === partitions.length);
        if (!isPaired)
          throw new Error('the group assigned a partition of only one of the two topics');
        return this.#take(partitions, outdated);
      })
      .then(() => {
        if (outdated.aborted) return;
        this.#assigned = assigned;
        this.#consumer.resume(assigned);
        this.#settle.joined();
      })
      .catch((error: unknown) => this.#end(error));
  }

  /**
   * Pass the assigned partitions to the handlers, and seek to their start offsets, unless a newer
   * assignment arrives meanwhile.
   */
  async #take(partitions: readonly number[], outdated: AbortSignal): Promise<void> {
    await this.#reader.drained();
    if (outdated.aborted) return;
    const lost = [...this.held].filter((partition) => !partitions.includes(partition));
    for (const partition of lost) {
      this.held.delete(partition);
    }
    for (const partition of partitions) {
      this.held.add(partition);
    }
    if (lost.length > 0) {
      await byHandler(() => this.handlers.revoked(lost));
    }
    const positions = await withAdmin(this.kafka, (admin) =>
      startingPositions(admin, this.options.topics, partitions, this.handlers, outdated),
    );
    if (outdated.aborted) return;
    for (const position of positions) {
      this.#seek(position, position.check?.at ?? position.next);
    }
    await byHandler(() => this.handlers.state('connected'));
    await this.#reader.take(positions);
  }

  #seek({ topic, partition }: Position, offset: number): void {
    this.#consumer.seek({
      topic,
      partition,
      offset: String(offset),
    });
  }
}
