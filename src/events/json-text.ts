import { enlarged } from './column-table.js';
import { utf8SequenceLength } from './utf8.js';

/** What the functions here answer where the text is not what they look for, or not in plain form. */
export const DECLINED = -1;

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** 1 for the bytes that end the plain run of a string: quote, backslash, controls, non-ASCII. */
const ENDS_RUN = new Uint8Array(256).map((_, byte) =>
  byte < 0x20 || byte >= 0x80 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

/**
 * Bytes of one text that can be read one at a time and in words of four. A word is one load; made
 * of single bytes it is four, each with its own check of bounds.
 */
export class WordBytes {
  bytes: Uint8Array;
  view: DataView;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Copies the range to the front; @returns its length. */
  load(source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > this.bytes.length) this.grow(length);
    this.bytes.set(length === source.length ? source : source.subarray(start, end));
    return length;
  }

  /** Makes room for this many bytes and keeps what there is. */
  grow(capacity: number): void {
    this.bytes = enlarged(this.bytes, Math.max(capacity, this.bytes.length * 2));
    this.view = new DataView(this.bytes.buffer);
  }
}

/** Position after the white space of RFC 8259 at `start`. */
export function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at];
    if (byte > 0x20) break;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  }
  return at;
}

/**
 * Position of the quote that ends a string begun before `start`; `DECLINED` on escapes and on
 * ill-formed text.
 *
 * Four bytes at a time: for w = four bytes, w − 0x20… borrows into the top bit of a byte that is a
 * control, (w ⊕ q) − 1… into that of a byte equal to q, and w has it for non-ASCII. A borrow that
 * runs on into the next byte only sends a plain byte the slow way.
 */
export function stringEnd(text: WordBytes, start: number, end: number): number {
  const { bytes, view } = text;
  const lastWord = end - 4;
  let at = start;
  for (;;) {
    for (; at <= lastWord; at += 4) {
      const word = view.getInt32(at, true);
      const stops =
        word |
        (word - 0x20202020) |
        ((word ^ 0x22222222) - 0x01010101) |
        ((word ^ 0x5c5c5c5c) - 0x01010101);
      if ((stops & 0x80808080) !== 0) break;
    }
    while (at < end && ENDS_RUN[bytes[at]] === 0) at++;
    if (at >= end) return DECLINED;
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte < 0x80) return DECLINED;
    const length = utf8SequenceLength(bytes, at, end);
    if (length === 0) return DECLINED;
    at += length;
  }
}

/** An ASCII text of at least four letters in words of four, the last of them overlapping. */
export class Literal {
  private readonly words: Int32Array;
  private readonly length: number;

  constructor(text: string) {
    const bytes = new TextEncoder().encode(text);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const count = Math.ceil(bytes.length / 4);
    this.length = bytes.length;
    this.words = Int32Array.from({ length: count }, (_, i) =>
      view.getInt32(Math.min(i * 4, bytes.length - 4), true),
    );
  }

  /** Position after the literal where the text at `at` is that; `DECLINED` otherwise. */
  endAt(text: WordBytes, at: number, end: number): number {
    const { words } = this;
    const { view } = text;
    const after = at + this.length;
    if (after > end) return DECLINED;
    const last = words.length - 1;
    for (let i = 0; i < last; i++) {
      if (view.getInt32(at + i * 4, true) !== words[i]) return DECLINED;
    }
    return view.getInt32(after - 4, true) === words[last] ? after : DECLINED;
  }
}
