import { xxHash32 } from '../binary/xxhash32.js';

/** No other hash of ids has this seed, nor this function. */
const SEED = 0x756e736b;
const UNKNOWN = 255;
const LONGEST_ID = 512;

/** The deepest that a user can lie: a hash of zeros alone. */
export const DEEPEST = 32;

/** Users of a partition by their dense numbers. */
export interface UserIds {
  /** Another one where numbers may have become those of other users. */
  readonly generation: number;
  byteLengthOf(user: number): number;
  /** Copies the id's bytes; @returns how many there are. */
  copyTo(user: number, into: Uint8Array, from: number): number;
}

/**
 * The depth of an id: in how many halvings of the users it stays.
 *
 *   depth(u) = leading zeros of XXH32(bytes of u, fixed seed);  P(depth ≥ k) = 2^−k
 *
 * Users of depth ≥ k are a random sample of all, the same one wherever it is drawn, and that of k + 1
 * is a part of it. The hash has no secret: anyone who chooses ids can choose deep ones.
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

/**
 * Depths of a partition's users, a byte each, found when they are first asked for: while nothing is
 * sampled nobody asks.
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

  /** @throws RangeError for a user that the ids do not know */
  of(user: number): number {
    if (this.#generation !== this.#ids.generation) this.#forget();
    const known = user < this.#depths.length ? this.#depths[user] : UNKNOWN;
    return known === UNKNOWN ? this.#find(user) : known;
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
    const length = this.#ids.byteLengthOf(user);
    const bytes = length <= LONGEST_ID ? this.#bytes : new Uint8Array(length);
    this.#ids.copyTo(user, bytes, 0);
    this.#depths[user] = depthOf(bytes, length);
    return this.#depths[user];
  }
}
