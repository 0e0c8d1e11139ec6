import type { Admin, Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { encodeEvent } from '../../events/encode.js';
import {
  Assembler,
  type AssemblyMark,
  type AssemblyOptions,
  type PartOutcome,
} from '../../stream/intake/assembler.js';
import { type AssembledList, readPart } from '../../stream/intake/part.js';
import { sourceHeaders, sourceOfRecord } from '../../stream/intake/record-sources.js';
import type { ShuffleWatch } from '../../stream/intake/shuffle.js';
import type { LogWriter } from '../../stream/ports.js';
import {
  committedOf,
  type ShuffleConsumerOptions,
  shuffleConsumer,
  whileBeating,
} from './shuffle-consumer.js';

/** Maximum size of a commit's metadata, bytes: below the broker's default limit of 4,096. */
const MAX_BYTES = 4000;
const VERSION = 1;

/**
 * Encode an assembler's mark as metadata of a committed offset. If many sources make the metadata
 * too large, fields that rarely matter are omitted. A process that starts from such a shortened
 * mark may split one list of a user who never pauses, or of an idle source.
 *
 * @example
 * const times = { partitions: { v: 2 }, newest: { 'v/1': 1500 }, emptyAt: {} };
 * const mark = { from: 7, unwritten: 9, next: 12, times, cuts: [] };
 * readMark(writeMark(mark), 7); // { from: 7, unwritten: 9, next: 12, times: { … }, cuts: [] }
 */
export function writeMark({ unwritten, next, times, cuts }: AssemblyMark): string {
  const { partitions } = times;
  const newest = sourcesOf(partitions).map((source) => inBase36(times.newest[source]));
  const emptyAt = sourcesOf(partitions).map((source) => inBase36(times.emptyAt[source]));
  const written = cuts.map(([key, { before, lastOffset }]) => [key, before, lastOffset]);
  const base = [VERSION, unwritten, next];
  const candidates = [
    [...base, partitions, newest.join(), emptyAt.join(), written],
    [...base, partitions, newest.join(), emptyAt.join(), []],
    [...base, {}, '', '', []],
  ];
  const texts = candidates.map((candidate) => JSON.stringify(candidate));
  return texts.find((text) => Buffer.byteLength(text) <= MAX_BYTES) ?? '';
}

/** Decode the metadata of a committed offset; undefined if `writeMark` did not write it. */
export function readMark(text: string, from: number): AssemblyMark | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(found) || found[0] !== VERSION || found.length !== 7) return undefined;
  const [, unwritten, next, partitions, newest, emptyAt, cuts] = found as [
    ...[number, number, number, Record<string, number>, string, string],
    [string, number, number][],
  ];
  const times = {
    partitions,
    newest: fromBase36(partitions, newest),
    emptyAt: fromBase36(partitions, emptyAt),
  };
  return {
    from,
    unwritten,
    next,
    times,
    cuts: cuts.map(([key, before, lastOffset]) => [key, { before, lastOffset }]),
  };
}

function sourcesOf(partitions: Readonly<Record<string, number>>): string[] {
  return Object.entries(partitions).flatMap(([topic, count]) =>
    Array.from({ length: count }, (_, partition) => `${topic}/${partition}`),
  );
}

function inBase36(ms: number | undefined): string {
  return ms === undefined ? '' : Math.floor(ms).toString(36);
}

function fromBase36(
  partitions: Readonly<Record<string, number>>,
  text: string,
): Record<string, number> {
  const values = text.split(',');
  const pairs = sourcesOf(partitions).map((source, n) => [source, values[n] ?? ''] as const);
  const known = pairs.filter(([, value]) => value !== '');
  return Object.fromEntries(known.map(([source, value]) => [source, Number.parseInt(value, 36)]));
}

/** Least interval between commits of a partition, ms. Commits only avoid reading records again. */
const COMMIT_EVERY_MS = 500;
/**
 * Names under which outcomes are counted, if they differ. A pending part counts as written, since
 * it will be written later.
 */
const COUNTED: Readonly<Partial<Record<PartOutcome, string>>> = { held: 'written' };

export interface KafkaAssemblyOptions extends ShuffleConsumerOptions {
  readonly groupId: string;
  /** Topic of the parts of lists. The key of each record is the user. */
  readonly topic: string;
  /** Topic of the assembled lists. */
  readonly exposures: string;
  readonly assembly: AssemblyOptions;
}

interface Held {
  readonly assembler: Assembler;
  committedAt: number;
}

/**
 * Assembles lists from the parts in one topic, and writes the whole lists to another topic. The
 * committed offset is the one from which another process must read to write all lists that are not
 * yet written.
 */
export class KafkaAssembly {
  readonly #consumer: Consumer;
  readonly #writer: LogWriter;
  readonly #watch: ShuffleWatch;
  readonly #signal: AbortSignal;
  /** State by partition since joining the group. */
  #held = new Map<number, Held>();
  #isJoined = false;
  #error: Error | undefined;

  /** `stop` closes neither the writer nor the admin client. */
  constructor(
    kafka: Kafka,
    private readonly admin: Admin,
    private readonly options: KafkaAssemblyOptions,
    ports: {
      readonly writer: LogWriter;
      readonly watch: ShuffleWatch;
      /** Aborted to stop. */
      readonly signal: AbortSignal;
    },
  ) {
    this.#signal = ports.signal;
    this.#writer = ports.writer;
    this.#watch = ports.watch;
    this.#consumer = shuffleConsumer(kafka, options.groupId, options);
  }

  get topic(): string {
    return this.options.topic;
  }

  get isReady(): boolean {
    return this.#isJoined && this.#error === undefined;
  }

  get error(): Error | undefined {
    return this.#error;
  }

  /** Start to read the topic of parts; resolves when the consumer runs. */
  async start(): Promise<void> {
    const { GROUP_JOIN, CRASH } = this.#consumer.events;
    this.#consumer.on(GROUP_JOIN, () => {
      this.#held = new Map();
      this.#isJoined = true;
      this.#error = undefined;
    });
    this.#consumer.on(CRASH, ({ payload }) => {
      this.#error = payload.error;
      this.#isJoined = false;
    });
    await this.#consumer.connect();
    await this.#consumer.subscribe({
      topics: [this.options.topic],
      fromBeginning: true,
    });
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 4,
      eachBatch: (payload) => this.#assemble(payload),
    });
  }

  async stop(): Promise<void> {
    await this.#consumer.disconnect().catch(() => {});
  }

  /**
   * Progress of assembly in the partitions of this process, ms. The keys are sources, as
   * `topic/partition` of the parts. `newest` is the event time that the lists of a source have
   * reached. `emptyAt` is the wall-clock time since which a source has no pending list.
   */
  progress(): {
    readonly newest: Record<string, number>;
    readonly emptyAt: Record<string, number>;
  } {
    const newest: Record<string, number> = {};
    const emptyAt: Record<string, number> = {};
    for (const [partition, { assembler }] of this.#held) {
      const source = `${this.options.topic}/${partition}`;
      if (Number.isFinite(assembler.newest)) {
        newest[source] = assembler.newest;
      }
      const since = assembler.emptySince;
      if (since !== undefined) {
        emptyAt[source] = since;
      }
    }
    return { newest, emptyAt };
  }

  async #assemble({ batch, heartbeat, resolveOffset, isStale, isRunning }: EachBatchPayload) {
    const { topic, partition, messages } = batch;
    if (isStale() || !isRunning()) return;
    const held = await this.#heldOf(partition);
    const { assembler } = held;
    const outcomes = new Map<string, number>();
    for (const message of messages) {
      const outcome = readInto(assembler, message);
      if (outcome === undefined) continue;
      const name = COUNTED[outcome] ?? outcome;
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
    }
    const lists = assembler.complete();
    if (lists.length > 0) {
      const writing = this.#write(`${topic}/${partition}`, assembler.newest, lists);
      if (!(await whileBeating(heartbeat, writing, this.#signal))) return;
    }
    assembler.written();
    await heartbeat();
    this.#watch.records(topic, outcomes);
    const lag = Math.max(0, Number(batch.highWatermark) - assembler.next);
    this.#watch.stands(topic, partition, lag, assembler.newest);
    resolveOffset(batch.lastOffset());
    if (this.#held.get(partition) === held) {
      await this.#commit(partition, held);
    }
  }

  #write(source: string, newest: number, lists: readonly AssembledList[]): Promise<void> {
    // Without known progress, use the earliest of these lists.
    const known = Number.isFinite(newest)
      ? newest
      : Math.min(...lists.map(({ event }) => Number(event.ts)));
    const headers = sourceHeaders({
      source,
      newest: known,
    });
    const records = lists.map(({ event }) => ({
      key: event.user,
      value: encodeEvent(event),
      headers,
    }));
    return this.#writer.send(this.options.exposures, records);
  }

  async #commit(partition: number, held: Held): Promise<void> {
    const now = Date.now();
    if (now - held.committedAt < COMMIT_EVERY_MS) return;
    const mark = held.assembler.mark();
    const metadata = writeMark(mark);
    const place = {
      topic: this.options.topic,
      partition,
    };
    await this.#consumer.commitOffsets([
      {
        ...place,
        offset: `${mark.from}`,
        metadata,
      },
    ]);
    held.committedAt = now;
  }

  async #heldOf(partition: number): Promise<Held> {
    const all = this.#held;
    const found = all.get(partition);
    if (found !== undefined) return found;
    const { groupId, topic, assembly } = this.options;
    const committed = (await committedOf(this.admin, groupId, topic)).get(partition);
    const isAny = committed !== undefined && committed.offset >= 0;
    const mark = isAny ? readMark(committed.metadata, committed.offset) : undefined;
    const held = {
      assembler: new Assembler(assembly, mark),
      committedAt: Date.now(),
    };
    all.set(partition, held);
    return held;
  }
}

/** Pass a record to the assembler; undefined if it is not a part, or was already read. */
function readInto(
  assembler: Assembler,
  { offset: text, headers, value }: KafkaMessage,
): PartOutcome | undefined {
  const offset = Number(text);
  if (offset < assembler.next) return undefined;
  const said = sourceOfRecord(headers, value);
  if (said !== undefined && !('source' in said)) {
    assembler.progressed(offset, said);
    return undefined;
  }
  const part = said === undefined || value === null ? undefined : readPart(value);
  if (said !== undefined && part !== undefined) return assembler.part(offset, part, said);
  assembler.pass(offset);
  return undefined;
}
