import { hashHalves } from '../../events/hash.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';

const FIRST_CAPACITY = 16;
const MAX_LOAD = 0.7;
/** A slot: both halves of the hash, time within the generation, value + 1 (0 in an empty slot). */
const SLOT = 4;
const LARGEST_VALUE = 0x7fffffff;
/** Of a million ids by chance, one in 10^7 times is one that far from its own slot. */
const LONGEST_WAY = 512;

interface CapturedShard {
  readonly slots: Int32Array;
  readonly used: number;
  readonly isKeyed: boolean;
}

/**
 * Open addressing with linear probes; written to by itself alone.
 *
 * An id's slot is that of the low half of its hash, which anybody can compute. Where ids were chosen
 * to collide, so that one lies far from its slot, slots are chosen under the secret of the process
 * from then on.
 */
export class RecentShard {
  slots = new Int32Array(FIRST_CAPACITY * SLOT);
  mask = FIRST_CAPACITY - 1;
  #used = 0;
  #captured = false;
  #isKeyed = false;

  get used(): number {
    return this.#used;
  }

  capture(): CapturedShard {
    this.#captured = true;
    return { slots: this.slots, used: this.#used, isKeyed: this.#isKeyed };
  }

  restore(compact: Int32Array, values: boolean): void {
    const width = values ? SLOT : SLOT - 1;
    this.#used = compact.length / width;
    let capacity = FIRST_CAPACITY;
    while (this.#used > capacity * MAX_LOAD) capacity *= 2;
    this.slots = new Int32Array(capacity * SLOT);
    this.mask = capacity - 1;
    for (let at = 0; at < compact.length; at += width) {
      const stored = values ? compact[at + 3] : 1;
      this.#insert(compact[at], compact[at + 1], compact[at + 2], stored);
    }
  }

  put(high: number, low: number, offset: number, value: number): void {
    if (this.#used >= (this.mask + 1) * MAX_LOAD) this.#refill(this.slots.length * 2);
    else if (this.#captured) this.slots = this.slots.slice();
    this.#captured = false;
    this.#insert(high, low, offset, value + 1);
    this.#used++;
  }

  get(high: number, low: number, offset: number, ttlMs: number): number {
    const slots = this.slots;
    const mask = this.mask;
    let at = (this.#isKeyed ? hashHalves(high, low) : low) & mask;
    for (; ; at = (at + 1) & mask) {
      const slot = at * SLOT;
      const stored = slots[slot + 3];
      if (stored === 0) return -1;
      if (slots[slot] !== high || slots[slot + 1] !== low) continue;
      if (Math.abs((slots[slot + 2] >>> 0) - offset) <= ttlMs) return (stored - 1) & LARGEST_VALUE;
    }
  }

  #insert(high: number, low: number, offset: number, stored: number): void {
    const slots = this.slots;
    const mask = this.mask;
    const own = (this.#isKeyed ? hashHalves(high, low) : low) & mask;
    let at = own;
    while (slots[at * SLOT + 3] !== 0) at = (at + 1) & mask;
    slots[at * SLOT] = high;
    slots[at * SLOT + 1] = low;
    slots[at * SLOT + 2] = offset;
    slots[at * SLOT + 3] = stored;
    if (((at - own) & mask) < LONGEST_WAY || this.#isKeyed) return;
    this.#isKeyed = true;
    this.#refill(slots.length);
  }

  #refill(length: number): void {
    const slots = this.slots;
    this.slots = new Int32Array(length);
    this.mask = length / SLOT - 1;
    for (let slot = 0; slot < slots.length; slot += SLOT) {
      const stored = slots[slot + 3];
      if (stored !== 0) this.#insert(slots[slot], slots[slot + 1], slots[slot + 2], stored);
    }
  }
}

/**
 * Copies the slots that hold something into the scratch, one after the other; three words each
 * without the values. Their order says nothing of the secret. @returns how many words
 */
export function compactSlots(
  { slots, used, isKeyed }: CapturedShard,
  values: boolean,
  scratch: { slots: Int32Array },
): number {
  const width = values ? SLOT : SLOT - 1;
  if (scratch.slots.length < used * width) scratch.slots = new Int32Array(used * width * 2);
  const compact = scratch.slots;
  let to = 0;
  const copy = (slot: number) => {
    for (let word = 0; word < width; word++) compact[to + word] = slots[slot + word];
    to += width;
  };
  if (isKeyed) for (const slot of inOrder(slots)) copy(slot);
  else for (let s = 0; s < slots.length; s += SLOT) if (slots[s + 3] !== 0) copy(s);
  return to;
}

/** Of the slots that hold something, by what they hold. */
function inOrder(slots: Int32Array): number[] {
  const taken: number[] = [];
  for (let slot = 0; slot < slots.length; slot += SLOT) if (slots[slot + 3] !== 0) taken.push(slot);
  return taken.sort(
    (a, b) => slots[a + 1] - slots[b + 1] || slots[a] - slots[b] || slots[a + 2] - slots[b + 2],
  );
}

const SHARDS = 64;
/** However short the ttl, there are not many generations: each has a table for every shard. */
const SHORTEST_GENERATION_MS = 60_000;
/** Times within a generation fit 32 bits. */
const LONGEST_GENERATION_MS = 2 ** 32 - 1;

/**
 * Event ids seen within `ttlMs` of event time, by their 64-bit hashes, each with a value.
 *
 * An id is the same when its hash is and its time differs by at most ttlMs. Two ids share a hash
 * with probability n² / 2^65: 3e-4 among 10^8. Ids are kept in generations one ttl long, a minute at
 * least, and a generation goes as a whole, so memory follows the ids in two to three ttl, 16 bytes a slot. A
 * generation is split into shards by hash, so that growing one moves a sixty-fourth of the ids.
 * With an infinite ttl there is one generation, forever.
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
  /** How many generations away an id may be and still be within the ttl. */
  readonly #reach: number;
  readonly #generations = new Map<number, Generation>();
  #oldest = Number.NEGATIVE_INFINITY;
  #near: (Generation | undefined)[] = [];
  #nearNumber = Number.NaN;
  /** Keeps the reads of `warm` from being optimised away. */
  warmed = 0;

  constructor(ttlMs: number) {
    const endless = ttlMs === Number.POSITIVE_INFINITY;
    this.#ttlMs = ttlMs;
    this.#generationMs = generationMs(ttlMs);
    this.#reach = endless ? 0 : Math.ceil(ttlMs / this.#generationMs);
  }

  /** How many are known, those too that are past the ttl and not yet forgotten. */
  get size(): number {
    let size = 0;
    for (const generation of this.#generations.values()) size += generation.size;
    return size;
  }

  /** The value (≥ 0) under which the id was seen, else −1 and the id is kept with `value`. */
  add(high: number, low: number, ts: number, value = 0): number {
    const found = this.find(high, low, ts);
    if (found >= 0) return found;
    const number = this.#nearNumber;
    if (number < this.#oldest) return -1;
    let generation = this.#near[this.#reach];
    if (generation === undefined) {
      generation = new Generation();
      this.#generations.set(number, generation);
      this.#near[this.#reach] = generation;
    }
    generation.put(high, low, this.#offset(ts, number), value & LARGEST_VALUE);
    return -1;
  }

  /** The value under which the id was kept within ttlMs of ts, else −1. */
  find(high: number, low: number, ts: number): number {
    const number = this.#reach === 0 ? 0 : Math.floor(ts / this.#generationMs);
    if (number !== this.#nearNumber) this.#approach(number);
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
   * Reads where the ids of a batch will be looked for. The look-ups themselves each wait for
   * memory; these reads do not depend on one another, so the processor has many of them under way
   * at once, and the look-ups find their slots in the cache.
   */
  warm(high: Int32Array, low: Int32Array, length: number): void {
    let seen = 0;
    for (const generation of this.#near) {
      if (generation !== undefined) seen ^= generation.warm(high, low, length);
    }
    this.warmed = seen;
  }

  /** Forgets generations that end at or before `before` (event time, ms). */
  expire(before: number): void {
    if (this.#reach === 0) return;
    const oldest = Math.floor(before / this.#generationMs);
    if (oldest <= this.#oldest) return;
    this.#oldest = oldest;
    for (const number of this.#generations.keys()) {
      if (number < oldest) this.#generations.delete(number);
    }
    this.#nearNumber = Number.NaN;
  }

  /**
   * What is known now, to be written later: shards are copied when they are next written to, so
   * that ids may be added while it is written.
   *
   * @param values whether the values are wanted; else all come back as 0
   */
  capture(values: boolean): (to: BinaryWriter) => Generator<void, void> {
    const oldest = this.#oldest;
    const generations = [...this.#generations].map(
      ([number, generation]) => [number, generation.capture()] as const,
    );
    return function* write(to) {
      const scratch = { slots: new Int32Array(0) };
      to.number(oldest);
      to.number(values ? 1 : 0);
      to.number(generations.length);
      for (const [number, shards] of generations) {
        to.number(number);
        for (const shard of shards) {
          const words = compactSlots(shard, values, scratch);
          to.column(scratch.slots, words);
          yield;
        }
      }
    };
  }

  /**
   * Takes back what was captured; to be called before anything is added.
   *
   * @param writtenTtlMs the ttl that it was captured with: of a shorter one less is known
   */
  *restore(from: BinaryReader, writtenTtlMs: number): Generator<void, void> {
    const writtenMs = generationMs(writtenTtlMs);
    const isSame = writtenMs === this.#generationMs;
    const oldest = from.number();
    this.#oldest = isSame ? oldest : Math.floor((oldest * writtenMs) / this.#generationMs);
    const values = from.number() === 1;
    const generations = from.count();
    for (let n = 0; n < generations; n++) {
      const number = from.number();
      const generation = new Generation();
      yield* generation.restore(from, values);
      if (isSame) this.#generations.set(number, generation);
      else for (const found of generation.entries()) this.#enter(found, number * writtenMs);
      yield;
    }
    this.#nearNumber = Number.NaN;
  }

  /** An id into the generation that its time is of here. */
  #enter({ high, low, offset, value }: KnownId, from: number): void {
    const ts = from + offset;
    const number = Math.floor(ts / this.#generationMs);
    let generation = this.#generations.get(number);
    if (generation === undefined) {
      generation = new Generation();
      this.#generations.set(number, generation);
    }
    generation.put(high, low, this.#offset(ts, number), value);
  }

  /** Neighbouring events mostly fall into the same generations: these are looked up once. */
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

interface KnownId {
  readonly high: number;
  readonly low: number;
  /** Time within the generation. */
  readonly offset: number;
  readonly value: number;
}

class Generation {
  readonly #shards: RecentShard[] = Array.from({ length: SHARDS }, () => new RecentShard());

  get size(): number {
    return this.#shards.reduce((sum, { used }) => sum + used, 0);
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

  *entries(): Generator<KnownId> {
    for (const { slots } of this.#shards) {
      for (let slot = 0; slot < slots.length; slot += SLOT) {
        const stored = slots[slot + 3];
        if (stored === 0) continue;
        const [high, low] = [slots[slot], slots[slot + 1]];
        yield { high, low, offset: slots[slot + 2] >>> 0, value: (stored - 1) & LARGEST_VALUE };
      }
    }
  }

  capture(): CapturedShard[] {
    return this.#shards.map((shard) => shard.capture());
  }

  *restore(from: BinaryReader, values: boolean): Generator<void, void> {
    for (const shard of this.#shards) {
      shard.restore(from.int32(), values);
      yield;
    }
  }

  get(high: number, low: number, offset: number, ttlMs: number): number {
    return this.#shards[(high >>> 16) % SHARDS].get(high, low, offset, ttlMs);
  }
}
