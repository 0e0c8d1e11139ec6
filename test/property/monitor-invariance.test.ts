import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { usersOfDepths } from '../oracle/sampling.js';
import { differences } from '../support/compare.js';
import { type Event, feed, quickOptions, smallOptions } from '../support/log.js';
import { aLogOf } from '../support/random-log.js';
import { repetitions } from '../support/repetitions.js';

const aShortLog = aLogOf(80);

/**
 * Equal times of one user keep the order of the log, which shuffling changes: there are none. Two
 * users alone, so that shuffling often parts a list from the interaction that it ranks.
 */
const aLogOfMoments = aLogOf(80, ['u0', '__proto__'], 40).map((log) => {
  let shift = 0;
  const taken = new Set<string>();
  return log.map((event): Event => {
    if (taken.has(`${(event.ts as number) + shift} ${event.user}`)) shift++;
    const ts = (event.ts as number) + shift;
    taken.add(`${ts} ${event.user}`);
    return { ...event, ts };
  });
});

const aFeed = fc.record({
  partitions: fc.integer({ min: 1, max: 7 }),
  batchSize: fc.integer({ min: 1, max: 40 }),
  run: fc.integer({ min: 1, max: 5 }),
});

describe('the same log gives the same snapshots', () => {
  it('for any batches, partitions and interleaving of the topics', () => {
    fc.assert(
      fc.property(aShortLog, aFeed, (log, how) => {
        const one = feed(log, quickOptions(), { partitions: 1, batchSize: 1_000, run: 1 });
        const other = feed(log, quickOptions(), how);
        expect(one.outcomes.accepted).toBe(log.length);
        expect(other.outcomes).toEqual(one.outcomes);
        expect(other.unranked).toBe(one.unranked);
        expect(differences(other.snapshots, one.snapshots, 1e-9)).toEqual([]);
      }),
      { numRuns: repetitions(1, 80) },
    );
  });

  it('with sampled users, whose popularity equals that of all traffic', () => {
    const options = quickOptions({ limits: { rows: 24, listEntries: 60, users: 12 } });
    let ratio = 1;
    fc.assert(
      fc.property(aLogOf(80, usersOfDepths([4, 3, 2, 1]), 60), aFeed, (log, how) => {
        const one = feed(log, options, { ...how, batchSize: 1_000, run: 1 });
        const other = feed(log, options, how);
        const all = feed(log, quickOptions(), how);
        expect(differences(other, one, 1e-9)).toEqual([]);
        const ofAllTraffic = ({ popularity, lorenz, propensity, catalogueSize }: Snapshot) => ({
          popularity,
          lorenz,
          propensity,
          catalogueSize,
        });
        const [some, wanted] = [other, all].map(({ snapshots }) => snapshots.map(ofAllTraffic));
        expect(differences(some, wanted, 1e-9)).toEqual([]);
        expect(all.sampledOut).toBe(0);
        for (const { sampling } of one.snapshots) ratio = Math.min(ratio, sampling.ratio);
      }),
      { numRuns: repetitions(1, 60) },
    );
    expect(ratio).toBeLessThan(1);
  });

  it('if records are repeated with the same ids', () => {
    fc.assert(
      fc.property(aShortLog, aFeed, fc.nat(50), (log, how, every) => {
        const repeated = log.flatMap((event, n) =>
          n % (every + 1) === 0 ? [event, event] : [event],
        );
        const one = feed(log, quickOptions(), how);
        const other = feed(repeated, quickOptions(), how);
        expect(other.outcomes.duplicate).toBe(repeated.length - log.length);
        expect(differences(other.snapshots, one.snapshots, 1e-12)).toEqual([]);
      }),
      { numRuns: repetitions(1, 60) },
    );
  });

  it('if events are out of order by less than the lateness', () => {
    fc.assert(
      fc.property(aLogOfMoments, aFeed, fc.infiniteStream(fc.nat(4)), (log, how, jitter) => {
        const shuffled = log
          .map((event) => ({ event, at: (event.ts as number) + jitter.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ event }) => event);
        const one = feed(log, quickOptions(), { partitions: 1, batchSize: 1_000, run: 1 });
        const other = feed(shuffled, quickOptions(), how);
        expect(other.outcomes.late).toBe(0);
        expect(differences(other.snapshots, one.snapshots, 1e-9)).toEqual([]);
      }),
      { numRuns: repetitions(2, 80) },
    );
  });
});

describe('a late event', () => {
  const base: Event[] = [
    { type: 'exposure', id: 'e1', ts: 1000, user: 'u', model: 'm', items: ['a', 'b', 'c'] },
    { type: 'interaction', id: 'x1', ts: 1001, user: 'u', item: 'b' },
    { type: 'exposure', id: 'e2', ts: 1040, user: 'u', model: 'm', items: ['a', 'b', 'c'] },
    { type: 'interaction', id: 'x2', ts: 1041, user: 'u', item: 'a' },
  ];
  const late: Event = { type: 'interaction', id: 'x3', ts: 1002, user: 'u', item: 'c' };

  it('counts in popularity, is counted as late, and has no row in any window', () => {
    const how = { partitions: 1, batchSize: 1, run: 1 };
    const without = feed(base, smallOptions(), how);
    const withLate = feed([...base, late], smallOptions(), how);
    expect(withLate.outcomes.late).toBe(1);
    expect(withLate.snapshots.map(({ windows }) => windows.map(({ counts }) => counts))).toEqual(
      without.snapshots.map(({ windows }) => windows.map(({ counts }) => counts)),
    );
    const totals = (fed: typeof without) =>
      fed.snapshots.map((s) => s.popularity.interactions.total);
    expect(totals(without)).toEqual([1, 1, 1, 1, 2]);
    // From the pane of its partition's newest event on, not in the past.
    expect(totals(withLate)).toEqual([1, 1, 1, 1, 3]);
  });
});
