/**
 * Constant hashed into the seed of the split. It makes the split independent of the draw, which
 * hashes the same ids with the seed itself.
 */
const SPLIT_STREAM = 0x73706c69;

/** Derive the seed of the split from the seed of the draw, so that both are independent. */
export function splitSeed(seed: number): number {
  return hash53(seed, SPLIT_STREAM, 0);
}

/**
 * Whether a row belongs to the train part of a random split.
 *
 * hash53(seed, id) / 2^53 < share. It depends on the id and the seed alone, so that a row stays in
 * its part whatever else is in the log.
 * Source: Carraro & Bridge 2020, section 5.2 (random split of O_mnar into 60 % and 40 %).
 *
 * @param seed of the split, see `splitSeed`. @param share of the train part, 0 to 1.
 * @example
 * isInTrainPart(splitSeed(1), 0, 7, 0) === false && isInTrainPart(splitSeed(1), 0, 7, 1) === true
 */
export function isInTrainPart(seed: number, idHigh: number, idLow: number, share: number): boolean {
  return hash53(seed, idHigh, idLow) < share * 9_007_199_254_740_992;
}

/**
 * Hash a seed and a 64-bit id to a whole number below 2^53.
 *
 * Two 32-bit hashes process seed and id in different orders; the result joins 27 bits of one and 26
 * bits of the other.
 * Source: the finalizer of Austin Appleby's MurmurHash3 (public domain), once for each word.
 *
 * @param seed a whole number from 0 to 2^53 − 1. @param idHigh,idLow halves of the id, as int32.
 * @returns the same number at every start and in every process; all bits depend on all input.
 * @example
 * hash53(1, 0, 7) === hash53(1, 0, 7) && hash53(1, 0, 7) !== hash53(2, 0, 7)
 */
export function hash53(seed: number, idHigh: number, idLow: number): number {
  const seedHigh = Math.floor(seed / 4_294_967_296);
  const first = mixed(mixed(mixed(mixed(seed ^ 0x3c6ef372) ^ seedHigh) ^ idHigh) ^ idLow);
  const second = mixed(mixed(mixed(mixed(seed ^ 0x1b873593) ^ idLow) ^ seedHigh) ^ idHigh);
  return (first >>> 5) * 67_108_864 + (second >>> 6);
}

/**
 * The exponential clock of one row in a draw without replacement: the rows with the k smallest
 * clocks are the sample.
 *
 * E = −ln(u) / w, u = (hash53(seed, id) + ½) / 2^53.
 * Source: Efraimidis & Spirakis 2006 (successive sampling), as exponential variates of rate w.
 *
 * @param weight w ≥ 0. @returns the clock, above 0; Infinity for w = 0: such a row is never drawn.
 * @example
 * samplingKey(1, 0, 7, 2) === samplingKey(1, 0, 7, 1) / 2
 */
export function samplingKey(seed: number, idHigh: number, idLow: number, weight: number): number {
  if (weight === 0) return Number.POSITIVE_INFINITY;
  return -Math.log((hash53(seed, idHigh, idLow) + 0.5) / 9_007_199_254_740_992) / weight;
}

function mixed(word: number): number {
  let hash = (word + 0x7ed55d16) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
