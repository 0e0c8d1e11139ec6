import { describe, expect, it } from 'vitest';
import { FAULTS, type FaultName } from '../support/model/panes-faults.js';
import { PanesWorld, Violation } from '../support/model/panes-world.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

const RUNS = repetitions(200, 10_000);
/** Within so many runs a planted fault has to be found. */
const MOST_RUNS = 5_000;
const TIMEOUT_MS = 1_200_000;

/** Faults that a few runs find; at night all of them are planted. */
const FOUND_SOON: readonly FaultName[] = [
  'counts-again',
  'keeps-its-state',
  'keeps-what-is-read',
  'passes-nothing',
  'ticks-without-a-silent-one',
  'writes-ahead',
];
const PLANTED = IS_LONG ? (Object.keys(FAULTS) as FaultName[]) : FOUND_SOON;

/**
 * Disturbs readers and tickers and lets them settle, once or twice.
 *
 * @returns what it comes to that must never be; undefined if there is nothing
 */
function violationIn(world: PanesWorld): string | undefined {
  try {
    for (let n = world.pick([1, 2]); n > 0; n--) {
      world.disturb(world.pick([300, 800, 1500]));
      world.settle();
    }
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

describe('the panes topic under an adversarial scheduler', () => {
  it(
    'counts each event once, gives the ticks of one process, and never stalls',
    () => {
      const violations: string[] = [];
      const sums: Record<string, number> = {};
      for (let seed = 1; seed <= RUNS; seed++) {
        const world = new PanesWorld(seed);
        const violation = violationIn(world);
        if (violation !== undefined) violations.push(`seed ${seed}: ${violation}`);
        for (const [what, count] of Object.entries(world.stats)) {
          sums[what] = (sums[what] ?? 0) + count;
        }
      }
      expect(violations).toEqual([]);
      const seen = ['kept', 'losses', 'reloads', 'reported', 'ticks', 'written'];
      expect(Object.keys(sums).sort()).toEqual(seen);
    },
    TIMEOUT_MS,
  );

  it.each(PLANTED.map((fault) => [FAULTS[fault], fault] as const))(
    'exposes the planted fault: %s',
    (_, fault) => {
      let seed = 1;
      while (seed <= MOST_RUNS && violationIn(new PanesWorld(seed, fault)) === undefined) seed++;
      expect(seed).toBeLessThanOrEqual(MOST_RUNS);
    },
    TIMEOUT_MS,
  );
});
