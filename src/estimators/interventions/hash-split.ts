import { hash53 } from './sampling-key.js';

/** Keeps the split apart from the draw, which hashes the same ids with the seed itself. */
const SPLIT_STREAM = 0x73706c69;

/** Seed of the split that belongs to a seed of the draw: the two are independent of each other. */
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
