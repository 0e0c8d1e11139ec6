import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kafka, type KafkaMessage, Partitioners, type Producer } from 'kafkajs';
import type { LoggedSums, SumsLog, SumsPosition } from '../../stream/ports.js';
import { brokerError, mayPass } from './broker-error.js';
import { DEFAULT_CONNECT_TIMEOUT_MS, type KafkaConnectionOptions, kafkaClient } from './options.js';
import { isKind, PartitionFetch } from './partition-fetch.js';
import { markOf, PartAssembly, partsOf } from './parts.js';
import { epochOf } from './record-mark.js';
import { ensureSumsTopic } from './sums-topic.js';
import { logRanges, withAdmin } from './topics.js';

/** Below the broker's usual limit of 1 MB for a request. */
const PART_BYTES = 800_000;
const DAY_MS = 86_400_000;
/** How soon is tried again what may pass, ms. */
const AGAIN_MS = 500;

/** Where the last call stopped. */
interface Session {
  readonly at: SumsPosition;
  readonly assembly: PartAssembly;
  /** Next offset of the topic, which is further where parts of a record are yet to come. */
  readonly offset: number;
  readonly mark: string;
  /** Of the leader that took in what was read last; −1: unknown. */
  readonly epoch: number;
}

/** The name of the topic by which the workers of a group bring their sums together. */
export function sumsTopic(groupId: string): string {
  return `${groupId.replace(/[^a-zA-Z0-9._-]/g, '_').slice(0, 240)}.sums`;
}

/**
 * The log of sums in one topic of one partition. Each record is acknowledged by all replicas; what
 * is larger than a request may be goes in parts, and stands where its last part does.
 */
export class KafkaSumsLog implements SumsLog {
  readonly #kafka: Kafka;
  readonly #producer: Producer;
  readonly #fetch: PartitionFetch;
  readonly #topic: string;
  readonly #partBytes: number;
  #connected: Promise<void> | undefined;
  #session: Session | undefined;
  #isClosed = false;

  constructor(options: KafkaConnectionOptions, topic: string, partBytes = PART_BYTES) {
    this.#kafka = kafkaClient(options);
    this.#producer = this.#kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    this.#topic = topic;
    this.#partBytes = partBytes;
    this.#fetch = new PartitionFetch(options, topic, 0);
  }

  open(): Promise<void> {
    return this.#patiently(() =>
      withAdmin(this.#kafka, (admin) => ensureSumsTopic(admin, this.#topic, DAY_MS)),
    );
  }

  append(records: readonly Uint8Array[]): Promise<void> {
    return this.#told('write to', async () => {
      this.#connected ??= this.#producer.connect();
      try {
        await this.#connected;
        for (const values of this.#requests(records)) {
          const messages = values.map((value) => ({ value, partition: 0 }));
          await this.#producer.send({ topic: this.#topic, acks: -1, messages });
        }
      } catch (error) {
        this.#connected = undefined;
        throw error;
      }
    });
  }

  read(from: SumsPosition, waitMs: number): Promise<readonly LoggedSums[] | 'gone'> {
    return this.#told('read', async () => {
      if (this.#isClosed) return [];
      const session = this.#session?.at === from ? this.#session : await this.#begin(from);
      this.#session = undefined;
      if (session === 'gone') return 'gone';
      const messages = await this.#fetch.fetch(session.offset, waitMs);
      if (messages === undefined) return 'gone';
      const [first] = messages;
      // Another leader may lack what the one before had: what lies before is looked at again.
      const isDoubtful = first && session.epoch >= 0 && epochOf(first) !== session.epoch;
      if (isDoubtful && (await this.#begin(from)) === 'gone') return 'gone';
      return this.#taken(session, messages);
    });
  }

  ends(): Promise<{ readonly first: SumsPosition; readonly next: SumsPosition }> {
    return this.#patiently(() => this.#ends());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#fetch.close();
    await this.#producer.disconnect();
  }

  async #ends() {
    const ranges = await withAdmin(this.#kafka, (admin) => logRanges(admin, this.#topic));
    const { low, high } = ranges.get(0) ?? { low: 0, high: 0 };
    return { first: { offset: low, mark: '' }, next: { offset: high, mark: '' } };
  }

  /** A broker that is about to come, or away for a moment, does not end a start. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + DEFAULT_CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        return await this.#told('reach', work);
      } catch (error) {
        if (this.#isClosed || !mayPass(error) || Date.now() >= deadline) throw error;
      }
      await sleep(AGAIN_MS);
    }
  }

  /** Looks at what lies before a position, where that is known and still there. */
  async #begin(at: SumsPosition): Promise<Session | 'gone'> {
    const { offset, mark } = at;
    const { first, next } = await this.#ends();
    if (offset < first.offset || offset > next.offset) return 'gone';
    if (mark !== '' && offset > first.offset) {
      const [before] = (await this.#fetch.fetch(offset - 1, 0)) ?? [];
      if (before === undefined || Number(before.offset) !== offset - 1) return 'gone';
      if (markOf(before.value) !== mark) return 'gone';
    }
    return { at, assembly: new PartAssembly(), offset, mark, epoch: -1 };
  }

  #taken(session: Session, messages: readonly KafkaMessage[]): readonly LoggedSums[] {
    const { assembly } = session;
    let { at, offset, mark, epoch } = session;
    const found: LoggedSums[] = [];
    for (const message of messages) {
      const { value } = message;
      offset = Number(message.offset) + 1;
      epoch = epochOf(message);
      mark = markOf(value);
      const from = assembly.oldest ?? offset - 1;
      const bytes = value === null ? undefined : assembly.take(offset - 1, value);
      at = assembly.oldest === undefined ? { offset, mark } : { offset: assembly.oldest, mark: '' };
      if (bytes !== undefined) found.push({ bytes, at: from, next: at });
    }
    const stands = found.at(-1)?.next ?? session.at;
    this.#session = { at: stands, assembly, offset, mark, epoch };
    return found;
  }

  *#requests(records: readonly Uint8Array[]): Generator<Buffer[]> {
    let values: Buffer[] = [];
    let bytes = 0;
    for (const value of records.flatMap((each) => partsOf(randomBytes(8), each, this.#partBytes))) {
      if (bytes + value.length > this.#partBytes && values.length > 0) {
        yield values;
        values = [];
        bytes = 0;
      }
      values.push(value);
      bytes += value.length;
    }
    yield values;
  }

  async #told<T>(verb: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // What fails as it is closed has nobody waiting for it.
      if (this.#isClosed && verb === 'read') return [] as T;
      if (isKind(error, 'UNKNOWN_TOPIC_OR_PARTITION') && verb === 'read') return 'gone' as T;
      throw brokerError(`cannot ${verb} the Kafka topic ${this.#topic}`, error);
    }
  }
}
