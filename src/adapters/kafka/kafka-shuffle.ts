import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { UnskewError } from '../../errors.js';
import { AheadGate } from '../../stream/intake/ahead-gate.js';
import type { AssemblyOptions } from '../../stream/intake/assembler.js';
import { progressRecord } from '../../stream/intake/record-sources.js';
import {
  type Shuffle,
  type Shuffled,
  type ShuffleWatch,
  type SourceRecord,
  WAYS,
  type Way,
} from '../../stream/intake/shuffle.js';
import type { SourceProgress } from '../../stream/panes/source-times.js';
import type { DeadLetterSink, LogWriter, TopicRole } from '../../stream/ports.js';
import { brokerError, causesOf } from './broker-error.js';
import { registerCodecs } from './codecs.js';
import { KafkaAssembly } from './kafka-assembly.js';
import { type KafkaConnectionOptions, kafkaClient } from './options.js';
import { READ_UNCOMMITTED, rawCluster } from './raw-cluster.js';
import { sourceRecord } from './record-mark.js';
import { committedOf, shuffleConsumer, whileBeating } from './shuffle-consumer.js';
import { TopicEnds } from './topic-ends.js';
import { refusedBy } from './unpacking/refused-batch.js';
import { RecordsTooLarge } from './writer.js';

/** Longest wait for the leaders of new topics, ms. `PAUSE_MS` is the time between two checks. */
const LEADERS_MS = 15_000;
const PAUSE_MS = 200;

/**
 * Create missing topics, and wait for their leaders.
 *
 * @throws UnskewError BROKER with the topics, and with the missing permission if that is the cause
 */
export async function createMissing(
  admin: Pick<Admin, 'listTopics' | 'createTopics' | 'fetchTopicMetadata'>,
  topics: readonly string[],
  partitions: number,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter((topic) => !existing.has(topic));
  if (missing.length === 0) return;
  const wanted = missing.map((topic) => ({
    topic,
    numPartitions: partitions,
  }));
  try {
    await admin.createTopics({
      topics: wanted,
      waitForLeaders: false,
    });
  } catch (error) {
    const what = `cannot create the Kafka topics ${missing.join(', ')}`;
    const causes = 'errors' in (error as object) ? (error as AggregateError).errors : [error];
    const [first] = causes.filter(({ type }) => type !== 'TOPIC_ALREADY_EXISTS');
    if (causesOf(first).some(({ message, name }) => /not authorized/i.test(`${name} ${message}`))) {
      const right = 'the permission CREATE on the cluster or on these topics is missing';
      throw new UnskewError('BROKER', `${what}: ${right}; grant it, or create them first`);
    }
    // Another worker may have created the topics in the meantime.
    if (first !== undefined) throw brokerError(what, first);
  }
  const end = Date.now() + LEADERS_MS;
  for (;;) {
    const counts = await partitionCounts(admin, missing).catch(() => undefined);
    if (counts !== undefined) return;
    if (Date.now() > end) {
      throw new UnskewError('BROKER', `these Kafka topics have no leader: ${missing.join(', ')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Number of partitions of each topic. */
async function partitionCounts(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  topics: readonly string[],
): Promise<Record<string, number>> {
  const { topics: found } = await admin.fetchTopicMetadata({ topics: [...topics] });
  const counts: Record<string, number> = {};
  for (const { name, partitions } of found) {
    if (partitions.some(({ leader }) => leader < 0)) {
      throw new UnskewError('BROKER', `${name} has a partition without a leader`);
    }
    counts[name] = partitions.length;
  }
  const missing = topics.find((topic) => counts[topic] === undefined);
  if (missing !== undefined) {
    throw new UnskewError('BROKER', `Kafka has no topic "${missing}": create it first`);
  }
  return counts;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** Longest interval between reports of the sources' progress, ms. */
const PROGRESS_MS = 1000;
const CONCURRENT_PARTITIONS = 4;

export interface KafkaShuffleOptions extends KafkaConnectionOptions {
  readonly groupId: string;
  readonly sources: readonly string[];
  readonly topics: Readonly<Record<TopicRole, string>>;
  /** The topic of dead letters; undefined if there is none. */
  readonly deadLetters: string | undefined;
  /** Number of partitions for internal topics that do not exist yet. */
  readonly partitions: number;
  readonly start: 'earliest' | 'latest';
  readonly sessionTimeoutMs: number;
  readonly maxBytesPerPartition: number;
  readonly maxUnpackedBytes: number;
  /**
   * Limit on reading ahead, ms: how much newer, in event time, the records read from one source may
   * be than those read from the slowest source.
   */
  readonly maxAheadMs: number;
  /** Options for sources with single impressions: target topic and assembly of lists. */
  readonly parts: PartsOptions | undefined;
}

export interface PartsOptions {
  readonly topic: string;
  /** Source topics whose records are single impressions. */
  readonly sources: readonly string[];
  readonly assembly: AssemblyOptions;
}

/**
 * Load what is needed to decode records of a topic, such as their schemas.
 *
 * @returns false after a timeout; the caller tries again
 */
export type Prepare = (topic: string, records: readonly SourceRecord[]) => Promise<boolean>;

interface HeldPartition {
  readonly topic: string;
  readonly partition: number;
  /** Offset after the last record written; negative while unknown. */
  next: number;
  /** Whether the partition's committed offset is loaded. */
  isLearned: boolean;
}

/**
 * Copies the records of source topics to the internal ones. A batch is written and acknowledged
 * before its offset is committed; after a crash uncommitted records are written again under the
 * same ids.
 */
export class KafkaShuffle {
  readonly #writer: LogWriter;
  readonly #letters: DeadLetterSink | undefined;
  readonly #watch: ShuffleWatch;
  readonly #prepare: Prepare;
  readonly #kafka: Kafka;
  readonly #admin: Admin;
  /** Asks for the end offsets of the sources, which include records of open transactions. */
  readonly #ends: TopicEnds;
  readonly #consumer: Consumer;
  readonly #lists: KafkaAssembly | undefined;
  readonly #gate: AheadGate;
  readonly #stopping = new AbortController();
  /** Offset after the written records, by assigned topic and partition. */
  readonly #next = new Map<string, HeldPartition>();
  #telling: Promise<void> = Promise.resolve();
  #told = '';
  #isJoined = false;
  #hasTold = false;
  #error: Error | undefined;

  /** `stop` also closes the writer and the sink of dead letters. */
  constructor(
    private readonly options: KafkaShuffleOptions,
    private readonly shuffle: Shuffle,
    ports: {
      readonly writer: LogWriter;
      readonly letters: DeadLetterSink | undefined;
      readonly watch: ShuffleWatch;
      readonly prepare: Prepare;
    },
  ) {
    this.#writer = ports.writer;
    this.#letters = ports.letters;
    this.#watch = ports.watch;
    this.#prepare = ports.prepare;
    this.#kafka = kafkaClient(options, 8);
    this.#admin = this.#kafka.admin();
    this.#ends = new TopicEnds(() => rawCluster(options, READ_UNCOMMITTED));
    this.#consumer = shuffleConsumer(this.#kafka, options.groupId, options);
    this.#gate = new AheadGate(options.maxAheadMs);
    if (options.parts !== undefined) {
      const { topic, assembly } = options.parts;
      const { exposures } = options.topics;
      const group = {
        ...options,
        groupId: `${options.groupId}.lists`,
      };
      const own = {
        ...group,
        topic,
        exposures,
        assembly,
      };
      this.#lists = new KafkaAssembly(this.#kafka, this.#admin, own, {
        writer: ports.writer,
        watch: ports.watch,
        signal: this.#stopping.signal,
      });
    }
  }

  /** Whether this process has joined its groups and has reported the progress of its sources. */
  get isReady(): boolean {
    const areListsReady = this.#lists?.isReady ?? true;
    return this.#isJoined && this.#hasTold && this.#error === undefined && areListsReady;
  }

  /** Current error, if any. */
  get error(): Error | undefined {
    return this.#error ?? this.#lists?.error;
  }

  /** Create missing internal topics and join the group; resolves when both are done. */
  async start(): Promise<void> {
    const { sources, partitions, start, maxUnpackedBytes } = this.options;
    registerCodecs(maxUnpackedBytes);
    try {
      await this.#admin.connect();
      const { deadLetters = [] } = this.options;
      await createMissing(this.#admin, this.#internal.concat(deadLetters), partitions);
      await partitionCounts(this.#admin, sources);
      const { GROUP_JOIN, CRASH } = this.#consumer.events;
      this.#consumer.on(GROUP_JOIN, ({ payload }) => this.#take(payload.memberAssignment));
      this.#consumer.on(CRASH, ({ payload }) => {
        this.#error = payload.error;
        this.#isJoined = false;
      });
      await this.#consumer.connect();
      const fromBeginning = start === 'earliest';
      await this.#consumer.subscribe({
        topics: [...sources],
        fromBeginning,
      });
      await this.#consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
        eachBatch: (payload) => this.#bring(payload),
      });
      await this.#lists?.start();
    } catch (error) {
      throw brokerError('cannot read the source topics of the intake', error);
    }
    this.#telling = this.#tellAgain();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#telling;
    await this.#consumer.disconnect().catch(() => {});
    await this.#lists?.stop();
    await Promise.all([this.#admin.disconnect().catch(() => {}), this.#ends.close()]);
    await this.#writer.close();
    await this.#letters?.close();
  }

  #take(assignment: Readonly<Record<string, number[]>>): void {
    this.#isJoined = true;
    this.#error = undefined;
    this.#next.clear();
    this.#gate.clear();
    // Partitions may be paused since an earlier membership.
    const all = Object.entries(assignment).map(([topic, partitions]) => ({ topic, partitions }));
    this.#consumer.resume(all);
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        const source = `${topic}/${partition}`;
        this.#next.set(source, {
          topic,
          partition,
          next: -1,
          isLearned: false,
        });
        this.#gate.hold(source);
      }
    }
  }

  /** Internal topics, to which this shuffle writes. */
  get #internal(): string[] {
    const { topics, parts } = this.options;
    return [...ROLES.map((role) => topics[role]), ...(parts === undefined ? [] : [parts.topic])];
  }

  #topicOf(way: Way): string {
    const { topics, parts } = this.options;
    if (way !== 'parts') return topics[way];
    if (parts === undefined) throw new RangeError('no topic of parts is given');
    return parts.topic;
  }

  async #bring({ batch, commitOffsetsIfNecessary, heartbeat, ...rest }: EachBatchPayload) {
    const { topic, partition, messages } = batch;
    if (rest.isStale() || !rest.isRunning()) return;
    const records = messages
      .filter((message) => refusedBy(message) === undefined)
      .map((message) => sourceRecord(topic, partition, message));
    const held = this.#next.get(`${topic}/${partition}`);
    if (held?.isLearned === false) {
      await this.#learnOffsets();
    }
    while (!(await this.#prepare(topic, records))) {
      await heartbeat();
      if (rest.isStale() || !rest.isRunning()) return;
    }
    const shuffled = this.shuffle.read(topic, partition, records, Date.now);
    const outcomes = new Map(shuffled.outcomes);
    const refused = messages.length - records.length;
    if (refused > 0) {
      outcomes.set('batch_too_large', refused);
    }
    const { signal } = this.#stopping;
    if (!(await whileBeating(heartbeat, this.#write(shuffled, outcomes), signal))) return;
    const next = Number(batch.lastOffset()) + 1;
    rest.resolveOffset(batch.lastOffset());
    const { newest } = shuffled;
    // Lateness depends on the newest event time, so the partition's next owner needs it.
    const metadata = Number.isFinite(newest) ? `${newest}` : '';
    await this.#consumer.commitOffsets([
      {
        topic,
        partition,
        offset: `${next}`,
        metadata,
      },
    ]);
    this.#watch.records(topic, outcomes);
    this.shuffle.settle(topic, partition, newest);
    if (held !== undefined) {
      held.next = next;
    }
    this.#gate.read(`${topic}/${partition}`, newest);
    this.#holdBack();
  }

  /**
   * Write the dead letters, then the records. If the dead letters cannot be written, no record is
   * written either: another member will read the batch again, and would write the records a second
   * time.
   */
  async #write({ letters, records }: Shuffled, outcomes: Map<string, number>): Promise<void> {
    await this.#letters?.write(letters);
    for (const way of WAYS) {
      if (records[way].length === 0) continue;
      try {
        await this.#writer.send(this.#topicOf(way), records[way]);
      } catch (error) {
        if (!(error instanceof RecordsTooLarge)) throw error;
        const large = records[way].filter((record) => error.records.includes(record));
        for (const { from, value } of large) {
          const { topic, partition, offset } = from;
          const place = {
            topic,
            partition,
            offset: Number(offset),
          };
          const letter = {
            reason: 'oversized',
            detail: error.message,
            ...place,
          };
          await this.#letters?.write([
            {
              ...letter,
              value: Buffer.from(value),
            },
          ]);
        }
        outcomes.set('written', (outcomes.get('written') ?? 0) - large.length);
        outcomes.set('oversized', (outcomes.get('oversized') ?? 0) + large.length);
      }
    }
  }

  /** Pause sources that are far ahead of others, and resume them later. */
  #holdBack(): void {
    const { pause, resume } = this.#gate.change();
    const places = (sources: readonly string[]) =>
      sources.flatMap((source) => {
        const own = this.#next.get(source);
        return own === undefined
          ? []
          : [
              {
                topic: own.topic,
                partitions: [own.partition],
              },
            ];
      });
    if (pause.length > 0) {
      this.#consumer.pause(places(pause));
    }
    if (resume.length > 0) {
      this.#consumer.resume(places(resume));
    }
  }

  async #tellAgain(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#tell();
        this.#hasTold = true;
        if (this.#isJoined) {
          this.#error = undefined;
        }
      } catch (error) {
        this.#error = error as Error;
        this.options.log?.('warn', 'cannot read the progress of the source topics', {
          reason: `${error}`,
        });
      }
      await sleep(PROGRESS_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Report the progress of the sources to each partition of the internal topics. */
  async #tell(): Promise<void> {
    if (!this.#isJoined) return;
    this.#holdBack();
    const { sources, topics } = this.options;
    const counts = await partitionCounts(this.#admin, sources);
    // Taken before the request: records written after it are newer.
    const askedAt = Date.now();
    await this.#askForEnds(askedAt);
    const read = this.shuffle.progress(counts);
    const internal = await partitionCounts(this.#admin, this.#internal);
    const said = new Map(ROLES.map((role) => [topics[role], this.#withLists(read, internal)]));
    const { parts } = this.options;
    if (parts !== undefined) {
      said.set(parts.topic, ofTopics(read, parts.sources));
    }
    const told = JSON.stringify([[...said], internal]);
    if (told === this.#told) return;
    for (const [topic, progress] of said) {
      const records = Array.from({ length: internal[topic]! }, (_, partition) => ({
        ...progressRecord(progress),
        partition,
      }));
      await this.#writer.send(topic, records);
    }
    this.#told = told;
  }

  /** Add the progress of list assembly. The topic of parts counts as a source of its own. */
  #withLists(read: SourceProgress, internal: Readonly<Record<string, number>>): SourceProgress {
    if (this.#lists === undefined) return read;
    const { topic } = this.#lists;
    const { newest, emptyAt } = this.#lists.progress();
    return {
      partitions: {
        ...read.partitions,
        [topic]: internal[topic]!,
      },
      newest: {
        ...read.newest,
        ...newest,
      },
      emptyAt: {
        ...read.emptyAt,
        ...emptyAt,
      },
    };
  }

  /**
   * Ask for the end offsets of the sources. Sources that are read to their end are marked as empty
   * at `askedAt`, ms.
   */
  async #askForEnds(askedAt: number): Promise<void> {
    await this.#learnOffsets();
    for (const topic of this.options.sources) {
      const held = [...this.#next.values()].filter((own) => own.topic === topic);
      if (held.length === 0) continue;
      const ranges = await this.#admin.fetchTopicOffsets(topic);
      const ends = await this.#ends.of(
        topic,
        held.map(({ partition }) => partition),
      );
      for (const own of held) {
        const range = ranges.find(({ partition }) => partition === own.partition);
        const end = ends.get(own.partition);
        if (range === undefined || end === undefined) continue;
        if (own.next < 0) {
          own.next = Number(range.low);
        }
        const lag = Math.max(0, end - own.next);
        if (lag === 0) {
          this.shuffle.emptied(topic, own.partition, askedAt);
        }
        this.#gate.ends(`${topic}/${own.partition}`, lag === 0);
        const newest = this.shuffle.newest(topic, own.partition);
        this.#watch.stands(topic, own.partition, lag, newest);
      }
    }
  }

  /** Load the committed offsets and progress of newly assigned partitions. */
  async #learnOffsets(): Promise<void> {
    const unknown = [...this.#next.values()].filter(({ isLearned }) => !isLearned);
    if (unknown.length === 0) return;
    const topics = [...new Set(unknown.map(({ topic }) => topic))];
    for (const topic of topics) {
      const committed = await committedOf(this.#admin, this.options.groupId, topic);
      for (const [partition, { offset, metadata }] of committed) {
        const own = this.#next.get(`${topic}/${partition}`);
        if (own === undefined || own.isLearned) continue;
        own.isLearned = true;
        own.next = offset;
        const newest = metadata === '' ? Number.NEGATIVE_INFINITY : Number(metadata);
        this.shuffle.resume(topic, partition, newest);
      }
    }
  }
}

function ofTopics(progress: SourceProgress, topics: readonly string[]): SourceProgress {
  const only = (values: Readonly<Record<string, number>>, topicOf: (key: string) => string) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => topics.includes(topicOf(key))));
  const ofSource = (source: string) => source.slice(0, source.lastIndexOf('/'));
  return {
    partitions: only(progress.partitions, (topic) => topic),
    newest: only(progress.newest, ofSource),
    emptyAt: only(progress.emptyAt, ofSource),
  };
}
