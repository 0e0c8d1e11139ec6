import type { IdTable } from '../events/columns.js';
import { lastWord, wordAt } from '../events/hash.js';

const SEGMENTS = 64;
const SEGMENT_SHIFT = 26;
const FIRST_SLOTS = 8;
/** A slot: hash, and position in the arena (0 for an empty slot). */
const SLOT = 2;

/**
 * The arena counts in words of four bytes: an id's integer, its length, then its bytes padded with
 * zeros. A position is that of the bytes, so that no position is 0.
 */
const HEADER = 2;
const CHUNK_BITS = 14;
const CHUNK_WORDS = 1 << CHUNK_BITS;
const MAX_CHUNKS = 1 << (32 - CHUNK_BITS);

const PAGE_BITS = 12;
const PAGE_SIZE = 1 << PAGE_BITS;

/**
 * Gives each distinct id a dense integer, from 0 up, in the order of first sight.
 *
 * Ids' bytes lie in chunks that are never moved. The table is 64 open-addressing segments, chosen
 * by the hash's top bits, that double one at a time at three quarters full; hashes are stored, so
 * that growing touches no id's bytes. No single call moves more than about a 64th of the table.
 *
 * Memory is 8 bytes and the length, rounded up to words, in the arena, 4 for the position by
 * integer and 11 to 21 in the table.
 *
 * @example
 * const users = new Interner();
 * const u1 = new TextEncoder().encode('u1');
 * users.intern(u1, 0, 2, hashBytes(u1, 0, 2)) === 0 && users.text(0) === 'u1'
 */
export class Interner implements IdTable {
  private count = 0;
  private readonly segments: Int32Array[] = [];
  private readonly segmentCounts = new Int32Array(SEGMENTS);
  private readonly chunks: Int32Array[] = [];
  private chunkUsed = CHUNK_WORDS;
  private readonly pages: Uint32Array[] = [];
  /** An id may begin with what elsewhere is a byte order mark. */
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor() {
    for (let i = 0; i < SEGMENTS; i++) this.segments.push(new Int32Array(FIRST_SLOTS * SLOT));
  }

  /** Number of distinct ids. */
  get size(): number {
    return this.count;
  }

  /** Bytes of memory that the arrays hold. */
  get byteLength(): number {
    let bytes = this.chunks.length * CHUNK_WORDS * 4 + this.pages.length * PAGE_SIZE * 4;
    for (const segment of this.segments) bytes += segment.byteLength;
    return bytes + this.segmentCounts.byteLength;
  }

  /**
   * @param hash  `hashBytes(bytes, start, end)`
   * @returns the id's integer, a new one at first sight
   * @throws RangeError where the ids' bytes pass 16 GiB
   */
  intern(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const index = hash >>> SEGMENT_SHIFT;
    const segment = this.segments[index];
    const slot = this.slotOf(segment, bytes, start, end, hash);
    const known = segment[slot + 1];
    if (known !== 0) return this.idAt(known);
    const id = this.count;
    const position = this.store(id, bytes, start, end);
    this.notePosition(id, position);
    segment[slot] = hash;
    segment[slot + 1] = position;
    this.count = id + 1;
    const filled = ++this.segmentCounts[index];
    if (filled * SLOT * 4 > segment.length * 3) this.segments[index] = doubled(segment);
    return id;
  }

  /** As `intern`, but −1 for an id that has not been seen. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const segment = this.segments[hash >>> SEGMENT_SHIFT];
    const known = segment[this.slotOf(segment, bytes, start, end, hash) + 1];
    return known === 0 ? -1 : this.idAt(known);
  }

  /** The id as text; @throws RangeError for an integer that was never given out. */
  text(id: number): string {
    const position = this.positionOf(id);
    const words = this.chunks[position >>> CHUNK_BITS];
    const at = position & (CHUNK_WORDS - 1);
    const bytes = new Uint8Array(words[at - 1]);
    for (let i = 0; i < bytes.length; i++) bytes[i] = byteAt(words, at, i);
    return this.decoder.decode(bytes);
  }

  /** Length of the id in UTF-8 bytes. */
  byteLengthOf(id: number): number {
    const position = this.positionOf(id);
    return this.chunks[position >>> CHUNK_BITS][(position & (CHUNK_WORDS - 1)) - 1];
  }

  /** Copies the id's bytes; @returns how many there are. */
  copyTo(id: number, into: Uint8Array, from: number): number {
    const position = this.positionOf(id);
    const words = this.chunks[position >>> CHUNK_BITS];
    const at = position & (CHUNK_WORDS - 1);
    const length = words[at - 1];
    for (let i = 0; i < length; i++) into[from + i] = byteAt(words, at, i);
    return length;
  }

  /** A 32-bit hash of the id, the same in every table. */
  hash(id: number): number {
    const position = this.positionOf(id);
    const words = this.chunks[position >>> CHUNK_BITS];
    const at = position & (CHUNK_WORDS - 1);
    let hash = words[at - 1];
    for (let i = 0; i < words[at - 1]; i++) {
      hash = Math.imul(hash ^ byteAt(words, at, i), 0x01000193);
    }
    return hash;
  }

  /** Orders two ids by their UTF-8 bytes, which is the order of code points. */
  compare(a: number, b: number): number {
    const positionA = this.positionOf(a);
    const positionB = this.positionOf(b);
    const wordsA = this.chunks[positionA >>> CHUNK_BITS];
    const wordsB = this.chunks[positionB >>> CHUNK_BITS];
    const atA = positionA & (CHUNK_WORDS - 1);
    const atB = positionB & (CHUNK_WORDS - 1);
    const shared = Math.min(wordsA[atA - 1], wordsB[atB - 1]);
    for (let i = 0; i < shared; i++) {
      const difference = byteAt(wordsA, atA, i) - byteAt(wordsB, atB, i);
      if (difference !== 0) return difference;
    }
    return wordsA[atA - 1] - wordsB[atB - 1];
  }

  /** Offset of the slot that holds the id, or of the empty one where it belongs. */
  private slotOf(
    segment: Int32Array,
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
  ): number {
    const mask = segment.length - 1;
    let slot = (hash << 1) & mask;
    for (let position = segment[slot + 1]; position !== 0; position = segment[slot + 1]) {
      if (segment[slot] === hash) {
        const words = this.chunks[position >>> CHUNK_BITS];
        if (holds(words, position & (CHUNK_WORDS - 1), bytes, start, end)) return slot;
      }
      slot = (slot + SLOT) & mask;
    }
    return slot;
  }

  /** Copies the id with its header before it; @returns the position of its first word. */
  private store(id: number, bytes: Uint8Array, start: number, end: number): number {
    const size = HEADER + ((end - start + 3) >>> 2);
    if (this.chunkUsed + size > CHUNK_WORDS) {
      if (this.chunks.length === MAX_CHUNKS) throw new RangeError('More than 16 GiB of ids.');
      this.chunks.push(new Int32Array(CHUNK_WORDS));
      this.chunkUsed = 0;
    }
    const words = this.chunks[this.chunks.length - 1];
    const first = this.chunkUsed + HEADER;
    words[first - 2] = id;
    words[first - 1] = end - start;
    let at = start;
    let word = first;
    for (; at + 4 <= end; at += 4) words[word++] = wordAt(bytes, at);
    if (at < end) words[word] = lastWord(bytes, at, end);
    this.chunkUsed += size;
    return (((this.chunks.length - 1) << CHUNK_BITS) | first) >>> 0;
  }

  private idAt(position: number): number {
    return this.chunks[position >>> CHUNK_BITS][(position & (CHUNK_WORDS - 1)) - 2];
  }

  private notePosition(id: number, position: number): void {
    if (id >>> PAGE_BITS === this.pages.length) this.pages.push(new Uint32Array(PAGE_SIZE));
    this.pages[id >>> PAGE_BITS][id & (PAGE_SIZE - 1)] = position;
  }

  private positionOf(id: number): number {
    if (!(id >= 0 && id < this.count)) throw new RangeError(`No id has the number ${id}.`);
    return this.pages[id >>> PAGE_BITS][id & (PAGE_SIZE - 1)];
  }
}

/** Byte `i` of the id whose words start at `at`; independent of the machine's byte order. */
function byteAt(words: Int32Array, at: number, i: number): number {
  return (words[at + (i >>> 2)] >>> ((i & 3) << 3)) & 0xff;
}

/** Whether the id whose words start at `first` is the byte range. */
function holds(
  words: Int32Array,
  first: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (words[first - 1] !== end - start) return false;
  let at = start;
  let word = first;
  for (; at + 4 <= end; at += 4) {
    if (wordAt(bytes, at) !== words[word++]) return false;
  }
  return at === end || lastWord(bytes, at, end) === words[word];
}

function doubled(segment: Int32Array): Int32Array {
  const grown = new Int32Array(segment.length * 2);
  const mask = grown.length - 1;
  for (let from = 0; from < segment.length; from += SLOT) {
    if (segment[from + 1] === 0) continue;
    let to = (segment[from] << 1) & mask;
    while (grown[to + 1] !== 0) to = (to + SLOT) & mask;
    grown[to] = segment[from];
    grown[to + 1] = segment[from + 1];
  }
  return grown;
}
