import { xxHash32 } from '../../state/binary/xxhash32.js';

/**
 * Marks of some records read from one log: the newest, the first, and some records between. The
 * marks become sparser with age. Wherever the log is cut, there is a mark a short way before the
 * cut.
 */
export class RecordTrail {
  #marks: readonly RecordMark[];

  /** @param marks newest first */
  constructor(marks: readonly RecordMark[] = []) {
    this.#marks = marks;
  }

  /** The marks, newest first. The returned array is never changed. */
  get marks(): readonly RecordMark[] {
    return this.#marks;
  }

  /** Add a mark newer than all others. */
  add(mark: RecordMark): void {
    this.#marks = thinned([mark, ...this.#marks]);
  }

  /**
   * Remove the marks at an offset and after it.
   *
   * @param kept the last record before the offset, if known
   */
  cut(offset: number, kept?: RecordMark): void {
    this.#marks = this.#marks.filter((mark) => mark.offset < offset);
    if (kept !== undefined && kept.offset > (this.#marks[0]?.offset ?? -1)) {
      this.add(kept);
    }
  }
}

/**
 * Drop some of the marks, which are given newest first. The distance of a mark is measured from the
 * newest one. A mark is dropped if the distance of the next older mark is at most twice that of the
 * last retained mark.
 */
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

/** Identifies a record, so that another record which later has the same offset is recognised. */
export interface RecordMark {
  readonly offset: number;
  /** Record time in the log, ms. */
  readonly ts: number;
  /** Hash of key and value. */
  readonly hash: number;
  /** Epoch of the leader that wrote the record, increasing along the log; −1 if unknown. */
  readonly epoch: number;
}

/** A record of which a mark can be made. */
export interface MarkedRecord extends Omit<RecordMark, 'hash'> {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** Make the mark of a record. */
export function markOf({ offset, ts, epoch, key, value }: MarkedRecord): RecordMark {
  return {
    offset,
    ts,
    epoch,
    hash: hashOf(value, hashOf(key, 0)),
  };
}

/**
 * Whether two marks are of the same record. Epochs are not compared, since a log may be copied to
 * another cluster.
 */
export function isSameRecord(a: RecordMark, b: RecordMark): boolean {
  return a.offset === b.offset && a.ts === b.ts && a.hash === b.hash;
}

/** Hash bytes, continuing from `seed`; null and empty bytes give different hashes. */
function hashOf(bytes: Uint8Array | null, seed: number): number {
  return bytes === null ? ~seed >>> 0 : xxHash32(bytes, bytes.length, seed);
}
