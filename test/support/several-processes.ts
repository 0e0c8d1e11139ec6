import { expect } from 'vitest';
import type { ItemNames, Rounds } from '../../src/estimators/partitions/rounds.js';

/** Bytes by round and partition: all that processes know of each other. */
export type Log = Map<string, Uint8Array>;

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
    *gather(into, parts, fill) {
      const name = round++;
      for (const [at, part] of parts.entries()) {
        const sums = into.ofOthers();
        yield* fill(sums, part);
        log.set(`${name} ${partitions[at]}`, sums.encode());
      }
      for (let p = 0; p < count; p++) {
        while (!log.has(`${name} ${p}`)) yield;
        into.merge(into.decode(log.get(`${name} ${p}`)!));
      }
      return into;
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
