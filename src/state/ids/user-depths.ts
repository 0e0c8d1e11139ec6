import { xxHash32 } from '../binary/xxhash32.js';

/** Seed of the hash behind depths; no other hash of ids uses it. */
const SEED = 0x756e736b;
/** Seeds of the two halves of a key. */
const KEY_SEEDS = [0x686f6d65, 0x73706f74] as const;
const KEY_BITS = 46;
const UNKNOWN = 255;
const LONGEST_ID = 512;

/** Largest depth, that of a hash with 32 zero bits. */
export const DEEPEST = 32;

/** Users of a partition by their dense numbers. */
export interface UserIds {
  /** Number that changes when numbers may have been reused for other users. */
  readonly generation: number;
  byteLengthOf(user: number): number;
  /** Copy the id's bytes; @returns their number. */
  copyTo(user: number, into: Uint8Array, from: number): number;
}

/**
 * Depth of an id: how often the sample of users can be halved before the id is dropped.
 *
 *   depth(u) = leading zeros of XXH32(bytes of u, fixed seed);  P(depth ≥ k) = 2^−k
 *
 * Users of depth ≥ k are a random sample, the same in every process, and the sample of k + 1 is a
 * subset. The hash has no secret, so ids can be chosen to be deep.
 *
 * **Source**: sampling by hash in halvings, as in Gibbons, *Distinct sampling for highly-accurate
 * answers to distinct values queries and event reports*, VLDB 2001.
 *
 * @param length of the id, which the bytes begin with
 * @returns 0 to 32; the empty id has a depth like any other
 * @example
 * depthOf(new TextEncoder().encode('u1')) >= 0
 */
export function depthOf(id: Uint8Array, length = id.length): number {
  return Math.clz32(xxHash32(id, length, SEED));
}

/** Depth of a user, from the key of `UserDepths.keyOf`. */
export function depthOfKey(key: number): number {
  return Math.floor(key / 2 ** KEY_BITS);
}

/**
 * Depths of a partition's users, one byte each, computed on first use.
 *
 * @example
 * const users = new Interner();
 * const u1 = new TextEncoder().encode('u1');
 * const depths = new UserDepths(users);
 * depths.of(users.intern(u1, 0, 2, hashBytes(u1, 0, 2))) === depthOf(u1);
 */
export class UserDepths {
  readonly #ids: UserIds;
  readonly #bytes = new Uint8Array(LONGEST_ID);
  #depths = new Uint8Array(256).fill(UNKNOWN);
  #generation = 0;

  constructor(ids: UserIds) {
    this.#ids = ids;
  }

  /** @throws RangeError for an unknown user */
  of(user: number): number {
    if (this.#generation !== this.#ids.generation) {
      this.#forget();
    }
    const known = user < this.#depths.length ? this.#depths[user] : UNKNOWN;
    return known === UNKNOWN ? this.#find(user) : known;
  }

  /**
   * A number that identifies the user in all partitions and processes, and increases with depth.
   *
   *   key(u) = depth(u) · 2⁴⁶ + 46 bits of XXH32 of u under two seeds
   *
   * The probability that two of 10,000 users share a key is 10⁻⁶.
   *
   * @throws RangeError for an unknown user
   */
  keyOf(user: number): number {
    const [bytes, length] = this.#bytesOf(user);
    const high = xxHash32(bytes, length, KEY_SEEDS[0]) >>> 9;
    const low = xxHash32(bytes, length, KEY_SEEDS[1]) >>> 9;
    return this.of(user) * 2 ** KEY_BITS + high * 2 ** 23 + low;
  }

  #forget(): void {
    this.#generation = this.#ids.generation;
    this.#depths.fill(UNKNOWN);
  }

  #find(user: number): number {
    if (user >= this.#depths.length) {
      const larger = new Uint8Array(Math.max(user + 1, this.#depths.length * 2)).fill(UNKNOWN);
      larger.set(this.#depths);
      this.#depths = larger;
    }
    this.#depths[user] = depthOf(...this.#bytesOf(user));
    return this.#depths[user];
  }

  #bytesOf(user: number): [bytes: Uint8Array, length: number] {
    const length = this.#ids.byteLengthOf(user);
    const bytes = length <= LONGEST_ID ? this.#bytes : new Uint8Array(length);
    this.#ids.copyTo(user, bytes, 0);
    return [bytes, length];
  }
}
