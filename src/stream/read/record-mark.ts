import { xxHash32 } from '../../state/binary/xxhash32.js';

/**
 * Marks of records that were read from one log: the newest, the first, and others between, sparser
 * with age. Wherever a log is cut, a mark is not far below.
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

  /** Adds one that is newer than all others. */
  add(mark: RecordMark): void {
    this.#marks = thinned([mark, ...this.#marks]);
  }

  /** Forgets those at an offset and after it. @param kept the last record before it, if it is known. */
  cut(offset: number, kept?: RecordMark): void {
    this.#marks = this.#marks.filter((mark) => mark.offset < offset);
    if (kept !== undefined && kept.offset > (this.#marks[0]?.offset ?? -1)) {
      this.add(kept);
    }
  }
}

/** Of any two neighbours the older is at most about twice as far from the newest. */
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

/** What tells a record from any other that may come to stand at its offset. */
export interface RecordMark {
  readonly offset: number;
  /** The log's own time, ms. */
  readonly ts: number;
  /** Of key and value. */
  readonly hash: number;
  /** Of the leader that took the record in, rising along the log; −1 where that is not known. */
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

/** The epoch is left out: a log may be moved to another cluster, records and all. */
export function isSameRecord(a: RecordMark, b: RecordMark): boolean {
  return a.offset === b.offset && a.ts === b.ts && a.hash === b.hash;
}

/** None at all is not the same as an empty one. */
function hashOf(bytes: Uint8Array | null, seed: number): number {
  return bytes === null ? ~seed >>> 0 : xxHash32(bytes, bytes.length, seed);
}
