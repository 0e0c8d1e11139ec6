const FIRST_HIGH = 0x2c1b3c6d;
const FIRST_LOW = 0x297a2d39;

/** Published constants of MurmurHash3, used without a key. */
const PUBLISHED = {
  first: 0,
  before: 0xcc9e2d51,
  after: 0x1b873593,
};
let { first, before, after } = PUBLISHED;

/**
 * Set a secret for `hashBytes` and `hashView`, so that colliding ids cannot be chosen for tables of
 * this process. A secret seed would not be enough, since some collisions are independent of the
 * seed and use the published multipliers. To be called before any table is filled; numbers,
 * checkpoints and samples do not depend on it. Undefined restores the published constants.
 *
 * @param key three random integers
 */
export function keyTables(key: Int32Array | undefined): void {
  ({ first, before, after } =
    key === undefined
      ? PUBLISHED
      : {
          first: key[0],
          before: key[1] | 1,
          after: key[2] | 1,
        });
}

/**
 * A 32-bit hash of a byte range, for tables of ids.
 *
 * h ← (rotl(h ⊕ c₂·rotl(c₁·k, 15), 13))·5 + c₃ for each little-endian 32-bit word k (the last one
 * padded with zeros), then h ⊕ length through a finalizer in which every input bit reaches every
 * output bit.
 *
 * Source: Austin Appleby, MurmurHash3 (public domain), x86 32-bit variant.
 * Without `keyTables` it has no secret, so colliding ids can be chosen.
 *
 * @param bytes  holds the range start ≤ i < end
 * @returns an int32; an empty range gives a fixed number
 * @example
 * hashBytes(new TextEncoder().encode('u1'), 0, 2) === hashBytes(new TextEncoder().encode('xu1'), 1, 3)
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = first;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = mixed(hash ^ scrambled(wordAt(bytes, at)));
  }
  if (at < end) {
    hash ^= scrambled(lastWord(bytes, at, end));
  }
  return finish(hash ^ (end - start));
}

/** `hashBytes` of bytes that can be read in words: the same hash, in half of the time. */
export function hashView(view: DataView, start: number, end: number): number {
  let hash = first;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = mixed(hash ^ scrambled(view.getInt32(at, true)));
  }
  if (at < end) {
    hash ^= scrambled(lastWordOfView(view, at, end));
  }
  return finish(hash ^ (end - start));
}

/**
 * `hashView` of many ranges start[i] ≤ byte < end[i], written to `hashes`. One call for a list is
 * faster than one call for each item.
 *
 * @returns whether all of their bytes are ASCII
 */
export function hashRanges(
  view: DataView,
  start: Int32Array,
  end: Int32Array,
  count: number,
  hashes: Int32Array,
): boolean {
  const from = first;
  const times = before;
  const then = after;
  let bits = 0;
  for (let i = 0; i < count; i++) {
    const to = end[i];
    let hash = from;
    let at = start[i];
    const length = to - at;
    for (; at + 4 <= to; at += 4) {
      const word = view.getInt32(at, true);
      bits |= word;
      const product = Math.imul(word, times);
      hash = mixed(hash ^ Math.imul((product << 15) | (product >>> 17), then));
    }
    if (at < to) {
      const word = lastWordOfView(view, at, to);
      bits |= word;
      const product = Math.imul(word, times);
      hash ^= Math.imul((product << 15) | (product >>> 17), then);
    }
    hashes[i] = finish(hash ^ length);
  }
  return (bits & 0x80808080) === 0;
}

/**
 * `hashBytes` of the eight bytes of a 64-bit hash, given as two halves. `hash64` itself has no
 * secret.
 */
export function hashHalves(high: number, low: number): number {
  return finish(mixed(mixed(first ^ scrambled(high)) ^ scrambled(low)) ^ 8);
}

/**
 * A 64-bit hash of a byte range in two int32 halves, which identifies events by their ids.
 *
 * Each half is computed as in `hashBytes` with its own multipliers, so that a collision of one half
 * does not make a collision of the other more likely.
 *
 * @param out  out[0] becomes the high half, out[1] the low half
 * @example
 * const halves = new Int32Array(2);
 * hash64(new TextEncoder().encode('event-1'), 0, 7, halves);
 * halves[0] !== halves[1];
 */
export function hash64(bytes: Uint8Array, start: number, end: number, out: Int32Array): void {
  let high = FIRST_HIGH;
  let low = FIRST_LOW;
  for (let at = start; at < end; at += 4) {
    const word = at + 4 <= end ? wordAt(bytes, at) : lastWord(bytes, at, end);
    high = mixedHigh(high, word);
    low = mixedLow(low, word);
  }
  out[0] = finish(high ^ (end - start));
  out[1] = finish(low ^ (end - start));
}

/** `hash64` of bytes that can be read in words: the same hash, in half of the time. */
export function hash64View(view: DataView, start: number, end: number, out: Int32Array): void {
  let high = FIRST_HIGH;
  let low = FIRST_LOW;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at, true);
    high = mixedHigh(high, word);
    low = mixedLow(low, word);
  }
  if (at < end) {
    const word = lastWordOfView(view, at, end);
    high = mixedHigh(high, word);
    low = mixedLow(low, word);
  }
  out[0] = finish(high ^ (end - start));
  out[1] = finish(low ^ (end - start));
}

/** The four bytes from `at` as a little-endian int32. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}

/** The last one to three bytes of a range as `wordAt` reads them, padded with zeros. */
export function lastWord(bytes: Uint8Array, start: number, end: number): number {
  // Four bytes that reach back before the range, those shifted out: straight code beats a loop.
  if (end >= 4) return wordAt(bytes, end - 4) >>> ((4 - end + start) << 3);
  let word = 0;
  for (let at = end - 1; at >= start; at--) {
    word = (word << 8) | bytes[at];
  }
  return word;
}

export function lastWordOfView(view: DataView, start: number, end: number): number {
  if (end >= 4) return view.getInt32(end - 4, true) >>> ((4 - end + start) << 3);
  let word = 0;
  for (let at = end - 1; at >= start; at--) {
    word = (word << 8) | view.getUint8(at);
  }
  return word;
}

function scrambled(word: number): number {
  const product = Math.imul(word, before);
  return Math.imul((product << 15) | (product >>> 17), after);
}

function mixed(hash: number): number {
  return (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
}

function mixedHigh(hash: number, word: number): number {
  const product = Math.imul(word, 0x239b961b);
  const xored = hash ^ Math.imul((product << 15) | (product >>> 17), 0xab0e9789);
  return (Math.imul((xored << 13) | (xored >>> 19), 5) + 0x561ccd1b) | 0;
}

function mixedLow(hash: number, word: number): number {
  const product = Math.imul(word, 0x9e3779b1);
  const xored = hash ^ Math.imul((product << 11) | (product >>> 21), 0x38b34ae5);
  return (Math.imul((xored << 17) | (xored >>> 15), 9) + 0x0bcaa747) | 0;
}

function finish(hash: number): number {
  let folded = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  folded = Math.imul(folded ^ (folded >>> 13), 0xc2b2ae35);
  return folded ^ (folded >>> 16);
}
