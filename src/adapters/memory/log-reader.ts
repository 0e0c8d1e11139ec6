import { LogCheck, resolveStart } from '../../stream/files/log-check.js';
import type { RecordBatch, SourceHandlers, StartPosition, TopicRole } from '../../stream/ports.js';
import {
  isSameRecord,
  markOf,
  type RecordMark,
  RecordTrail,
} from '../../stream/read/record-mark.js';
import type { PartitionLog, StoredRecords } from './partition-log.js';

/** Number of records to compare when checking whether a log was changed. */
const LOOK = 256;

/** Reads one log in order, and detects if it was replaced or truncated. */
export class LogReader {
  /** Next offset to read. */
  next: number;
  readonly #trail: RecordTrail;

  constructor(
    private readonly log: PartitionLog,
    private readonly role: TopicRole,
    private readonly partition: number,
    start: StartPosition,
    private readonly handlers: SourceHandlers,
  ) {
    this.#trail = new RecordTrail(typeof start === 'object' ? start.marks : []);
    const { next, lostFrom, check } = resolveStart(start, log);
    this.next = next;
    if (lostFrom !== undefined) {
      this.#gap(lostFrom);
    }
    if (check !== undefined) {
      this.#settle(check);
    }
  }

  /** Read up to `count` records, to be confirmed with `done`; undefined if there are none. */
  read(count: number): RecordBatch | undefined {
    const log = this.log;
    if (!this.#isSameLog()) {
      this.#settle(new LogCheck(this.#trail.marks, this.next, log));
    }
    if (this.next < log.low) {
      this.#gap(this.next);
      this.next = log.low;
    }
    const first = this.next;
    const records = log.read(first, count);
    if (records.values.length === 0) return undefined;
    return {
      role: this.role,
      partition: this.partition,
      ...records,
      offsets: Float64Array.from(records.values, (_, r) => first + r),
      highWatermark: log.high,
      mark: (r) => markIn(records, first, r),
    };
  }

  done({ offsets, mark }: RecordBatch): void {
    const last = offsets.length - 1;
    this.next = offsets[last]! + 1;
    if (mark !== undefined) {
      this.#trail.add(mark(last));
    }
  }

  #isSameLog(): boolean {
    const [newest] = this.#trail.marks;
    if (this.next > this.log.high) return false;
    return newest === undefined || newest.offset < this.log.low || this.#holds(newest);
  }

  #holds(mark: RecordMark): boolean {
    const records = this.log.read(mark.offset, 1);
    return records.values.length > 0 && isSameRecord(markIn(records, mark.offset, 0), mark);
  }

  #settle(check: LogCheck): void {
    const log = this.log;
    while (check.verdict === undefined) {
      const from = check.at;
      const records = log.read(from, LOOK);
      const count = records.values.length;
      check.look({
        count,
        offset: (r) => from + r,
        epoch: (r) => records.epochs[r]!,
        mark: (r) => markIn(records, from, r),
        next: from + count,
        high: log.high,
      });
    }
    if (check.verdict.kind === 'same') return;
    const { found } = check.verdict;
    this.handlers.changed?.(this.role, this.partition, {
      ...check.verdict,
      expected: this.next,
    });
    this.next = found;
    this.#trail.cut(found, check.verdict.kept);
  }

  #gap(lostFrom: number): void {
    this.handlers.gap?.(this.role, this.partition, lostFrom, this.log.low);
  }
}

function markIn({ values, recordTs, epochs }: StoredRecords, first: number, r: number): RecordMark {
  const [value = null, ts = 0, epoch = -1] = [values[r], recordTs[r], epochs[r]];
  return markOf({
    offset: first + r,
    ts,
    epoch,
    key: null,
    value,
  });
}
