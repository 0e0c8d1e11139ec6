import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Admin,
  CompressionTypes,
  type Kafka,
  type KafkaMessage,
  Partitioners,
  type Producer,
} from 'kafkajs';
import { UnskewError } from '../../errors.js';
import type { LoggedPane, PanePartitionLog, PanesLog, PanesPosition } from '../../stream/ports.js';
import { brokerError, mayPass } from './broker-error.js';
import { DEFAULT_CONNECT_TIMEOUT_MS, type KafkaConnectionOptions, kafkaClient } from './options.js';
import { ensurePanesTopic, type PanesTopicOptions } from './panes-topic.js';
import { isKind, PartitionFetch } from './partition-fetch.js';
import { markOf, PartAssembly, partsOf } from './parts.js';
import { type LogRange, logRanges, withAdmin } from './topics.js';

/** Largest part of a pane record, in bytes: below the broker's usual limit of 1 MB per request. */
const PART_BYTES = 800_000;
/** Retry interval of temporary failures, ms. */
const AGAIN_MS = 500;

/** State of reading after the last call, from which the next call continues. */
interface Session {
  readonly at: PanesPosition;
  readonly assembly: PartAssembly;
  /** Next offset to fetch; beyond `at` while parts of a record are missing. */
  readonly offset: number;
  /** Mark of the record before `offset`; empty if unknown. */
  readonly mark: string;
}

/** Reads and writes the panes topic. All replicas acknowledge each record. */
export class KafkaPanesLog implements PanesLog {
  readonly #connection: KafkaConnectionOptions;
  readonly #kafka: Kafka;
  #producer: Producer;
  readonly #options: PanesTopicOptions;
  readonly #partitions = new Map<number, KafkaPanePartition>();
  #connected: Promise<void> | undefined;
  /** Connection reused for requests of offsets; undefined before the first and after an error. */
  #admin: Admin | undefined;
  #isClosed = false;

  constructor(connection: KafkaConnectionOptions, options: PanesTopicOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#kafka = kafkaClient(connection);
    this.#producer = this.#newProducer();
  }

  #newProducer(): Producer {
    return this.#kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
  }

  /**
   * Create the topic if it is missing. Retries while the broker is starting or temporarily
   * unavailable. @returns number of partitions
   */
  async open(): Promise<number> {
    const deadline = Date.now() + DEFAULT_CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        return await withAdmin(this.#kafka, (admin) => ensurePanesTopic(admin, this.#options));
      } catch (error) {
        const refused = brokerError(`cannot reach the Kafka topic ${this.#options.topic}`, error);
        if (this.#isClosed || !mayPass(refused) || Date.now() >= deadline) throw refused;
      }
      await sleep(AGAIN_MS);
    }
  }

  of(partition: number): KafkaPanePartition {
    let known = this.#partitions.get(partition);
    if (known === undefined) {
      const { topic } = this.#options;
      known = new KafkaPanePartition(this, new PartitionFetch(this.#connection, topic, partition), {
        topic,
        partition,
      });
      this.#partitions.set(partition, known);
    }
    return known;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async send(partition: number, values: readonly Buffer[], pane: number): Promise<void> {
    try {
      for (const value of values) {
        await this.#sendOne(partition, value, pane);
      }
    } catch (error) {
      this.#connected = undefined;
      // The topic was deleted: create it again.
      if (isKind(error, 'UNKNOWN_TOPIC_OR_PARTITION')) {
        await this.open();
      }
      throw error;
    }
  }

  async #sendOne(partition: number, value: Buffer, pane: number): Promise<void> {
    const { topic } = this.#options;
    const record = {
      topic,
      acks: -1,
      compression: CompressionTypes.GZIP,
      messages: [
        {
          value,
          partition,
          headers: { pane: `${pane}` },
        },
      ],
    };
    for (let tries = 0; tries < 2; tries++) {
      this.#connected ??= this.#producer.connect();
      await this.#connected;
      const producer = this.#producer;
      const sent = await producer.send(record);
      if (sent.some((one) => one.partition === partition)) return;
      // The client silently drops records for a partition that is newer than its metadata.
      await this.#renewProducer(producer);
    }
    throw new UnskewError('BROKER', `the Kafka topic ${topic} has no partition ${partition} yet`);
  }

  async #renewProducer(outdated: Producer): Promise<void> {
    if (this.#producer !== outdated) return;
    this.#producer = this.#newProducer();
    this.#connected = undefined;
    await outdated.disconnect().catch(() => {});
  }

  /** First and end offset of a partition's log now. */
  async range(partition: number): Promise<LogRange> {
    const known = this.#admin;
    if (known !== undefined) {
      const found = await this.#rangeBy(known, partition).catch(() => undefined);
      if (found !== undefined) return found;
      // The connection is broken, or its metadata is outdated.
      if (this.#admin === known) {
        this.#admin = undefined;
      }
      await known.disconnect().catch(() => {});
    }
    const admin = this.#kafka.admin();
    try {
      await admin.connect();
      const found = await this.#rangeBy(admin, partition);
      if (this.#admin === undefined && !this.#isClosed) {
        this.#admin = admin;
      }
      return (
        found ?? {
          low: 0,
          high: 0,
        }
      );
    } finally {
      if (this.#admin !== admin) {
        await admin.disconnect().catch(() => {});
      }
    }
  }

  async #rangeBy(admin: Admin, partition: number): Promise<LogRange | undefined> {
    return (await logRanges(admin, this.#options.topic)).get(partition);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#partitions.values()].map((partition) => partition.close()));
    await this.#admin?.disconnect().catch(() => {});
    await this.#producer.disconnect();
  }
}

/**
 * One partition of the panes topic. A record that is larger than a request is split into parts. The
 * offset of such a record is the offset of its last part.
 */
class KafkaPanePartition implements PanePartitionLog {
  readonly #log: KafkaPanesLog;
  readonly #fetch: PartitionFetch;
  readonly #of: {
    readonly topic: string;
    readonly partition: number;
  };
  #session: Session | undefined;

  constructor(
    log: KafkaPanesLog,
    fetch: PartitionFetch,
    of: {
      readonly topic: string;
      readonly partition: number;
    },
  ) {
    this.#log = log;
    this.#fetch = fetch;
    this.#of = of;
  }

  append(record: Uint8Array, pane: number): Promise<void> {
    const values = partsOf(randomBytes(8), record, PART_BYTES);
    return this.#told('write to', () => this.#log.send(this.#of.partition, values, pane));
  }

  async read(from: PanesPosition, waitMs: number): Promise<readonly LoggedPane[] | 'gone'> {
    try {
      return this.#log.isClosed ? [] : await this.#read(from, waitMs);
    } catch (error) {
      // Nobody waits for a read that fails because the log is closed.
      if (this.#log.isClosed) return [];
      if (isKind(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return 'gone';
      throw this.#failure('read', error);
    }
  }

  async #read(from: PanesPosition, waitMs: number): Promise<readonly LoggedPane[] | 'gone'> {
    const known = this.#session?.at === from ? this.#session : undefined;
    const session = known ?? begun(from);
    this.#session = undefined;
    const messages = await this.#fetch.fetch(session.offset, waitMs);
    if (messages === undefined) return 'gone';
    // A topic that was made again may end exactly where an earlier process stopped to read.
    const mayHaveChanged = messages.length > 0 || known === undefined;
    if (mayHaveChanged && !(await this.#follows(session))) return 'gone';
    return this.#taken(session, messages);
  }

  get lookedTo(): number {
    return this.#session?.offset ?? 0;
  }

  ends(): Promise<{
    readonly first: PanesPosition;
    readonly next: PanesPosition;
  }> {
    return this.#told('reach', async () => {
      const { low, high } = await this.#log.range(this.#of.partition);
      return {
        first: {
          offset: low,
          mark: '',
        },
        next: {
          offset: high,
          mark: '',
        },
      };
    });
  }

  newestPane(): Promise<number | undefined> {
    return this.#told('read', async () => {
      const { low, high } = await this.#log.range(this.#of.partition);
      if (high === low) return undefined;
      const [last] = (await this.#fetch.fetch(high - 1, 0)) ?? [];
      const told = last?.headers?.['pane'];
      return told === undefined ? undefined : Number(`${told}`);
    });
  }

  close(): Promise<void> {
    return this.#fetch.close();
  }

  /**
   * Whether the record before `offset` is still the one that was read. It is another record if the
   * topic was recreated, or if a new leader lacks records.
   */
  async #follows({ offset, mark }: Session): Promise<boolean> {
    const { low } = await this.#log.range(this.#of.partition);
    if (offset <= low || mark === '') return offset >= low;
    const [before] = (await this.#fetch.fetch(offset - 1, 0)) ?? [];
    return (
      before !== undefined && Number(before.offset) === offset - 1 && markOf(before.value) === mark
    );
  }

  #taken(session: Session, messages: readonly KafkaMessage[]): readonly LoggedPane[] {
    const { assembly } = session;
    let { at, offset, mark } = session;
    const found: LoggedPane[] = [];
    for (const message of messages) {
      const { value } = message;
      offset = Number(message.offset) + 1;
      mark = markOf(value);
      const bytes = value === null ? undefined : assembly.take(offset - 1, value);
      at =
        assembly.oldest === undefined
          ? { offset, mark }
          : {
              offset: assembly.oldest,
              mark: '',
            };
      if (bytes !== undefined) {
        found.push({
          bytes,
          next: at,
        });
      }
    }
    const stands = found.at(-1)?.next ?? session.at;
    this.#session = {
      at: stands,
      assembly,
      offset,
      mark,
    };
    return found;
  }

  async #told<T>(verb: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#failure(verb, error);
    }
  }

  #failure(verb: string, error: unknown): UnskewError {
    return brokerError(`cannot ${verb} the Kafka topic ${this.#of.topic}`, error);
  }
}

function begun(at: PanesPosition): Session {
  return {
    at,
    assembly: new PartAssembly(),
    offset: at.offset,
    mark: at.mark,
  };
}
