import type { IdRanges, IdTable } from '../../events/columns.js';
import { hashBytes, lastWord, lastWordOfView, wordAt } from '../../events/hash.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';

const SEGMENTS = 64;
const SEGMENT_SHIFT = 26;
const FIRST_SLOTS = 8;
/** Words of a slot: the hash, and the position in the arena (0 for an empty slot). */
const SLOT = 2;

/**
 * Words before an id's bytes in the arena: the id's number and its length. The bytes follow, padded
 * with zeros to words of four bytes. The position of an id is that of its bytes, so no position is
 * 0.
 */
const HEADER = 2;
const CHUNK_BITS = 14;
const CHUNK_WORDS = 1 << CHUNK_BITS;
const MAX_CHUNKS = 1 << (32 - CHUNK_BITS);

/** Position of the empty id, which is the text of unused numbers. No event can have this id. */
const NOBODY = HEADER;
const NOBODY_CHUNK = new Int32Array(HEADER);

const PAGE_BITS = 12;
const PAGE_SIZE = 1 << PAGE_BITS;

/**
 * Map from ids to dense integers, in the order of arrival. Numbers of forgotten ids are reused
 * first.
 *
 * The bytes of ids are in chunks. The hash table has 64 segments with open addressing, chosen by
 * the top bits of the hash. Each segment doubles on its own when it is three quarters full, so no
 * single call moves more than about a 64th of the table. Hashes are stored, so growing does not
 * read ids.
 *
 * Ids are forgotten by mark and sweep: `mark` returns a flag for each number, all owners of numbers
 * set the flags of theirs, and `sweep` forgets the ids whose flags are not set. Ids interned
 * between `mark` and the end of `sweep` are kept, so the sweep can be done in slices while events
 * arrive.
 *
 * Memory per id: in the arena 8 bytes and the length, rounded up to words; 4 bytes for its position
 * by number; and 11 to 21 bytes in the table.
 *
 * @example
 * const users = new Interner();
 * const u1 = new TextEncoder().encode('u1');
 * users.intern(u1, 0, 2, hashBytes(u1, 0, 2)) === 0 && users.text(0) === 'u1'
 */
export class Interner implements IdTable {
  private readonly most: number;
  private count = 0;
  private readonly segments: Int32Array[] = [];
  private readonly segmentCounts = new Int32Array(SEGMENTS);
  /** The first chunk contains the empty id. */
  private readonly chunks: Int32Array[] = [NOBODY_CHUNK];
  private readonly freeChunks: number[] = [];
  /**
   * Chunks that contain ids, in the order in which they were filled, and the number of words used
   * in each.
   */
  private filled: {
    readonly words: Int32Array;
    used: number;
  }[] = [];
  private chunk = 0;
  private chunkUsed = CHUNK_WORDS;
  /** Unused numbers below `count`. */
  private readonly free: number[] = [];
  /** From `mark` to the end of `sweep`: 1 for a number in use. */
  private marks: Uint8Array | undefined;
  private sweeps = 0;
  private readonly pages: Uint32Array[] = [];
  /** Predicate for unknown ids that `intern` rejects with −1; undefined accepts all. */
  refuses: ((bytes: Uint8Array, start: number, end: number) => boolean) | undefined;
  /** Ids may begin with the bytes of a byte order mark. */
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** @param most number of known ids above which `intern` rejects new ones */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.most = most;
    for (let i = 0; i < SEGMENTS; i++) {
      this.segments.push(new Int32Array(FIRST_SLOTS * SLOT));
    }
  }

  /**
   * Number that changes when numbers may have been reused for other ids: at the start and at the
   * end of forgetting. Ids in use are not forgotten.
   */
  get generation(): number {
    return this.sweeps;
  }

  /** Exclusive upper bound of all numbers, some of which may be unused. */
  get size(): number {
    return this.count;
  }

  /** Number of distinct ids. */
  get known(): number {
    return this.count - this.free.length;
  }

  /** Memory of the arrays, bytes. */
  get byteLength(): number {
    let bytes = this.pages.length * PAGE_SIZE * 4;
    for (const chunk of this.chunks) {
      bytes += chunk.byteLength;
    }
    for (const segment of this.segments) {
      bytes += segment.byteLength;
    }
    return bytes + this.segmentCounts.byteLength;
  }

  /**
   * Look up an id, or add it.
   *
   * @param hash  `hashBytes(bytes, start, end)`
   * @returns the id's number, a new one for a new id; −1 for a new id that is rejected or that
   *   exceeds the limit
   * @throws RangeError if the ids' bytes exceed 16 GiB
   */
  intern(bytes: Uint8Array, start: number, end: number, hash: number, view?: DataView): number {
    const segment = this.segments[hash >>> SEGMENT_SHIFT];
    const slot = this.slotOf(segment, bytes, start, end, hash, view);
    const known = segment[slot + 1];
    if (known !== 0) return this.marks === undefined ? this.idAt(known) : this.keep(known);
    if (this.known >= this.most || this.refuses?.(bytes, start, end)) return -1;
    return this.add(slot, bytes, start, end, hash);
  }

  /**
   * Intern the ids of a list. The positions of all ids are read before any id is compared, so that
   * memory accesses overlap. Returns false if an id was rejected.
   */
  internAll(
    bytes: Uint8Array,
    view: DataView,
    { start, end, hash, count }: IdRanges,
    into: Int32Array,
    first: number,
  ): boolean {
    const { segments, chunks } = this;
    for (let i = 0; i < count; i++) {
      const segment = segments[hash[i] >>> SEGMENT_SHIFT];
      into[first + i] = segment[((hash[i] << 1) & (segment.length - 1)) + 1];
    }
    const isKept = this.marks === undefined;
    for (let i = 0; i < count; i++) {
      const position = into[first + i];
      const words = chunks[position >>> CHUNK_BITS];
      const at = position & (CHUNK_WORDS - 1);
      if (isKept && position !== 0 && holds(words, at, bytes, start[i], end[i], view)) {
        into[first + i] = words[at - HEADER];
        continue;
      }
      const id = this.intern(bytes, start[i], end[i], hash[i], view);
      if (id < 0) return false;
      into[first + i] = id;
    }
    return true;
  }

  /** Like `intern`, without the limit. */
  take(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const segment = this.segments[hash >>> SEGMENT_SHIFT];
    const slot = this.slotOf(segment, bytes, start, end, hash);
    const known = segment[slot + 1];
    return known === 0 ? this.add(slot, bytes, start, end, hash) : this.keep(known);
  }

  /** Like `intern`, but −1 for an unknown id. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const segment = this.segments[hash >>> SEGMENT_SHIFT];
    const known = segment[this.slotOf(segment, bytes, start, end, hash) + 1];
    return known === 0 ? -1 : this.idAt(known);
  }

  /** Skip the next number; it stays unused until `reuse`. */
  skip(): number {
    const id = this.count++;
    this.notePosition(id, NOBODY);
    return id;
  }

  /** Release skipped numbers for reuse. */
  reuse(skipped: readonly number[]): void {
    for (const id of skipped) {
      this.free.push(id);
    }
  }

  /** Whether the number belongs to an id. */
  isKnown(id: number): boolean {
    return id >= 0 && id < this.count && this.positionOf(id) !== NOBODY;
  }

  /**
   * Start forgetting.
   *
   * @returns a flag by number, to be set to 1 for all numbers in use; ids interned from now on
   *   are kept anyway
   */
  mark(): Uint8Array {
    this.sweeps++;
    this.marks = new Uint8Array(this.count);
    return this.marks;
  }

  /**
   * Forget the ids whose flags are not set, and compact the others. Yields after each 64th of the
   * table; ids may be interned between two steps.
   *
   * @returns number of forgotten ids
   */
  *sweep(): Generator<void, number> {
    const { marks } = this;
    if (marks === undefined) throw new Error('nothing was marked');
    const emptied = [...this.chunks.keys()].filter((index) => this.chunks[index] !== NOBODY_CHUNK);
    this.chunkUsed = CHUNK_WORDS;
    this.filled = [];
    let forgotten = 0;
    for (let index = 0; index < SEGMENTS; index++) {
      forgotten += this.sweepSegment(index, marks);
      yield;
    }
    for (const index of emptied) {
      this.chunks[index] = NOBODY_CHUNK;
    }
    this.freeChunks.push(...emptied);
    this.marks = undefined;
    this.sweeps++;
    return forgotten;
  }

  /** The id as text, empty for an unused number; @throws RangeError for a number never assigned. */
  text(id: number): string {
    const bytes = new Uint8Array(this.byteLengthOf(id));
    this.copyTo(id, bytes, 0);
    return this.decoder.decode(bytes);
  }

  /** Length of the id in UTF-8 bytes. */
  byteLengthOf(id: number): number {
    const position = this.positionOf(id);
    return this.chunks[position >>> CHUNK_BITS][(position & (CHUNK_WORDS - 1)) - 1];
  }

  /** Copy the id's bytes; @returns their number. */
  copyTo(id: number, into: Uint8Array, from: number): number {
    const position = this.positionOf(id);
    const words = this.chunks[position >>> CHUNK_BITS];
    const at = position & (CHUNK_WORDS - 1);
    const length = words[at - 1];
    for (let i = 0; i < length; i++) {
      into[from + i] = byteAt(words, at, i);
    }
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

  /** Compare two ids by their UTF-8 bytes, which is the order of code points. */
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

  /**
   * Capture all ids for writing later: `size`, then for each id its number, length and bytes, as in
   * memory. The arrays are only appended to until ids are forgotten.
   */
  capture(): (to: BinaryWriter) => Generator<void, void> {
    const { count } = this;
    const filled = this.filled.map((chunk) => ({ ...chunk }));
    return function* write(to) {
      to.number(count);
      const words = filled.reduce((sum, { used }) => sum + used, 0);
      to.beginColumn(words, Int32Array.BYTES_PER_ELEMENT);
      for (const chunk of filled) {
        to.extendColumn(chunk.words, chunk.used);
        yield;
      }
      to.endColumn();
    };
  }

  /** Read captured ids under their old numbers, before anything is interned. */
  *read(
    from: BinaryReader,
    named: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
  ): Generator<void, void> {
    for (let left = from.count(); left > 0; left--) {
      this.skip();
    }
    let taken = 0;
    for (const { id, bytes } of storedIds(from.int32())) {
      const text = named(bytes);
      const hash = hashBytes(text, 0, text.length);
      const segment = this.segments[hash >>> SEGMENT_SHIFT];
      const slot = this.slotOf(segment, text, 0, text.length, hash);
      this.add(slot, text, 0, text.length, hash, id);
      if (++taken % 8192 === 0) {
        yield;
      }
    }
    for (let id = this.count - 1; id >= 0; id--) {
      if (!this.isKnown(id)) {
        this.free.push(id);
      }
    }
  }

  private add(
    slot: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
    id = this.free.length === 0 ? this.count++ : this.free.pop()!,
  ): number {
    const index = hash >>> SEGMENT_SHIFT;
    const segment = this.segments[index];
    const position = this.store(id, bytes, start, end);
    this.notePosition(id, position);
    segment[slot] = hash;
    segment[slot + 1] = position;
    if (this.marks !== undefined) {
      this.marks[id] = 1;
    }
    const filled = ++this.segmentCounts[index];
    if (filled * SLOT * 4 > segment.length * 3) {
      this.segments[index] = doubled(segment);
    }
    return id;
  }

  /** Mark the id at the position as in use. */
  private keep(position: number): number {
    const id = this.idAt(position);
    if (this.marks !== undefined) {
      this.marks[id] = 1;
    }
    return id;
  }

  /** Offset of the id's slot, or of the empty slot for it. */
  private slotOf(
    segment: Int32Array,
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
    view?: DataView,
  ): number {
    const mask = segment.length - 1;
    let slot = (hash << 1) & mask;
    for (let position = segment[slot + 1]; position !== 0; position = segment[slot + 1]) {
      if (segment[slot] === hash) {
        const words = this.chunks[position >>> CHUNK_BITS];
        if (holds(words, position & (CHUNK_WORDS - 1), bytes, start, end, view)) return slot;
      }
      slot = (slot + SLOT) & mask;
    }
    return slot;
  }

  /** Copy the id after its header; @returns the position of its first word. */
  private store(id: number, bytes: Uint8Array, start: number, end: number): number {
    const first = this.reserve(HEADER + ((end - start + 3) >>> 2));
    const words = this.chunks[this.chunk];
    words[first - 2] = id;
    words[first - 1] = end - start;
    let at = start;
    let word = first;
    for (; at + 4 <= end; at += 4) {
      words[word++] = wordAt(bytes, at);
    }
    if (at < end) {
      words[word] = lastWord(bytes, at, end);
    }
    return ((this.chunk << CHUNK_BITS) | first) >>> 0;
  }

  /** Reserve words; @returns the offset of the id's bytes, after the header. */
  private reserve(size: number): number {
    if (this.chunkUsed + size > CHUNK_WORDS) {
      this.chunk = this.freeChunks.pop() ?? this.chunks.length;
      if (this.chunk === MAX_CHUNKS) throw new RangeError('More than 16 GiB of ids.');
      const words = new Int32Array(CHUNK_WORDS);
      this.chunks[this.chunk] = words;
      this.filled.push({
        words,
        used: 0,
      });
      this.chunkUsed = 0;
    }
    const first = this.chunkUsed + HEADER;
    this.chunkUsed += size;
    this.filled.at(-1)!.used = this.chunkUsed;
    return first;
  }

  /** Rebuild a segment from the kept ids; @returns number of forgotten ids. */
  private sweepSegment(index: number, marks: Uint8Array): number {
    const old = this.segments[index];
    const kept = new Int32Array(this.segmentCounts[index] * SLOT);
    let size = 0;
    for (let from = 0; from < old.length; from += SLOT) {
      const position = old[from + 1];
      if (position === 0) continue;
      const id = this.idAt(position);
      // Ids with numbers beyond the flags were added after `mark`.
      if (id < marks.length && marks[id] === 0) {
        this.notePosition(id, NOBODY);
        this.free.push(id);
        continue;
      }
      kept[size] = old[from];
      kept[size + 1] = this.move(id, position);
      size += SLOT;
    }
    const forgotten = this.segmentCounts[index] - size / SLOT;
    this.segmentCounts[index] = size / SLOT;
    let slots = FIRST_SLOTS;
    while (size * 4 > slots * SLOT * 3) {
      slots *= 2;
    }
    this.segments[index] = new Int32Array(slots * SLOT);
    place(kept.subarray(0, size), this.segments[index]);
    return forgotten;
  }

  /** Move an id to free space; @returns its new position. */
  private move(id: number, from: number): number {
    const words = this.chunks[from >>> CHUNK_BITS];
    const at = from & (CHUNK_WORDS - 1);
    const length = (words[at - 1] + 3) >>> 2;
    const first = this.reserve(HEADER + length);
    const to = this.chunks[this.chunk];
    for (let word = -HEADER; word < length; word++) {
      to[first + word] = words[at + word];
    }
    const position = ((this.chunk << CHUNK_BITS) | first) >>> 0;
    this.notePosition(id, position);
    return position;
  }

  private idAt(position: number): number {
    return this.chunks[position >>> CHUNK_BITS][(position & (CHUNK_WORDS - 1)) - 2];
  }

  private notePosition(id: number, position: number): void {
    if (id >>> PAGE_BITS === this.pages.length) {
      this.pages.push(new Uint32Array(PAGE_SIZE));
    }
    this.pages[id >>> PAGE_BITS][id & (PAGE_SIZE - 1)] = position;
  }

  private positionOf(id: number): number {
    if (!(id >= 0 && id < this.count)) throw new RangeError(`No id has the number ${id}.`);
    return this.pages[id >>> PAGE_BITS][id & (PAGE_SIZE - 1)];
  }
}

/** List the ids in captured words. */
export function* storedIds(words: Int32Array): Generator<{
  id: number;
  bytes: Uint8Array;
}> {
  for (let at = HEADER; at < words.length; ) {
    const length = words[at - 1];
    yield {
      id: words[at - 2],
      bytes: new Uint8Array(words.buffer, at * 4, length),
    };
    at += HEADER + ((length + 3) >>> 2);
  }
}

/** Encode an id as captured words. */
export function storedId(id: number, bytes: Uint8Array): Int32Array {
  const words = new Int32Array(HEADER + ((bytes.length + 3) >>> 2));
  words.set([id, bytes.length]);
  new Uint8Array(words.buffer).set(bytes, HEADER * 4);
  return words;
}

/** Byte `i` of the id whose words start at `at`; independent of the machine's byte order. */
function byteAt(words: Int32Array, at: number, i: number): number {
  return (words[at + (i >>> 2)] >>> ((i & 3) << 3)) & 0xff;
}

/** Whether the id at `first` equals the byte range. */
function holds(
  words: Int32Array,
  first: number,
  bytes: Uint8Array,
  start: number,
  end: number,
  view: DataView | undefined,
): boolean {
  if (words[first - 1] !== end - start) return false;
  let at = start;
  let word = first;
  for (; at + 4 <= end; at += 4) {
    const own = view === undefined ? wordAt(bytes, at) : view.getInt32(at, true);
    if (own !== words[word++]) return false;
  }
  if (at === end) return true;
  return (view ? lastWordOfView(view, at, end) : lastWord(bytes, at, end)) === words[word];
}

function doubled(segment: Int32Array): Int32Array {
  const grown = new Int32Array(segment.length * 2);
  place(segment, grown);
  return grown;
}

/** Copy used slots to an empty segment. */
function place(slots: Int32Array, into: Int32Array): void {
  const mask = into.length - 1;
  for (let from = 0; from < slots.length; from += SLOT) {
    if (slots[from + 1] === 0) continue;
    let to = (slots[from] << 1) & mask;
    while (into[to + 1] !== 0) {
      to = (to + SLOT) & mask;
    }
    into[to] = slots[from];
    into[to + 1] = slots[from + 1];
  }
}

/** Dense number of an id; −1 if it is unknown. */
export function numberOf(table: Interner, id: string): number {
  const bytes = new TextEncoder().encode(id);
  return table.find(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}
