import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import {
  type CapturedShard,
  compactSlots,
  LARGEST_VALUE,
  RecentShard,
  SLOT,
} from './recent-shard.js';

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
