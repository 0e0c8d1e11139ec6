import { setImmediate } from 'node:timers/promises';
import type { Batch, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { LogCheck, type LogView } from '../../stream/files/log-check.js';
import { sourceOfRecord } from '../../stream/intake/record-sources.js';
import type { SourceMark, SourceProgress } from '../../stream/panes/source-times.js';
import type { RecordBatch, RefusedRecords, SourceHandlers, TopicRole } from '../../stream/ports.js';
import { byHandler, type Position, settle } from './position.js';
import { epochOf, frameHeader, markOfMessage, viewOf } from './record-mark.js';
import { recordTime } from './record-time.js';
import { logRanges, withAdmin } from './topics.js';
import { refusedBy } from './unpacking/refused-batch.js';

/** Controls of the Kafka client's consumer. */
export interface Steering {
  seek(position: Position, offset: number): void;
  /** Stop fetching this position until `resume`. */
  pause(position: Position): void;
  resume(position: Position): void;
  /**
   * Let `work` continue while the client fetches other partitions. An error of `work` stops
   * reading.
   */
  aside(work: Promise<void>): void;
}

/**
 * Most bytes of records kept in memory until busy handlers take them. Records beyond this limit are
 * not kept, but fetched again later.
 */
const MOST_HELD_BYTES = 1 << 26;

/**
 * Checks, in case of doubt, whether a partition's log is still the one that was read, by fetching
 * some of its records again.
 */
class PositionChecks {
  constructor(
    private readonly kafka: Kafka,
    private readonly handlers: SourceHandlers,
    private readonly seek: Steering['seek'],
  ) {}

  /**
   * Whether the log may have changed before this batch. There are three reasons. A change is
   * already suspected. The batch begins before the position, where the client restarts if the log
   * ends earlier. Or the leader epoch differs, so that records that only the former leader had may
   * be lost.
   */
  isInDoubt(position: Position, { messages: [first] }: Batch): boolean {
    const { check, next, epoch, isDoubtful } = position;
    if (check !== undefined || first === undefined) return false;
    if (isDoubtful || Number(first.offset) < next) return true;
    return epoch !== undefined && epochOf(first) !== epoch;
  }

  async begin(position: Position, { messages: [first] }: Batch): Promise<void> {
    const { topic, partition, next, trail } = position;
    position.isDoubtful = false;
    const ranges = await withAdmin(this.kafka, (admin) => logRanges(admin, topic));
    const range = ranges.get(partition);
    if (range === undefined) throw new Error(`${topic} has no partition ${partition}`);
    if (first !== undefined) {
      position.epoch = epochOf(first);
    }
    position.high = range.high;
    position.check = new LogCheck(trail.marks, next, range);
  }

  /**
   * Compare fetched records with those read before.
   *
   * @returns true if the log is unchanged; false if it has changed, or more must be fetched first
   */
  async look(position: Position, view: LogView): Promise<boolean> {
    position.check?.look(view);
    return this.proceed(position);
  }

  async proceed(position: Position): Promise<boolean> {
    const { check } = position;
    if (check !== undefined && check.verdict === undefined) {
      this.seek(position, check.at);
      return false;
    }
    const isSame = check === undefined || check.verdict?.kind === 'same';
    await settle(position, this.handlers);
    this.seek(position, position.next);
    return isSame;
  }
}

type MarkedBatch = RecordBatch & Required<Pick<RecordBatch, 'mark'>>;

/**
 * The records from offset `next` on, as columns; undefined if there are none. Values are the
 * client's buffers, not copies.
 */
export function toRecordBatch(
  role: TopicRole,
  partition: number,
  messages: readonly KafkaMessage[],
  next: number,
  highWatermark: number,
): MarkedBatch | undefined {
  let from = 0;
  while (from < messages.length && Number(messages[from]?.offset) < next) {
    from++;
  }
  const count = messages.length - from;
  if (count === 0) return undefined;
  const offsets = new Float64Array(count);
  const recordTs = new Float64Array(count);
  const values = new Array<Uint8Array | null>(count);
  const first = Number(messages[from]?.offset);
  // Offsets are texts. Without gaps, the first and last offset give all of them, without parsing.
  const isDense = Number(messages.at(-1)?.offset) - first === count - 1;
  let refused: Map<number, RefusedRecords> | undefined;
  let frames: Map<number, Uint8Array> | undefined;
  let sources: (SourceMark | SourceProgress | undefined)[] | undefined;
  for (let r = 0; r < count; r++) {
    const message = messages[from + r] as KafkaMessage;
    offsets[r] = isDense ? first + r : Number(message.offset);
    recordTs[r] = recordTime(message.timestamp);
    const source = sourceOfRecord(message.headers, message.value);
    if (source !== undefined) {
      sources ??= new Array<SourceMark | SourceProgress | undefined>(count);
      sources[r] = source;
    }
    const standsFor = refusedBy(message);
    const frame = frameHeader(message.headers);
    if (frame !== undefined) {
      frames ??= new Map();
      frames.set(r, frame);
    }
    values[r] = standsFor === undefined ? message.value : NO_BYTES;
    if (standsFor !== undefined) {
      // If part of the rejected batch was read before, only the rest counts.
      const records = Math.min(
        standsFor.records,
        offsets[r] - (r > 0 ? offsets[r - 1] + 1 : next) + 1,
      );
      refused ??= new Map();
      refused.set(r, {
        ...standsFor,
        records,
      });
    }
  }
  const mark = (r: number) => markOfMessage(messages[from + r]!);
  const batch = {
    role,
    partition,
    offsets,
    values,
    recordTs,
    highWatermark,
    mark,
  };
  return {
    ...batch,
    ...(frames && { frames }),
    ...(refused && { refused }),
    ...(sources && { sources }),
  };
}

const NO_BYTES = new Uint8Array(0);

/** A stretch of the log without records, as the client reports it. */
export interface PassedMarks {
  readonly topic: string;
  readonly partition: number;
  readonly firstOffset: string | null;
  readonly lastOffset: string;
  readonly highWatermark: string;
}

/**
 * Passes the client's batches to the handlers and tracks the position in each partition: no record
 * is delivered twice, and gaps are reported.
 */
export class PartitionReader {
  readonly #handlers: SourceHandlers;
  readonly #checks: PositionChecks;
  readonly #positions = new Map<string, Position>();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Records kept for busy handlers: their size, and a promise of their delivery. */
  readonly #held = new Map<
    Position,
    {
      readonly bytes: number;
      readonly done: Promise<void>;
    }
  >();

  constructor(
    private readonly kafka: Kafka,
    handlers: SourceHandlers,
    private readonly heartbeatMs: number,
    private readonly steering: Steering,
  ) {
    this.#handlers = handlers;
    this.#checks = new PositionChecks(kafka, handlers, steering.seek);
  }

  /** Position of each assigned partition; empty while the positions are being determined. */
  get positions(): readonly Position[] {
    return [...this.#positions.values()];
  }

  /** Whether a handler is running. */
  get isBusy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Whether any partition is being fetched. */
  get isFetching(): boolean {
    return this.#held.size < this.#positions.size;
  }

  /** Stop delivery until `take`; running handlers continue. */
  pause(): void {
    this.#positions.clear();
  }

  /** Make the next batch of each partition check its log for changes before delivery. */
  doubt(): void {
    for (const position of this.#positions.values()) {
      position.isDoubtful = true;
    }
  }

  /** Resolves when no handler is running. */
  async drained(): Promise<void> {
    await Promise.allSettled([...this.#inFlight, ...[...this.#held.values()].map((h) => h.done)]);
  }

  async take(positions: readonly Position[]): Promise<void> {
    for (const position of positions) {
      this.#positions.set(keyOf(position), position);
    }
    for (const position of positions) {
      await this.#tellWhetherCaughtUp(position);
    }
  }

  async read(payload: EachBatchPayload): Promise<void> {
    const { batch, isRunning, isStale, resolveOffset, heartbeat } = payload;
    const position = this.#positions.get(keyOf(batch));
    if (position === undefined || !isRunning() || isStale()) return;
    position.high = Number(batch.highWatermark);
    // A failing heartbeat means a rebalance or a broken connection: the client meets it again
    // right after the batch and acts on it there.
    const beating = setInterval(() => void heartbeat().catch(() => {}), this.heartbeatMs);
    const handled = this.#handle(position, batch);
    this.#inFlight.add(handled);
    let outcome: boolean | MarkedBatch;
    try {
      outcome = await handled;
    } finally {
      this.#inFlight.delete(handled);
      clearInterval(beating);
    }
    // Under a newer assignment, this batch must not move the position.
    if (!this.#isCurrent(position)) return;
    if (outcome === true) {
      position.next = Math.max(position.next, Number(batch.lastOffset()) + 1);
      resolveOffset(batch.messages.at(-1)?.offset ?? batch.lastOffset());
    } else if (outcome !== false) {
      this.#hold(position, batch, outcome);
    }
    await this.#tellWhetherCaughtUp(position);
  }

  /** Keep records until the handlers take them, which is cheaper than fetching them again. */
  #hold(position: Position, batch: Batch, records: MarkedBatch): void {
    const bytes = records.values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    const others = [...this.#held.values()].reduce((sum, held) => sum + held.bytes, 0);
    if (others + bytes > MOST_HELD_BYTES) return;
    this.steering.pause(position);
    const done = this.#offer(position, batch, records);
    this.#held.set(position, { bytes, done });
    this.steering.aside(done);
  }

  async #offer(position: Position, batch: Batch, records: MarkedBatch): Promise<void> {
    try {
      // Handlers wait until they have room. What makes room needs a turn of the event loop.
      do await setImmediate();
      while (
        this.#isCurrent(position) &&
        !position.isDoubtful &&
        !(await this.#isTaken(position, batch, records))
      );
    } finally {
      this.#held.delete(position);
    }
    if (!this.#isCurrent(position)) return;
    this.steering.seek(position, position.next);
    this.steering.resume(position);
    await this.#tellWhetherCaughtUp(position);
  }

  /** Advance the position over transaction markers. */
  async passMarks(marks: PassedMarks): Promise<void> {
    const position = this.#positions.get(keyOf(marks));
    if (position === undefined) return;
    const next = Number(marks.lastOffset) + 1;
    const high = Number(marks.highWatermark);
    if (position.check !== undefined) {
      await this.#checks.look(position, viewOf([], next, high));
    } else if (Number(marks.firstOffset) > position.next) {
      return;
    } else {
      position.next = Math.max(position.next, next);
    }
    position.high = high;
    await this.#tellWhetherCaughtUp(position);
  }

  /**
   * Check the log if it is in doubt; otherwise deliver a batch.
   *
   * @returns true if the handlers took the batch; false if the batch is to be fetched again; the
   * records of the batch if the handlers cannot take them yet
   */
  async #handle(position: Position, batch: Batch): Promise<boolean | MarkedBatch> {
    if (this.#checks.isInDoubt(position, batch)) {
      await this.#checks.begin(position, batch);
      if (this.#isCurrent(position)) {
        await this.#checks.proceed(position);
      }
      return false;
    }
    if (position.check !== undefined) {
      const view = viewOf(batch.messages, Number(batch.lastOffset()) + 1, position.high);
      if (!(await this.#checks.look(position, view))) return false;
    }
    return this.#deliver(position, batch);
  }

  async #deliver(position: Position, batch: Batch): Promise<boolean | MarkedBatch> {
    const { role, partition, next, high } = position;
    if (Number(batch.firstOffset()) > next) {
      await this.#reportGap(position);
    }
    const records = toRecordBatch(role, partition, batch.messages, next, high);
    return records === undefined || (await this.#isTaken(position, batch, records)) || records;
  }

  async #isTaken(position: Position, batch: Batch, records: MarkedBatch): Promise<boolean> {
    const outcome = await byHandler<unknown>(() => this.#handlers.batch(records));
    if (outcome === 'again') return false;
    position.trail.add(records.mark(records.values.length - 1));
    position.epoch = epochOf(batch.messages.at(-1)!);
    position.next = Math.max(position.next, Number(batch.lastOffset()) + 1);
    return true;
  }

  #isCurrent(position: Position): boolean {
    return this.#positions.get(keyOf(position)) === position;
  }

  /** Report records that were deleted before they were read. Gaps by compaction do not count. */
  async #reportGap({ role, topic, partition, next }: Position): Promise<void> {
    const ranges = await withAdmin(this.kafka, (admin) => logRanges(admin, topic));
    const low = ranges.get(partition)?.low ?? next;
    if (low > next) {
      await byHandler(() => this.#handlers.gap?.(role, partition, next, low));
    }
  }

  async #tellWhetherCaughtUp({ role, partition, next, high, check }: Position): Promise<void> {
    if (check === undefined && next >= high) {
      await byHandler(() => this.#handlers.caughtUp?.(role, partition));
    }
  }
}

function keyOf({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}
