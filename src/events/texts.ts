import { enlarged } from './column-table.js';
import type { IdTable } from './columns.js';
import { MAX_ID_BYTES } from './field.js';
import { hashView } from './hash.js';
import { WordBytes } from './json-text.js';

/** State of a text that is a valid id: 1 to 512 bytes of well-formed UTF-8. */
export const PLAIN = 0;
/** State of a text that is empty, or too long for an id. */
export const ODD = 1;
/** State of a text that is not well-formed UTF-8. */
export const BROKEN = 2;

/**
 * The texts of one column of a table, numbered from 0 up. A text of a Parquet dictionary is added
 * once, however many rows have it.
 *
 * With `areDistinct`, equal texts get the same number. Without it each added text gets its own
 * number, which suits event ids, since they all differ.
 *
 * @example
 * const texts = new Texts(true);
 * const [a, b] = ['u1', 'u1'].map((text) => texts.addText(text));
 * a === b;
 */
export class Texts {
  readonly text = new WordBytes(1 << 12);
  count = 0;
  /** Text n is the bytes starts[n] ≤ i < starts[n + 1]. */
  starts = new Int32Array(257);
  /** `PLAIN`, `ODD` or `BROKEN`, by number. */
  states = new Uint8Array(256);
  private readonly areDistinct: boolean;
  private hashes = new Int32Array(256);
  private slots = new Int32Array(512);
  /**
   * Integer of each text in a table of ids, by the text's number; −1 if the text was not interned
   * yet.
   */
  private ids = new Int32Array(256).fill(-1);
  private readonly encoder = new TextEncoder();

  constructor(areDistinct: boolean) {
    this.areDistinct = areDistinct;
  }

  addText(text: string): number {
    return this.add(this.encoder.encode(text));
  }

  /** Remove all texts, and keep the memory. */
  clear(): void {
    this.ids.fill(-1, 0, this.count);
    this.slots.fill(0);
    this.count = 0;
  }

  add(source: Uint8Array): number {
    const { buffer, byteOffset, length } = source;
    return this.addRange(new DataView(buffer, byteOffset, length), 0, length);
  }

  /** Add the text in bytes from ≤ i < to; returns its number. */
  addRange(source: DataView, from: number, to: number): number {
    const { text, count } = this;
    const start = this.starts[count];
    const end = start + to - from;
    if (end > text.bytes.length) {
      text.grow(end);
    }
    const { bytes, view } = text;
    let i = from;
    let at = start;
    for (; i + 4 <= to; i += 4, at += 4) {
      view.setInt32(at, source.getInt32(i, true), true);
    }
    for (; i < to; i++, at++) {
      bytes[at] = source.getUint8(i);
    }
    if (count === this.states.length) {
      this.grow();
    }
    if (this.areDistinct) {
      const known = this.place(start, end);
      if (known >= 0) return known;
    }
    this.starts[count + 1] = end;
    const isId = end > start && end - start <= MAX_ID_BYTES;
    this.states[count] = !text.isUtf8(start, end) ? BROKEN : isId ? PLAIN : ODD;
    this.count = count + 1;
    return count;
  }

  /** Integer of text `n` in a table of ids; each text is interned only once. */
  idIn(table: IdTable, n: number): number {
    const known = this.ids[n];
    if (known >= 0) return known;
    const { text, starts } = this;
    const start = starts[n];
    const end = starts[n + 1];
    const id = table.intern(text.bytes, start, end, hashView(text.view, start, end), text.view);
    this.ids[n] = id;
    return id;
  }

  /** Forget the cached integers, since the table may have forgotten ids. */
  forgetIds(): void {
    this.ids.fill(-1, 0, this.count);
  }

  string(n: number): string {
    const { text, starts } = this;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      text.bytes.subarray(starts[n], starts[n + 1]),
    );
  }

  /**
   * Number of an earlier text with the same bytes. Returns −1 if there is none, and then stores the
   * number of the next text in the free slot.
   */
  private place(start: number, end: number): number {
    const hash = hashView(this.text.view, start, end);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let other = this.slots[slot]; other !== 0; other = this.slots[slot]) {
      if (this.hashes[other - 1] === hash && this.holds(other - 1, start, end)) return other - 1;
      slot = (slot + 1) & mask;
    }
    this.slots[slot] = this.count + 1;
    this.hashes[this.count] = hash;
    return -1;
  }

  private holds(n: number, start: number, end: number): boolean {
    const first = this.starts[n];
    if (this.starts[n + 1] - first !== end - start) return false;
    const { bytes } = this.text;
    for (let i = start; i < end; i++) {
      if (bytes[i] !== bytes[first + i - start]) return false;
    }
    return true;
  }

  private grow(): void {
    const capacity = this.states.length * 2;
    this.starts = enlarged(this.starts, capacity + 1);
    this.states = enlarged(this.states, capacity);
    this.ids = enlarged(this.ids, capacity).fill(-1, this.count);
    if (!this.areDistinct) return;
    this.hashes = enlarged(this.hashes, capacity);
    this.slots = new Int32Array(capacity * 2);
    const mask = this.slots.length - 1;
    for (let n = 0; n < this.count; n++) {
      let slot = this.hashes[n] & mask;
      while (this.slots[slot] !== 0) {
        slot = (slot + 1) & mask;
      }
      this.slots[slot] = n + 1;
    }
  }
}
