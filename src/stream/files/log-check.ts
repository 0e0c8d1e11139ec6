import type { StartPosition } from '../ports.js';
import { isSameRecord, type RecordMark } from '../read/record-mark.js';

/**
 * State of a log compared with what was read of it.
 *
 * - `same`: everything that was read is still there, as far as is known
 * - `truncated`: it lost its end; from `found` on there are other records, or none yet
 * - `recreated`: nothing of what was read is there; `found` is its beginning
 *
 * `kept` is the last record that was read and is still there, where it was seen: without it the next
 * check could not tell what lies between an older mark and `found`.
 */
export type LogVerdict =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'truncated' | 'recreated';
      readonly found: number;
      readonly kept?: RecordMark;
    };

/** What a look into the log from an offset on gave; records may be none, and need not be dense. */
export interface LogView {
  readonly count: number;
  offset(r: number): number;
  epoch(r: number): number;
  mark(r: number): RecordMark;
  /** Offset after what was looked at. */
  readonly next: number;
  /** End of the log. */
  readonly high: number;
}

/**
 * Compare a log with the trail of what was read from it, one record at a time: the reader looks at
 * `at` until there is a verdict.
 *
 * Marks are compared from the newest on. Where an older one is the first to be found again the log
 * was cut above it, at the first record of a later leader: two logs that have the same epoch at an
 * offset are the same up to it.
 */
export class LogCheck {
  /** Offset that is to be looked at next. */
  at = 0;
  verdict: LogVerdict | undefined;
  readonly #marks: readonly RecordMark[];
  readonly #next: number;
  readonly #low: number;
  #high: number;
  /** The mark that is compared. */
  #index = -1;
  /** There is no looking for records of later leaders before a mark is settled on. */
  #isScanning = false;
  #isFound = false;
  /** Of the oldest mark so far at whose offset another record stands. */
  #otherAfter: number | undefined;
  /** Another record of no later leader: epochs do not tell where it begins. */
  #isUntold = false;
  #kept: RecordMark | undefined;

  /** @param next what was to be read next */
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

  look(view: LogView): void {
    this.#high = view.high;
    if (!this.#isScanning && !this.#compare(view)) return;
    this.#scan(view);
  }

  /** @returns whether records of later leaders are to be looked for in what was seen */
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

  /** No mark is found again. */
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

/** Where reading starts in a log that holds offsets low ≤ o < high. */
interface ResolvedStart {
  readonly next: number;
  /** The first that was wanted, where the log has lost it. */
  readonly lostFrom?: number;
  /** Of a log that was read before; until it has a verdict nothing may be delivered. */
  readonly check?: LogCheck;
}

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
