import { randomBytes } from 'node:crypto';
import type { Kafka, Producer } from 'kafkajs';
import { Partitioners } from 'kafkajs';
import { UnskewError } from '../../../errors.js';
import type { RoundLog, RoundRecord, RoundsFound, RoundsGone } from '../../../stream/ports.js';
import { brokerError } from '../broker-error.js';
import { type KafkaConnectionOptions, kafkaClient } from '../options.js';
import { logRanges } from '../topics.js';
import { withAdmin } from '../with-admin.js';
import { isKind, PartitionFetch } from './partition-fetch.js';
import { markOf, PartAssembly, partsOf } from './parts.js';
import { ensureRoundTopic } from './round-topic.js';

/** Below the broker's usual limit of 1 MB; smaller where the broker's is. */
const PART_BYTES = 800_000;
const LEAST_PART_BYTES = 8_000;
const DAY_MS = 86_400_000;
/** A fetch is answered within this time, so that a change of the log is noticed. */
const LONGEST_FETCH_MS = 1_000;

export interface KafkaRoundLogOptions extends KafkaConnectionOptions {
  readonly topic: string;
  /** How long the broker keeps records of a topic that is created here (a day). */
  readonly retentionMs?: number;
  readonly partBytes?: number;
}

/** Where a reader stands: `offset` is read; from `from` on lie the parts that it keeps. */
interface Place {
  readonly offset: number;
  readonly from: number;
  /** What was read at `offset`; empty where that is not known. */
  readonly mark: string;
}

/** A reader between two calls: it goes on where it stood. */
interface Session {
  readonly assembly: PartAssembly;
  readonly position: string | null;
  readonly place: Place;
  readonly epoch: number;
}

const BEGINNING: Place = { offset: -1, from: 0, mark: '' };

/**
 * The rounds in one topic of one partition. Each is acknowledged by all replicas. What is larger
 * than a record may be goes in parts, and stands where its last part does. A position remembers what
 * was read there: a topic that was created again, or lost its end, is noticed by what lies there now.
 */
export class KafkaRoundLog implements RoundLog {
  readonly #kafka: Kafka;
  readonly #producer: Producer;
  readonly #fetch: PartitionFetch;
  readonly #topic: string;
  readonly #retentionMs: number;
  readonly #closed = new AbortController();
  #partBytes: number;
  #ready: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #session: Session | undefined;

  constructor(options: KafkaRoundLogOptions) {
    this.#kafka = kafkaClient(options);
    this.#producer = this.#kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    this.#topic = options.topic;
    this.#fetch = new PartitionFetch(options, options.topic);
    this.#retentionMs = options.retentionMs ?? DAY_MS;
    this.#partBytes = options.partBytes ?? PART_BYTES;
  }

  append(bytes: Uint8Array): Promise<void> {
    const sent = this.#last.then(() => this.#append(bytes));
    this.#last = sent.catch(() => {});
    return sent;
  }

  async read(after: string | null, waitMs: number): Promise<RoundsFound | RoundsGone> {
    const deadline = Date.now() + waitMs;
    try {
      await this.#connect();
      for (;;) {
        const leftMs = Math.max(0, deadline - Date.now());
        const found = await this.#untilClosed(
          this.#read(after, Math.min(leftMs, LONGEST_FETCH_MS)),
        );
        if (found === undefined) return { kind: 'found', records: [] };
        if (found.kind === 'gone' || found.records.length > 0 || leftMs <= 0) return found;
      }
    } catch (error) {
      if (this.#closed.signal.aborted) return { kind: 'found', records: [] };
      this.#session = undefined;
      if (!isKind(error, 'UNKNOWN_TOPIC_OR_PARTITION')) throw this.#failure('read', error);
      // Somebody has deleted the topic. What is written from now on is another log.
      this.#ready = undefined;
      return { kind: 'gone', why: 'lost', from: positionOf(BEGINNING) };
    }
  }

  async trim(through: string): Promise<void> {
    const { from } = placeOf(through);
    try {
      await this.#connect();
      await withAdmin(this.#kafka, async (admin) => {
        const range = (await logRanges(admin, this.#topic)).get(0);
        if (range === undefined || from <= range.low || from > range.high) return;
        if (!(await this.#isAt(through))) return;
        const partitions = [{ partition: 0, offset: `${from}` }];
        await admin.deleteTopicRecords({ topic: this.#topic, partitions });
      });
    } catch (error) {
      throw this.#failure('trim', error);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#last;
    await this.#fetch.close();
    await this.#producer.disconnect();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    try {
      await this.#connect();
      await this.#send(bytes);
    } catch (error) {
      if (isKind(error, 'UNKNOWN_TOPIC_OR_PARTITION')) this.#ready = undefined;
      throw this.#failure('write to', error);
    }
  }

  async #send(bytes: Uint8Array): Promise<void> {
    for (;;) {
      try {
        // One request a part: together they may be more than one request may be.
        for (const value of partsOf(randomBytes(8), bytes, this.#partBytes)) {
          const messages = [{ value, partition: 0 }];
          await this.#producer.send({ topic: this.#topic, acks: -1, messages });
        }
        return;
      } catch (error) {
        const isTooLarge = isKind(error, 'MESSAGE_TOO_LARGE');
        if (!isTooLarge || this.#partBytes <= LEAST_PART_BYTES) throw error;
        this.#partBytes = Math.max(LEAST_PART_BYTES, Math.floor(this.#partBytes / 2));
      }
    }
  }

  async #read(after: string | null, waitMs: number): Promise<RoundsFound | RoundsGone> {
    const session = await this.#sessionAt(after);
    if ('kind' in session) return session;
    const { assembly, epoch } = session;
    let { place } = session;
    const fetched = await this.#fetch.fetch(place.offset + 1, waitMs);
    if (fetched === undefined) return this.#gone(place);
    const { messages } = fetched;
    const [first] = messages;
    if (first === undefined) return { kind: 'found', records: [] };
    // Another leader may lack what the one before had: what lies at the place is looked at again.
    if (epoch >= 0 && fetched.epoch !== epoch) {
      this.#session = undefined;
      return { kind: 'found', records: [] };
    }
    const records: RoundRecord[] = [];
    for (const { offset, value } of messages) {
      const at = Number(offset);
      const bytes = value === null ? new Uint8Array(0) : assembly.take(at, value);
      place = { offset: at, from: assembly.oldest ?? at + 1, mark: markOf(value) };
      if (bytes !== undefined) records.push({ position: positionOf(place), bytes });
    }
    const position = records.at(-1)?.position ?? session.position;
    this.#session = { assembly, position, place, epoch: fetched.epoch };
    return { kind: 'found', records };
  }

  /** Where the last call stopped, or what lies at the position and before it, looked at again. */
  async #sessionAt(after: string | null): Promise<Session | RoundsGone> {
    if (this.#session !== undefined && this.#session.position === after) return this.#session;
    const place = after === null ? BEGINNING : placeOf(after);
    const assembly = new PartAssembly();
    const { low, high } = await this.#range();
    if (place.offset >= high) return this.#gone(place);
    if (low > Math.min(place.from, place.offset + 1)) return this.#gone(place);
    for (let at = Math.min(place.from, place.offset); at >= 0 && at <= place.offset; ) {
      // What lies at the position itself may have been trimmed with all before it.
      if (at < low) break;
      const fetched = await this.#fetch.fetch(at, LONGEST_FETCH_MS);
      if (fetched === undefined || fetched.messages.length === 0) return this.#gone(place);
      for (const { offset, value } of fetched.messages) {
        at = Number(offset);
        if (at > place.offset) break;
        if (value !== null && at >= place.from) assembly.take(at, value);
        const isAnother = at === place.offset && place.mark !== '' && markOf(value) !== place.mark;
        if (isAnother) return this.#gone(place, 'lost');
        at++;
      }
    }
    this.#session = { assembly, position: after, place, epoch: -1 };
    return this.#session;
  }

  async #isAt(position: string): Promise<boolean> {
    const { offset, mark } = placeOf(position);
    const fetch = new PartitionFetch(this.#fetch.options, this.#topic);
    try {
      const found = await fetch.fetch(offset, 0);
      const first = found?.messages.find((message) => Number(message.offset) === offset);
      return mark === '' || (first !== undefined && markOf(first.value) === mark);
    } finally {
      await fetch.close();
    }
  }

  async #gone(place: Place, why?: RoundsGone['why']): Promise<RoundsGone> {
    this.#session = undefined;
    const { low, high } = await this.#range();
    const isBehind = low > Math.min(place.from, place.offset + 1) && place.offset < high;
    const from = positionOf({ offset: low - 1, from: low, mark: '' });
    return { kind: 'gone', why: why ?? (isBehind ? 'trimmed' : 'lost'), from };
  }

  async #range(): Promise<{ readonly low: number; readonly high: number }> {
    const ranges = await withAdmin(this.#kafka, (admin) => logRanges(admin, this.#topic));
    return ranges.get(0) ?? { low: 0, high: 0 };
  }

  /** What the promise gives, or undefined where the log is closed before. */
  async #untilClosed<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this.#closed;
    let end = () => {};
    const closed = new Promise<undefined>((resolve) => {
      end = () => resolve(undefined);
      if (signal.aborted) end();
      signal.addEventListener('abort', end);
    });
    try {
      // What fails after that has nobody waiting for it.
      work.catch(() => {});
      return await Promise.race([work, closed]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #connect(): Promise<void> {
    this.#ready ??= this.#begin().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #begin(): Promise<void> {
    await withAdmin(this.#kafka, (admin) =>
      ensureRoundTopic(admin, this.#topic, this.#retentionMs),
    );
    await this.#producer.connect();
  }

  #failure(verb: string, error: unknown): UnskewError {
    return brokerError(`cannot ${verb} the Kafka topic ${this.#topic}`, error);
  }
}

function positionOf({ offset, from, mark }: Place): string {
  return `${offset}:${from}:${mark}`;
}

function placeOf(position: string): Place {
  const [, offset, from, mark] = /^(-?\d+):(\d+):(.*)$/.exec(position) ?? [];
  if (mark === undefined) {
    throw new UnskewError('STATE', `"${position}" is no position in a log of rounds in Kafka`);
  }
  return { offset: Number(offset), from: Number(from), mark };
}
