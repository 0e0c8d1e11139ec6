import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Consumer, EachBatchPayload, IHeaders, Kafka } from 'kafkajs';
import type { DeadLetterSink, LogWriter, TopicRole } from '../../../stream/ports.js';
import { progressRecord } from '../../../stream/shuffle/record-sources.js';
import type { Shuffle, SourceRecord } from '../../../stream/shuffle/shuffle.js';
import type { ShuffleWatch } from '../../../stream/shuffle/shuffle-watch.js';
import { brokerError } from '../broker-error.js';
import { registerCodecs } from '../codecs.js';
import { type KafkaConnectionOptions, kafkaClient } from '../options.js';
import { refusedBy } from '../unpacking/refused-batch.js';
import { createMissing, partitionCounts } from './internal-topics.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** How often it is said how far the sources are, at least and where nothing comes, ms. */
const PROGRESS_MS = 1000;
const CONCURRENT_PARTITIONS = 4;

export interface KafkaShuffleOptions extends KafkaConnectionOptions {
  readonly groupId: string;
  readonly sources: readonly string[];
  readonly topics: Readonly<Record<TopicRole, string>>;
  /** Partitions of an internal topic that does not exist yet. */
  readonly partitions: number;
  readonly start: 'earliest' | 'latest';
  readonly sessionTimeoutMs: number;
  readonly maxBytesPerPartition: number;
  readonly maxUnpackedBytes: number;
}

/**
 * Brings the records of source topics to the internal ones. A batch is written, and acknowledged by
 * Kafka, before its offset is committed: what a process that dies has not committed is written once
 * more, under the same ids.
 */
export class KafkaShuffle {
  readonly #options: KafkaShuffleOptions;
  readonly #shuffle: Shuffle;
  readonly #writer: LogWriter;
  readonly #letters: DeadLetterSink | undefined;
  readonly #watch: ShuffleWatch;
  readonly #kafka: Kafka;
  readonly #admin: Admin;
  readonly #consumer: Consumer;
  readonly #stopping = new AbortController();
  /** By topic and partition that this member holds: offset after what is written. */
  readonly #next = new Map<string, { topic: string; partition: number; next: number }>();
  #telling: Promise<void> = Promise.resolve();
  #told = '';
  #isJoined = false;
  #hasTold = false;
  #error: Error | undefined;

  /** The writer and the sink are closed with it. */
  constructor(
    options: KafkaShuffleOptions,
    shuffle: Shuffle,
    ports: { writer: LogWriter; letters: DeadLetterSink | undefined; watch: ShuffleWatch },
  ) {
    this.#options = options;
    this.#shuffle = shuffle;
    this.#writer = ports.writer;
    this.#letters = ports.letters;
    this.#watch = ports.watch;
    this.#kafka = kafkaClient(options, 8);
    this.#admin = this.#kafka.admin();
    this.#consumer = this.#kafka.consumer({
      groupId: options.groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: options.sessionTimeoutMs,
      heartbeatInterval: Math.min(3000, Math.floor(options.sessionTimeoutMs / 3)),
      maxBytesPerPartition: options.maxBytesPerPartition,
      maxWaitTimeInMs: 250,
      metadataMaxAge: 30_000,
      // Whatever a batch failed by may pass; what failed is read again.
      retry: { retries: 3, initialRetryTime: 200, restartOnFailure: async () => true },
    });
  }

  /** Whether it has its partitions, and has said how far they are. */
  get isReady(): boolean {
    return this.#isJoined && this.#hasTold && this.#error === undefined;
  }

  /** What keeps it from going on now. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Resolves when the internal topics are there and it has joined its group. */
  async start(): Promise<void> {
    const { sources, topics, partitions, start, maxUnpackedBytes } = this.#options;
    registerCodecs(maxUnpackedBytes);
    try {
      await this.#admin.connect();
      await createMissing(
        this.#admin,
        ROLES.map((role) => topics[role]),
        partitions,
      );
      await partitionCounts(this.#admin, sources);
      const { GROUP_JOIN, CRASH } = this.#consumer.events;
      this.#consumer.on(GROUP_JOIN, ({ payload }) => this.#take(payload.memberAssignment));
      this.#consumer.on(CRASH, ({ payload }) => {
        this.#error = payload.error;
        this.#isJoined = false;
      });
      await this.#consumer.connect();
      const fromBeginning = start === 'earliest';
      await this.#consumer.subscribe({ topics: [...sources], fromBeginning });
      await this.#consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
        eachBatch: (payload) => this.#bring(payload),
      });
    } catch (error) {
      throw brokerError('cannot read the sources of the intake', error);
    }
    this.#telling = this.#tellAgain();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#telling;
    await this.#consumer.disconnect().catch(() => {});
    await this.#admin.disconnect().catch(() => {});
    await this.#writer.close();
    await this.#letters?.close();
  }

  #take(assignment: Readonly<Record<string, number[]>>): void {
    this.#isJoined = true;
    this.#error = undefined;
    this.#next.clear();
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        this.#next.set(`${topic}/${partition}`, { topic, partition, next: -1 });
      }
    }
  }

  async #bring({ batch, commitOffsetsIfNecessary, heartbeat, ...rest }: EachBatchPayload) {
    const { topic, partition, messages } = batch;
    if (rest.isStale() || !rest.isRunning()) return;
    const records = messages
      .filter((message) => refusedBy(message) === undefined)
      .map(
        ({ key, value, headers, offset, timestamp }): SourceRecord => ({
          from: { topic, partition, offset, key: key?.toString() ?? null, headers: texts(headers) },
          value,
          ts: Number(timestamp),
        }),
      );
    const shuffled = this.#shuffle.read(topic, partition, records, Date.now);
    const outcomes = new Map(shuffled.outcomes);
    const refused = messages.length - records.length;
    if (refused > 0) outcomes.set('batch_too_large', refused);
    for (const role of ROLES) {
      const written = shuffled.records[role];
      if (written.length > 0) await this.#writer.send(this.#options.topics[role], written);
      await heartbeat();
    }
    await this.#letters?.write(shuffled.letters);
    const next = Number(batch.lastOffset()) + 1;
    rest.resolveOffset(batch.lastOffset());
    await this.#consumer.commitOffsets([{ topic, partition, offset: `${next}` }]);
    this.#watch.records(topic, outcomes);
    this.#shuffle.settle(topic, partition, shuffled.newest);
    const held = this.#next.get(`${topic}/${partition}`);
    if (held !== undefined) held.next = next;
  }

  async #tellAgain(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#tell();
        this.#hasTold = true;
        if (this.#isJoined) this.#error = undefined;
      } catch (error) {
        this.#error = error as Error;
        this.#options.log?.('warn', 'cannot say how far the sources are', { reason: `${error}` });
      }
      await sleep(PROGRESS_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Says how far the sources are, to each partition of the internal topics. */
  async #tell(): Promise<void> {
    if (!this.#isJoined) return;
    const { sources, topics } = this.#options;
    const counts = await partitionCounts(this.#admin, sources);
    // A moment before the question: what comes after it is newer.
    const askedAt = Date.now();
    await this.#askForEnds(askedAt);
    const progress = this.#shuffle.progress(counts);
    const internal = await partitionCounts(
      this.#admin,
      ROLES.map((role) => topics[role]),
    );
    const told = JSON.stringify([progress, internal]);
    if (told === this.#told) return;
    for (const role of ROLES) {
      const records = Array.from({ length: internal[topics[role]]! }, (_, partition) => ({
        ...progressRecord(progress),
        partition,
      }));
      await this.#writer.send(topics[role], records);
    }
    this.#told = told;
  }

  /** Those that are read to their ends stand at the moment of the question. */
  async #askForEnds(askedAt: number): Promise<void> {
    await this.#learnOffsets();
    for (const topic of this.#options.sources) {
      const held = [...this.#next.values()].filter((own) => own.topic === topic);
      if (held.length === 0) continue;
      const ends = await this.#admin.fetchTopicOffsets(topic);
      for (const own of held) {
        const end = ends.find(({ partition }) => partition === own.partition);
        if (end === undefined) continue;
        if (own.next < 0) own.next = Number(end.low);
        const lag = Math.max(0, Number(end.high) - own.next);
        if (lag === 0) this.#shuffle.emptied(topic, own.partition, askedAt);
        const newest = this.#shuffle.newest(topic, own.partition);
        this.#watch.stands(topic, own.partition, lag, newest);
      }
    }
  }

  /** Where partitions stand that nothing was read of since they were taken. */
  async #learnOffsets(): Promise<void> {
    const unknown = [...this.#next.values()].filter(({ next }) => next < 0);
    if (unknown.length === 0) return;
    const topics = [...new Set(unknown.map(({ topic }) => topic))];
    const found = await this.#admin.fetchOffsets({ groupId: this.#options.groupId, topics });
    for (const { topic, partitions } of found) {
      for (const { partition, offset } of partitions) {
        const own = this.#next.get(`${topic}/${partition}`);
        if (own !== undefined && own.next < 0) own.next = Number(offset);
      }
    }
  }
}

function texts(headers: IHeaders | undefined): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return [name, first?.toString()];
    }),
  );
}
