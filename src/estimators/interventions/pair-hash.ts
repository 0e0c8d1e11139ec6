/**
 * A 64-bit hash of a user and an item, from the 64-bit hashes of their ids.
 *
 * Each half processes the four words in a different order, so that collisions of the halves are
 * independent. The hash depends on the ids alone.
 * Source: the finalizer of Austin Appleby's MurmurHash3 (public domain), once for each word.
 *
 * @param out receives the high half and the low half, as int32.
 * @example
 * const [one, other] = [new Int32Array(2), new Int32Array(2)];
 * pairHash(1, 2, 3, 4, one);
 * pairHash(3, 4, 1, 2, other);
 * one[0] !== other[0] && one[1] !== other[1];
 */
export function pairHash(
  userHigh: number,
  userLow: number,
  itemHigh: number,
  itemLow: number,
  out: Int32Array,
): void {
  out[0] = mixed(mixed(mixed(mixed(userHigh ^ 0x243f6a88) ^ itemHigh) ^ userLow) ^ itemLow);
  out[1] = mixed(mixed(mixed(mixed(itemLow ^ 0x13198a2e) ^ userLow) ^ itemHigh) ^ userHigh);
}

function mixed(word: number): number {
  let hash = (word + 0x2545f491) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
