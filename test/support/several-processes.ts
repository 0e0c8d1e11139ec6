import { expect } from 'vitest';
import {
  encodedParts,
  type ItemNames,
  mergeEncoded,
  type Rounds,
} from '../../src/estimators/partitions/rounds.js';

/** Bytes by round and partition: all that processes know of each other. */
export type Log = Map<string, Uint8Array>;

/** Items by what all call them, where some are not called by a number. @param items by that number */
export function everyOther(items: readonly number[]): Int32Array {
  return Int32Array.from(items, (item, call) => (call % 2 === 0 ? item : -1));
}

/** Of processes that number items alike. */
export const NAMES: ItemNames = {
  called: everyOther([...Array(10).keys()]),
  textOf: String,
  itemOf: Number,
};

/**
 * Rounds of a process that has some of the partitions: its sums go to the log as bytes, and those of
 * all are read from there.
 *
 * @param partitions its own, ascending. @param count how many there are in all.
 */
export function loggedRounds(
  partitions: readonly number[],
  count: number,
  log: Log,
  names: ItemNames,
): Rounds {
  let round = 0;
  return {
    names,
    does: (n) => partitions.includes(n % count),
    *gather(into, parts, fill) {
      const name = round++;
      const payloads = yield* encodedParts(into, parts, fill);
      for (const [at, bytes] of payloads.entries()) log.set(`${name} ${partitions[at]}`, bytes);
      const all: Uint8Array[] = [];
      for (let p = 0; p < count; p++) {
        while (!log.has(`${name} ${p}`)) yield;
        all.push(log.get(`${name} ${p}`)!);
      }
      return mergeEncoded(into, all);
    },
  };
}

/** All processes at once, one step of each in turn. */
export function together<T>(works: readonly Generator<void, T>[]): T[] {
  const found = new Map<number, T>();
  for (let turn = 0; turn < 100_000 && found.size < works.length; turn++) {
    for (const [w, work] of works.entries()) {
      if (found.has(w)) continue;
      const step = work.next();
      if (step.done) found.set(w, step.value);
    }
  }
  expect(found.size, 'processes that came to an end').toBe(works.length);
  return works.map((_, w) => found.get(w)!);
}
