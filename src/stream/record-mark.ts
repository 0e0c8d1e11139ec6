import { xxHash32 } from '../state/binary/xxhash32.js';

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
  return { offset, ts, epoch, hash: hashOf(value, hashOf(key, 0)) };
}

/** The epoch is left out: a log may be moved to another cluster, records and all. */
export function isSameRecord(a: RecordMark, b: RecordMark): boolean {
  return a.offset === b.offset && a.ts === b.ts && a.hash === b.hash;
}

/** None at all is not the same as an empty one. */
function hashOf(bytes: Uint8Array | null, seed: number): number {
  return bytes === null ? ~seed >>> 0 : xxHash32(bytes, bytes.length, seed);
}
