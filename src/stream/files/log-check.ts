import type { StartPosition } from '../ports.js';
import { isSameRecord, type RecordMark } from '../read/record-mark.js';

/**
 * Result of comparing a log with the records read from it.
 *
 * - `same`: everything read is still there, as far as is known.
 * - `truncated`: the log lost its end; from offset `found` on it has other records, or none yet.
 * - `recreated`: nothing that was read is there; `found` is the beginning of the log.
 *
 * `kept` is the mark of the last record that was read and is still in the log; undefined if the
 * check did not see that record. Without it the next check could not detect changes between an
 * older mark and `found`.
 */
export type LogVerdict =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'truncated' | 'recreated';
      readonly found: number;
      readonly kept?: RecordMark;
    };

/** Records fetched from an offset on. There may be none, and offsets may have gaps. */
export interface LogView {
  /** Number of fetched records. */
  readonly count: number;
  offset(r: number): number;
  epoch(r: number): number;
  mark(r: number): RecordMark;
  /** Offset after the fetched range. */
  readonly next: number;
  /** Offset after the last record of the log. */
  readonly high: number;
}

/**
 * Compares a log with the marks of records read from it. The caller fetches records at `at` and
 * passes them to `look` until there is a verdict.
 *
 * Marks are compared from the newest to the oldest. If an older mark is the first one that matches,
 * the log was cut after the record of that mark, at the first record that a later leader wrote.
 * This relies on leader epochs: two logs with the same epoch at an offset are the same up to that
 * offset.
 */
export class LogCheck {
  /** Offset to fetch next. */
  at = 0;
  /** The result; undefined while more records are needed. */
  verdict: LogVerdict | undefined;
  readonly #marks: readonly RecordMark[];
  readonly #next: number;
  readonly #low: number;
  #high: number;
  /** Index of the mark to compare. */
  #index = -1;
  /**
   * Whether records are being searched for the first one of a later leader. The search begins at a
   * mark that matches, or at the start of the log.
   */
  #isScanning = false;
  /** Whether a mark matches. */
  #isFound = false;
  /** Leader epoch of the oldest mark that differs from the log, among the marks compared so far. */
  #otherAfter: number | undefined;
  /**
   * Whether a record in the log differs from its mark but has no later leader epoch. Epochs then do
   * not show where the change begins.
   */
  #isUntold = false;
  /** Mark of the last record read that is still in the log, if seen. */
  #kept: RecordMark | undefined;

  /**
   * Prepare the comparison.
   *
   * @param marks marks of the records read, newest first
   * @param next next offset to read
   */
  constructor(
    marks: readonly RecordMark[],
    next: number,
    {
      low,
      high,
    }: {
      readonly low: number;
      readonly high: number;
    },
  ) {
    this.#marks = marks;
    this.#next = next;
    this.#low = low;
    this.#high = high;
    this.#compareOlder();
  }

  /** Compare the records fetched at `at`. */
  look(view: LogView): void {
    this.#high = view.high;
    if (!this.#isScanning && !this.#compare(view)) return;
    this.#scan(view);
  }

  /**
   * Compare the mark that is due with the fetched records.
   *
   * @returns whether to search these records for later leaders
   */
  #compare(view: LogView): boolean {
    const mark = this.#marks[this.#index]!;
    const isThere = view.count > 0 && view.offset(0) === mark.offset;
    if (isThere && isSameRecord(view.mark(0), mark)) {
      this.#isFound = true;
      if (this.#index === 0 && this.#next <= this.#high) {
        this.verdict = { kind: 'same' };
      } else if (this.#isUntold) {
        this.#cutAt(mark.offset + 1);
      } else {
        this.#isScanning = true;
      }
      return this.#isScanning;
    }
    if (isThere) {
      this.#otherAfter = mark.epoch;
      this.#isUntold ||= view.epoch(0) <= mark.epoch;
    }
    this.#compareOlder();
    return false;
  }

  #compareOlder(): void {
    const marks = this.#marks;
    do this.#index++;
    while (this.#index < marks.length && marks[this.#index]!.offset >= this.#high);
    const mark = marks[this.#index];
    if (mark !== undefined && mark.offset >= this.#low) {
      this.at = mark.offset;
    } else {
      this.#giveUp();
    }
  }

  /** Decide without a match: no further mark is left to compare. */
  #giveUp(): void {
    if (this.#otherAfter === undefined && this.#next <= this.#high) {
      this.verdict = { kind: 'same' };
    } else if (this.#otherAfter === undefined || this.#isUntold) {
      this.#cutAt(this.#low);
    } else {
      this.#isScanning = true;
      this.at = this.#low;
    }
  }

  #scan(view: LogView): void {
    const known = this.#otherAfter ?? this.#marks[0]!.epoch;
    for (let r = 0; r < view.count; r++) {
      const isOther = view.epoch(r) > known;
      if (!isOther && view.offset(r) < this.#next) {
        this.#kept = view.mark(r);
        continue;
      }
      this.#cutAt(view.offset(r));
      return;
    }
    if (view.next >= view.high) {
      this.#cutAt(view.high);
    } else {
      this.at = view.next;
    }
  }

  #cutAt(found: number): void {
    if (found >= this.#next) {
      this.verdict = { kind: 'same' };
      return;
    }
    const kind = this.#isFound || found > this.#low ? 'truncated' : 'recreated';
    this.verdict = {
      kind,
      found,
      ...(this.#kept && { kept: this.#kept }),
    };
  }
}

/** Where reading starts in a log with offsets low ≤ o < high. */
interface ResolvedStart {
  readonly next: number;
  /** The requested offset, if the log no longer has it. */
  readonly lostFrom?: number;
  /** Check of a log that was read before; nothing may be delivered before its verdict. */
  readonly check?: LogCheck;
}

/** Determine where reading starts in a log with offsets low ≤ o < high. */
export function resolveStart(
  start: StartPosition,
  range: {
    readonly low: number;
    readonly high: number;
  },
): ResolvedStart {
  if (start === 'earliest') return { next: range.low };
  if (start === 'latest') return { next: range.high };
  const { next, marks } =
    typeof start === 'number'
      ? {
          next: start,
          marks: [],
        }
      : start;
  if (next < range.low) {
    return {
      next: range.low,
      lostFrom: next,
    };
  }
  return {
    next,
    check: new LogCheck(marks, next, range),
  };
}
