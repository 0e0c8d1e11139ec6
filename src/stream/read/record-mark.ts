import { xxHash32 } from '../../state/binary/xxhash32.js';

/**
 * Marks of records read from one log: the newest, the first, and others in between, sparser with
 * age. Wherever a log is cut, a mark is not far below.
 */
export class RecordTrail {
  #marks: readonly RecordMark[];

  /** @param marks newest first */
  constructor(marks: readonly RecordMark[] = []) {
    this.#marks = marks;
  }

  /** Newest first. The array itself does not change. */
  get marks(): readonly RecordMark[] {
    return this.#marks;
  }

  /** Add a mark newer than all others. */
  add(mark: RecordMark): void {
    this.#marks = thinned([mark, ...this.#marks]);
  }

  /** Remove the marks at an offset and after it. @param kept the last record before it, if known. */
  cut(offset: number, kept?: RecordMark): void {
    this.#marks = this.#marks.filter((mark) => mark.offset < offset);
    if (kept !== undefined && kept.offset > (this.#marks[0]?.offset ?? -1)) {
      this.add(kept);
    }
  }
}

/** Thin out marks: of two neighbours the older is at most about twice as far from the newest. */
function thinned(marks: readonly RecordMark[]): readonly RecordMark[] {
  const [newest] = marks;
  const kept: RecordMark[] = [];
  for (let m = 0; m < marks.length; m++) {
    const older = marks[m + 1];
    const last = kept.at(-1);
    const distance = (mark: RecordMark) => newest!.offset - mark.offset;
    if (older && last && distance(older) <= 2 * distance(last)) continue;
    kept.push(marks[m]!);
  }
  return kept;
}

/** Identifies a record among others that may later have its offset. */
export interface RecordMark {
  readonly offset: number;
  /** The log's own time, ms. */
  readonly ts: number;
  /** Hash of key and value. */
  readonly hash: number;
  /** Epoch of the leader that wrote the record, increasing along the log; −1 if unknown. */
  readonly epoch: number;
}

export interface MarkedRecord extends Omit<RecordMark, 'hash'> {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

export function markOf({ offset, ts, epoch, key, value }: MarkedRecord): RecordMark {
  return {
    offset,
    ts,
    epoch,
    hash: hashOf(value, hashOf(key, 0)),
  };
}

/** Compare without the epoch, since a log may be copied to another cluster. */
export function isSameRecord(a: RecordMark, b: RecordMark): boolean {
  return a.offset === b.offset && a.ts === b.ts && a.hash === b.hash;
}

/** Null and empty bytes have different hashes. */
function hashOf(bytes: Uint8Array | null, seed: number): number {
  return bytes === null ? ~seed >>> 0 : xxHash32(bytes, bytes.length, seed);
}
