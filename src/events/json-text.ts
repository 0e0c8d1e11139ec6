import { enlarged } from './column-table.js';
import { utf8SequenceLength } from './utf8.js';

/** Bytes of a text with access by byte and by word of four bytes, which is faster. */
export class WordBytes {
  bytes: Uint8Array;
  view: DataView;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Copy bytes start ≤ i < end of `source` to the beginning; @returns their number. */
  load(source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > this.bytes.length) {
      this.grow(length);
    }
    this.bytes.set(length === source.length ? source : source.subarray(start, end));
    return length;
  }

  /** Enlarge to at least this many bytes, with the same content. */
  grow(capacity: number): void {
    this.bytes = enlarged(this.bytes, Math.max(capacity, this.bytes.length * 2));
    this.view = new DataView(this.bytes.buffer);
  }

  /** Whether bytes start ≤ i < end are well-formed UTF-8. */
  isUtf8(start: number, end: number): boolean {
    const { bytes, view } = this;
    for (let at = start; at < end; ) {
      if (at + 4 <= end && (view.getInt32(at, true) & 0x80808080) === 0) {
        at += 4;
      } else if (bytes[at] < 128) {
        at++;
      } else {
        const length = utf8SequenceLength(bytes, at, end);
        if (length === 0) return false;
        at += length;
      }
    }
    return true;
  }
}
