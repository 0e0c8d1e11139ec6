import {
  type Admin,
  type Message,
  Partitioners,
  type PartitionMetadata,
  type Producer,
} from 'kafkajs';
import { UnskewError } from '../../errors.js';
import type { Patience } from '../../stream/patience.js';
import type { LogWriter, OutgoingRecord } from '../../stream/ports.js';
import { brokerError, causesOf } from './broker-error.js';
import { type KafkaConnectionOptions, kafkaClient } from './options.js';

/** Largest request, in bytes: below the broker's usual limit of 1 MB. */
const MAX_REQUEST_BYTES = 800_000;
/** Approximate size of a record in addition to its key, value and headers, bytes. */
const RECORD_OVERHEAD_BYTES = 40;

/** Time for which a topic's number of partitions is cached, ms. */
const COUNTED_FOR_MS = 30_000;

/** Thrown for records that the broker will never accept; all others of the call are written. */
export class RecordsTooLarge extends UnskewError {
  constructor(
    topic: string,
    readonly records: readonly OutgoingRecord[],
  ) {
    super(
      'BROKER',
      `the Kafka topic ${topic} rejects ${records.length} of these records as too large`,
    );
  }
}

const partitionOf = Partitioners.DefaultPartitioner();

/** Choose the same partition for a key as Kafka's Java clients do. */
export function partitionOfKey(key: NonNullable<OutgoingRecord['key']>, count: number): number {
  const all = Array.from({ length: count }, (_, partitionId) => ({
    partitionId,
    leader: 0,
  }));
  const partitionMetadata = all as unknown as PartitionMetadata[];
  return partitionOf({
    topic: '',
    partitionMetadata,
    message: toMessage({
      key,
      value: null,
    }),
  });
}

/**
 * Writes records in batches, each acknowledged by all replicas. Records with a key go to the
 * partition that Kafka's Java clients choose for it; calls are written in their order.
 *
 * A failed write is retried until it succeeds or `patience` ends. Acknowledged records are never
 * written again: each request is for one partition, so it is written completely or not at all.
 */
export class KafkaWriter implements LogWriter {
  readonly #producer: Producer;
  readonly #admin: Admin;
  readonly #counts = new Map<
    string,
    {
      readonly count: number;
      readonly at: number;
    }
  >();
  readonly #address: string;
  #connected: Promise<unknown> | undefined;
  #turn = 0;
  /** The last call of `send`, after which the next one starts, so that calls stay in order. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    options: KafkaConnectionOptions,
    private readonly patience: Patience,
  ) {
    const kafka = kafkaClient(options);
    this.#producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    this.#admin = kafka.admin();
    this.#address = options.brokers.join(', ');
  }

  /**
   * Write records, with retries, after those of earlier calls.
   *
   * @throws RecordsTooLarge; UnskewError BROKER when `patience` ends
   */
  send(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    const sent = this.#last.then(() => this.#send(topic, records));
    this.#last = sent.catch(() => {});
    return sent;
  }

  async #send(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    const count = await this.#until(() => this.#countOf(topic));
    const refused = await Promise.all(
      [...this.#byPartition(count, records)].map(async ([partition, own]) => {
        const large: OutgoingRecord[] = [];
        for (const request of requests(own)) {
          large.push(...(await this.#insistOn(topic, partition, request)));
        }
        return large;
      }),
    );
    if (refused.flat().length > 0) throw new RecordsTooLarge(topic, refused.flat());
  }

  async #request(
    topic: string,
    records: readonly OutgoingRecord[],
    partition: number,
  ): Promise<void> {
    const messages = records.map((record) => ({
      ...toMessage(record),
      partition,
    }));
    try {
      await this.#producer.send({ topic, messages });
    } catch (error) {
      throw brokerError(`cannot write to the Kafka topic ${topic}`, error);
    }
  }

  /**
   * Write records to a partition with retries. Requests that the broker rejects as too large are
   * halved.
   *
   * @returns the records that are too large by themselves
   */
  async #insistOn(
    topic: string,
    partition: number,
    records: readonly OutgoingRecord[],
  ): Promise<readonly OutgoingRecord[]> {
    const isWritten = await this.#until(async () => {
      try {
        await this.#request(topic, records, partition);
        return true;
      } catch (error) {
        if (!causesOf(error).some((cause) => 'type' in cause && TOO_LARGE.has(`${cause.type}`))) {
          throw error;
        }
        return false;
      }
    });
    if (isWritten) return [];
    if (records.length === 1) return records;
    const half = records.length >> 1;
    const first = await this.#insistOn(topic, partition, records.slice(0, half));
    return [...first, ...(await this.#insistOn(topic, partition, records.slice(half)))];
  }

  #until<T>(work: () => Promise<T>): Promise<T> {
    return this.patience.until(async () => {
      await this.#connect();
      return work();
    });
  }

  async #countOf(topic: string): Promise<number> {
    const known = this.#counts.get(topic);
    if (known !== undefined && Date.now() - known.at < COUNTED_FOR_MS) return known.count;
    try {
      const { topics } = await this.#admin.fetchTopicMetadata({ topics: [topic] });
      const count = topics[0]!.partitions.length;
      this.#counts.set(topic, {
        count,
        at: Date.now(),
      });
      return count;
    } catch (error) {
      throw brokerError(`cannot write to the Kafka topic ${topic}`, error);
    }
  }

  /**
   * Group records by partition. All records of a call that have neither a key nor a partition go to
   * one partition. The next call uses the next partition for such records.
   */
  #byPartition(
    count: number,
    records: readonly OutgoingRecord[],
  ): ReadonlyMap<number, OutgoingRecord[]> {
    const keyless = this.#turn++ % count;
    const found = new Map<number, OutgoingRecord[]>();
    for (const record of records) {
      const partition =
        record.partition ?? (record.key === null ? keyless : partitionOfKey(record.key, count));
      const own = found.get(partition);
      if (own === undefined) {
        found.set(partition, [record]);
      } else {
        own.push(record);
      }
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#last;
    if (this.#connected === undefined) return;
    await this.#producer.disconnect();
    await this.#admin.disconnect();
    this.#connected = undefined;
  }

  async #connect(): Promise<void> {
    this.#connected ??= Promise.all([this.#producer.connect(), this.#admin.connect()]);
    try {
      await this.#connected;
    } catch (error) {
      this.#connected = undefined;
      throw brokerError(`cannot reach Kafka at ${this.#address}`, error);
    }
  }
}

const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

function* requests(records: readonly OutgoingRecord[]): Generator<OutgoingRecord[]> {
  let messages: OutgoingRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = sizeOf(record);
    if (messages.length > 0 && bytes + size > MAX_REQUEST_BYTES) {
      yield messages;
      messages = [];
      bytes = 0;
    }
    messages.push(record);
    bytes += size;
  }
  if (messages.length > 0) {
    yield messages;
  }
}

function toMessage({ key, value, headers, partition }: OutgoingRecord): Message {
  return {
    key: buffer(key),
    value: buffer(value),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(partition === undefined ? {} : { partition }),
  };
}

function sizeOf({ key, value, headers }: OutgoingRecord): number {
  let size = RECORD_OVERHEAD_BYTES + byteLength(key) + byteLength(value);
  for (const [name, text] of Object.entries(headers ?? {})) {
    size += byteLength(name) + byteLength(text);
  }
  return size;
}

function byteLength(content: Uint8Array | string | null): number {
  return content === null ? 0 : Buffer.byteLength(content);
}

/** Convert bytes to the client's type without copying. */
function buffer(content: Uint8Array | string | null): Buffer | string | null {
  if (content === null || typeof content === 'string') return content;
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
