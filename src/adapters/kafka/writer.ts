import { type Message, Partitioners, type Producer } from 'kafkajs';
import type { LogWriter, OutgoingRecord } from '../../stream/ports.js';
import { brokerError } from './broker-error.js';
import { type KafkaConnectionOptions, kafkaClient } from './options.js';

/** Below the broker's usual limit of 1 MB for one request's records. */
const MAX_REQUEST_BYTES = 800_000;
/** Roughly what a record needs beside its key, value and headers. */
const RECORD_OVERHEAD_BYTES = 40;

/**
 * Writes records in batches, each acknowledged by all replicas. Records with a key go to the
 * partition that Kafka's Java clients choose for it; calls are written in their order.
 */
export class KafkaWriter implements LogWriter {
  readonly #producer: Producer;
  readonly #address: string;
  #connected: Promise<void> | undefined;
  /** Calls are carried out one after the other: side by side they could overtake each other. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: KafkaConnectionOptions) {
    this.#producer = kafkaClient(options).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    this.#address = options.brokers.join(', ');
  }

  /** @throws UnskewError BROKER; the records before the failing request are written. */
  send(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    const sent = this.#last.then(() => this.#send(topic, records));
    this.#last = sent.catch(() => {});
    return sent;
  }

  async #send(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    await this.#connect();
    for (const messages of requests(records)) {
      try {
        await this.#producer.send({ topic, messages });
      } catch (error) {
        throw brokerError(`cannot write to the Kafka topic ${topic}`, error);
      }
    }
  }

  async close(): Promise<void> {
    await this.#last;
    if (this.#connected === undefined) return;
    await this.#producer.disconnect();
    this.#connected = undefined;
  }

  async #connect(): Promise<void> {
    this.#connected ??= this.#producer.connect();
    try {
      await this.#connected;
    } catch (error) {
      this.#connected = undefined;
      throw brokerError(`cannot reach Kafka at ${this.#address}`, error);
    }
  }
}

function* requests(records: readonly OutgoingRecord[]): Generator<Message[]> {
  let messages: Message[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = sizeOf(record);
    if (messages.length > 0 && bytes + size > MAX_REQUEST_BYTES) {
      yield messages;
      messages = [];
      bytes = 0;
    }
    messages.push(toMessage(record));
    bytes += size;
  }
  if (messages.length > 0) yield messages;
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

/** The same bytes as the client's type, not a copy. */
function buffer(content: Uint8Array | string | null): Buffer | string | null {
  if (content === null || typeof content === 'string') return content;
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
