import { enlarged } from '../../events/column-table.js';
import { hashHalves } from '../../events/hash.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';

const FIRST_CAPACITY = 16;
const MAX_LOAD = 0.7;
/**
 * Words of a slot: the low half of the hash, and the number of the id plus one (0 for an empty
 * slot).
 */
const SLOT = 2;
const LARGEST_VALUE = 0x7fffffff;
/**
 * Distance of an id from its slot at which collisions are taken as intended. The probability that
 * any of a million random ids is this far from its slot is 10^−7.
 */
const LONGEST_WAY = 512;
const CHUNK_BITS = 12;
const CHUNK_IDS = 1 << CHUNK_BITS;

/**
 * Append-only log of ids in the order of arrival: both halves of the hash, the time within the
 * generation, and a value if there are values.
 */
export class IdLog {
  readonly width: number;
  /** All chunks except the last are full. */
  readonly #chunks: Int32Array[] = [];
  #size = 0;

  constructor(hasValues: boolean) {
    this.width = hasValues ? 4 : 3;
  }

  get size(): number {
    return this.#size;
  }

  add(high: number, low: number, offset: number, value: number): number {
    const { width } = this;
    const id = this.#size++;
    const n = id >>> CHUNK_BITS;
    let at = (id & (CHUNK_IDS - 1)) * width;
    if (n === this.#chunks.length) {
      this.#chunks.push(new Int32Array(FIRST_CAPACITY * width));
    } else if (at === this.#chunks[n].length) {
      this.#chunks[n] = enlarged(this.#chunks[n], at * 2);
    }
    const chunk = this.#chunks[n];
    chunk[at++] = high;
    chunk[at++] = low;
    chunk[at++] = offset;
    if (width === 4) {
      chunk[at] = value;
    }
    return id;
  }

  high(id: number): number {
    return this.#word(id, 0);
  }

  low(id: number): number {
    return this.#word(id, 1);
  }

  offset(id: number): number {
    return this.#word(id, 2) >>> 0;
  }

  value(id: number): number {
    return this.width === 4 ? this.#word(id, 3) : 0;
  }

  /** Capture the current log for writing later. */
  capture(): (to: BinaryWriter) => Generator<void, void> {
    const chunks = [...this.#chunks];
    const length = this.#size * this.width;
    return function* write(to) {
      to.beginColumn(length, Int32Array.BYTES_PER_ELEMENT);
      let left = length;
      for (const chunk of chunks) {
        const words = Math.min(left, chunk.length);
        to.extendColumn(chunk, words);
        left -= words;
        yield;
      }
      to.endColumn();
    };
  }

  #word(id: number, word: number): number {
    return this.#chunks[id >>> CHUNK_BITS][(id & (CHUNK_IDS - 1)) * this.width + word];
  }
}

/**
 * Index of the ids of a log, by open addressing with linear probing.
 *
 * An id's slot depends on the low half of its hash, which is public, so ids can be chosen to
 * collide. Once an id is as far as `LONGEST_WAY` from its slot, slots also depend on a secret of
 * the process.
 */
export class RecentShard {
  slots = new Int32Array(FIRST_CAPACITY * SLOT);
  mask = FIRST_CAPACITY - 1;
  #used = 0;
  #isKeyed = false;
  readonly #log: IdLog;

  constructor(log: IdLog) {
    this.#log = log;
  }

  get used(): number {
    return this.#used;
  }

  put(high: number, low: number, offset: number, value: number): void {
    if (this.#used >= (this.mask + 1) * MAX_LOAD) {
      this.#refill(this.slots.length * 2);
    }
    this.#insert(high, low, this.#log.add(high, low, offset, value) + 1);
    this.#used++;
  }

  get(high: number, low: number, offset: number, ttlMs: number): number {
    const slots = this.slots;
    const mask = this.mask;
    let at = (this.#isKeyed ? hashHalves(high, low) : low) & mask;
    for (; ; at = (at + 1) & mask) {
      const stored = slots[at * SLOT + 1];
      if (stored === 0) return -1;
      if (slots[at * SLOT] !== low || this.#log.high(stored - 1) !== high) continue;
      if (Math.abs(this.#log.offset(stored - 1) - offset) <= ttlMs) {
        return this.#log.value(stored - 1);
      }
    }
  }

  #insert(high: number, low: number, stored: number): void {
    const slots = this.slots;
    const mask = this.mask;
    const own = (this.#isKeyed ? hashHalves(high, low) : low) & mask;
    let at = own;
    while (slots[at * SLOT + 1] !== 0) {
      at = (at + 1) & mask;
    }
    slots[at * SLOT] = low;
    slots[at * SLOT + 1] = stored;
    if (((at - own) & mask) < LONGEST_WAY || this.#isKeyed) return;
    this.#isKeyed = true;
    this.#refill(slots.length);
  }

  #refill(length: number): void {
    const slots = this.slots;
    this.slots = new Int32Array(length);
    this.mask = length / SLOT - 1;
    for (let slot = 0; slot < slots.length; slot += SLOT) {
      const stored = slots[slot + 1];
      if (stored !== 0) {
        this.#insert(this.#log.high(stored - 1), slots[slot], stored);
      }
    }
  }
}

const SHARDS = 64;
/** Approximate number of words restored between two yields. */
const SLICE_WORDS = 1 << 16;
/**
 * Minimum length of a generation, ms. It limits the number of generations for a short ttl, since
 * each generation has a table per shard.
 */
const SHORTEST_GENERATION_MS = 60_000;
/** Maximum length of a generation, ms: a time within a generation must fit 32 bits. */
const LONGEST_GENERATION_MS = 2 ** 32 - 1;

/**
 * Event ids seen within `ttlMs` of event time, as 64-bit hashes, each with a value.
 *
 * An id counts as seen before if an id with the same hash was added at a time that differs by at
 * most `ttlMs`. Among n ids, two different ones share a hash with probability n² / 2^65, which is
 * 3e-4 for 10^8 ids. Ids are kept in generations. A generation is one ttl long, at least a minute,
 * and expires as a whole, so the ids of two to three ttl are in memory. Memory is 12 bytes per id,
 * 4 for its value, and 8 per slot. The index is split into 64 shards by hash, so that growing a
 * shard moves a 64th of the slots. With an infinite ttl there is one generation, which never
 * expires.
 *
 * @example
 * const seen = new RecentIds(3_600_000);
 * seen.add(1, 2, 0);         // -1: not seen before
 * seen.add(1, 2, 3_600_000); // 0: seen within the hour, its value
 * seen.add(1, 2, 7_200_001); // -1: too long ago
 */
export class RecentIds {
  readonly #ttlMs: number;
  readonly #generationMs: number;
  /**
   * Number of generations before an id's own, and after it, that may contain ids within the ttl.
   */
  readonly #reach: number;
  readonly #generations = new Map<number, Generation>();
  #oldest = Number.NEGATIVE_INFINITY;
  #near: (Generation | undefined)[] = [];
  #nearNumber = Number.NaN;
  /** Prevents the reads of `warm` from being optimised away. */
  warmed = 0;

  /** @param hasValues whether values are kept; otherwise they are all 0 */
  constructor(
    ttlMs: number,
    private readonly hasValues = false,
  ) {
    const endless = ttlMs === Number.POSITIVE_INFINITY;
    this.#ttlMs = ttlMs;
    this.#generationMs = generationMs(ttlMs);
    this.#reach = endless ? 0 : Math.ceil(ttlMs / this.#generationMs);
  }

  /** Number of stored ids, including expired ones not yet dropped. */
  get size(): number {
    let size = 0;
    for (const generation of this.#generations.values()) {
      size += generation.size;
    }
    return size;
  }

  /**
   * Value (≥ 0) of an id that was seen before. For any other id the result is −1, and the id is
   * stored with `value`, unless its generation has expired.
   */
  add(high: number, low: number, ts: number, value = 0): number {
    const found = this.find(high, low, ts);
    if (found >= 0) return found;
    const number = this.#nearNumber;
    if (number < this.#oldest) return -1;
    let generation = this.#near[this.#reach];
    if (generation === undefined) {
      generation = this.#generation(number);
      this.#near[this.#reach] = generation;
    }
    generation.put(high, low, this.#offset(ts, number), value & LARGEST_VALUE);
    return -1;
  }

  /** Value of an id stored within `ttlMs` of `ts` (event time, ms); otherwise −1. */
  find(high: number, low: number, ts: number): number {
    const number = this.#reach === 0 ? 0 : Math.floor(ts / this.#generationMs);
    if (number !== this.#nearNumber) {
      this.#approach(number);
    }
    const near = this.#near;
    for (let n = 0; n < near.length; n++) {
      const generation = near[n];
      if (generation === undefined) continue;
      const offset = this.#offset(ts, number + n - this.#reach);
      const value = generation.get(high, low, offset, this.#ttlMs);
      if (value >= 0) return value;
    }
    return -1;
  }

  /**
   * Read the slots of a batch of ids before the ids are looked up. These reads are independent of
   * each other, so the processor overlaps them, and the lookups then find the slots in the cache.
   */
  warm(high: Int32Array, low: Int32Array, length: number): void {
    let seen = 0;
    for (const generation of this.#near) {
      if (generation !== undefined) {
        seen ^= generation.warm(high, low, length);
      }
    }
    this.warmed = seen;
  }

  /** Drop generations that end at or before `before` (event time, ms). */
  expire(before: number): void {
    if (this.#reach === 0) return;
    const oldest = Math.floor(before / this.#generationMs);
    if (oldest <= this.#oldest) return;
    this.#oldest = oldest;
    for (const number of this.#generations.keys()) {
      if (number < oldest) {
        this.#generations.delete(number);
      }
    }
    this.#nearNumber = Number.NaN;
  }

  /** Capture the current ids for writing later; ids may be added meanwhile. */
  capture(): (to: BinaryWriter) => Generator<void, void> {
    const oldest = this.#oldest;
    const generations = [...this.#generations].map(
      ([number, { log }]) => [number, log.capture()] as const,
    );
    const values = this.hasValues ? 1 : 0;
    return function* write(to) {
      to.number(oldest);
      to.number(values);
      to.number(generations.length);
      for (const [number, log] of generations) {
        to.number(number);
        yield* log(to);
      }
    };
  }

  /**
   * Restore captured ids, before anything is added.
   *
   * @param writtenTtlMs the ttl at the time of writing; with a shorter one fewer ids are known
   */
  *restore(from: BinaryReader, writtenTtlMs: number): Generator<void, void> {
    const writtenMs = generationMs(writtenTtlMs);
    const isSame = writtenMs === this.#generationMs;
    const oldest = from.number();
    this.#oldest = isSame ? oldest : Math.floor((oldest * writtenMs) / this.#generationMs);
    const width = from.number() === 1 ? 4 : 3;
    const generations = from.count();
    for (let n = 0; n < generations; n++) {
      const number = from.number();
      // Before version 3 each shard had a column of its own.
      for (let columns = from.version < 3 ? SHARDS : 1; columns > 0; columns--) {
        const words = from.int32();
        for (let at = 0; at < words.length; at += width) {
          const offset = words[at + 2] >>> 0;
          // Before version 3 values were stored plus one.
          const more = from.version < 3 ? 1 : 0;
          const value = width === 4 ? (words[at + 3] - more) & LARGEST_VALUE : 0;
          if (isSame) {
            this.#generation(number).put(words[at], words[at + 1], offset, value);
          } else {
            this.#enter(words[at], words[at + 1], number * writtenMs + offset, value);
          }
          if (at % SLICE_WORDS < width) {
            yield;
          }
        }
        yield;
      }
    }
    this.#nearNumber = Number.NaN;
  }

  /** Add an id to the generation of its time. */
  #enter(high: number, low: number, ts: number, value: number): void {
    const number = Math.floor(ts / this.#generationMs);
    this.#generation(number).put(high, low, this.#offset(ts, number), value);
  }

  #generation(number: number): Generation {
    let generation = this.#generations.get(number);
    if (generation === undefined) {
      generation = new Generation(this.hasValues);
      this.#generations.set(number, generation);
    }
    return generation;
  }

  /**
   * Look up the generations near a time, and keep them for the next event, whose time is mostly
   * near too.
   */
  #approach(number: number): void {
    this.#nearNumber = number;
    this.#near = Array.from({ length: 2 * this.#reach + 1 }, (_, n) =>
      this.#generations.get(number + n - this.#reach),
    );
  }

  #offset(ts: number, number: number): number {
    return this.#reach === 0 ? 0 : ts - number * this.#generationMs;
  }
}

function generationMs(ttlMs: number): number {
  if (ttlMs === Number.POSITIVE_INFINITY) return ttlMs;
  return Math.max(SHORTEST_GENERATION_MS, Math.min(ttlMs, LONGEST_GENERATION_MS));
}

class Generation {
  readonly log: IdLog;
  readonly #shards: RecentShard[];

  constructor(hasValues: boolean) {
    const log = new IdLog(hasValues);
    this.log = log;
    this.#shards = Array.from({ length: SHARDS }, () => new RecentShard(log));
  }

  get size(): number {
    return this.log.size;
  }

  put(high: number, low: number, offset: number, value: number): void {
    this.#shards[(high >>> 16) % SHARDS].put(high, low, offset, value);
  }

  warm(high: Int32Array, low: Int32Array, length: number): number {
    let seen = 0;
    for (let r = 0; r < length; r++) {
      const { slots, mask } = this.#shards[(high[r] >>> 16) % SHARDS];
      seen ^= slots[(low[r] & mask) * SLOT];
    }
    return seen;
  }

  get(high: number, low: number, offset: number, ttlMs: number): number {
    return this.#shards[(high >>> 16) % SHARDS].get(high, low, offset, ttlMs);
  }
}
