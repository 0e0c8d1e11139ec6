import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MonitorOptions } from '../../src/stream/options.js';
import type { Lookup } from '../../src/stream/tick/lookup.js';
import { usersOfDepths } from '../oracle/sampling.js';
import { differences } from '../support/compare.js';
import { decisionOptions } from '../support/decision.js';
import { driftOptions } from '../support/drift.js';
import { FOUR_REQUESTS } from '../support/golden-arms.js';
import { type Event, feed, quickOptions, withNaive } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { aLogOf } from '../support/random-log.js';
import { repetitions } from '../support/repetitions.js';
import { requestEvents } from '../support/request-events.js';
import { RestartedReader } from '../support/restarts.js';
import { throughRecords } from '../support/through-records.js';

const OPTIONS = quickOptions({
  ...withNaive(),
  popularity: { horizonMs: 120, of: 'positive' },
  drift: driftOptions({ windowMs: 20, metric: { metric: 'dcg', k: 2 }, learn: 3, hold: 2 }),
  decision: decisionOptions(),
});
const SOME_USERS = usersOfDepths([4, 3, 2, 1]);
/** With limits that most logs are above, in the rows or in the lists of some panes. */
const LIMITED: MonitorOptions = {
  ...OPTIONS,
  limits: { rows: 24, listEntries: 60, users: 12 },
};
/** Long enough to be above them, so that few runs do. */
const aLongLog = aLogOf(repetitions(50, 80), SOME_USERS, repetitions(45, 60));
/** Twelve requests of two arms, 5 ms apart, with a challenger's lists. */
const EXPERIMENT = requestEvents([...FOUR_REQUESTS, ...FOUR_REQUESTS, ...FOUR_REQUESTS], {
  models: ['A', 'B', 'S'],
  shares: [[0.5, 0.5]],
  from: 1000,
  stepMs: 5,
});
const RUNS = { endOnFailure: true };

/** Events between two stretches that are empty. */
const STRETCH = repetitions(25, 15);

/** A log that is late in places, names exposures, repeats ids and leaves stretches empty. */
const aRoughLog = fc
  .tuple(
    aLogOf(repetitions(55, 80), undefined, 50),
    fc.array(fc.nat(40), { minLength: 80, maxLength: 80 }),
  )
  .map(([log, jumps]) =>
    log.flatMap((event, n): Event[] => {
      const jump = jumps[n]!;
      const ts = (event.ts as number) - (jump < 4 ? 12 * jump : 0) + Math.floor(n / STRETCH) * 90;
      const moved = { ...event, ts };
      if (moved.type === 'interaction' && jump > 30) return [{ ...moved, exposure: `e${n - 1}` }];
      return jump === 20 ? [moved, moved] : [moved];
    }),
  );

/** The same where every other interaction is with an item of its user's newest list, and names it. */
const aNamingLog = aRoughLog.map((log) => {
  const newest = new Map<string, Event & { type: 'exposure' }>();
  return log.map((event, n): Event => {
    if (event.type === 'exposure') {
      newest.set(event.user, event);
      return event;
    }
    const list = newest.get(event.user);
    if (list === undefined || n % 2 === 0) return event;
    return { ...event, item: list.items[0]!, value: 1, exposure: list.id };
  });
});

/** A request is one user's. */
function ofOwnRequest(event: Event): Event {
  if (event.type !== 'exposure' || event.request === undefined) return event;
  return { ...event, request: `${event.request} of ${event.user}` };
}

describe('panes closed by other processes', () => {
  it('give the numbers of one process that reads everything', () => {
    fc.assert(
      fc.property(
        aLogOf(80),
        fc.constantFrom(1, 6, 24),
        fc.constantFrom(1, 2, 4, 8),
        (log, partitions, readers) => {
          const alone = feed(log, OPTIONS, { partitions: 1, batchSize: 1000, run: 1 });
          const { snapshots } = throughRecords(log, OPTIONS, partitions, readers);
          expect(differences(snapshots, alone.snapshots, 1e-9)).toEqual([]);
        },
      ),
      { ...RUNS, numRuns: repetitions(2, 20) },
    );
  });

  it('use the larger propensity of two simultaneous lists in any model order', () => {
    const list = { type: 'exposure' as const, ts: 1000, shown: true };
    const log: Event[] = [
      { ...list, id: 'e0', user: 'u0', model: 'b', items: ['i4'] },
      { ...list, id: 'e1', user: 'u4', model: 'a', items: ['i2'], propensities: [0.5] },
      { ...list, id: 'e2', user: 'u4', model: 'b', items: ['i0', 'i2'], propensities: [0.5, 0.25] },
      { type: 'interaction', id: 'x3', ts: 1003, user: 'u4', item: 'i2', value: 1 },
      { type: 'interaction', id: 'x4', ts: 1090, user: 'u0', item: 'i0', value: 1 },
    ];
    const weights = [1, 24].map((partitions) => {
      const { snapshots } = throughRecords(log, OPTIONS, partitions, 1);
      return (
        snapshots[0].windows[1].ratings!.propensity.weightShare *
        snapshots[0].windows[1].ratings!.propensity.pairs
      );
    });
    expect(weights[0]).toBeCloseTo(2, 6);
    expect(weights[1]).toBeCloseTo(2, 6);
  });

  it('give the same values and differences of values as one process', () => {
    const value = { horizonMs: 25, unit: 'request' as const, theta: [1, 0.5], isJudged: false };
    let values = 0;
    let compared = 0;
    fc.assert(
      fc.property(aLongLog, (drawn) => {
        // Lists of one request for two users meet where both are of one partition only.
        const log = [...drawn.map(ofOwnRequest), ...EXPERIMENT].sort(
          (a, b) => Number(a.ts) - Number(b.ts),
        );
        const options = { ...quickOptions(withNaive()), value };
        const alone = feed(log, options, { partitions: 1, batchSize: 1000, run: 1 });
        const { snapshots } = throughRecords(log, options, 3);
        expect(differences(snapshots, alone.snapshots, 1e-9)).toEqual([]);
        for (const { windows } of alone.snapshots) {
          values += windows[1].values?.filter(({ value: own }) => own > 0).length ?? 0;
          compared += windows[1].valueDifferences?.filter(({ stdErr }) => stdErr > 0).length ?? 0;
        }
      }),
      { ...RUNS, numRuns: repetitions(1, 10) },
    );
    expect(Math.min(values, compared)).toBeGreaterThan(0);
  });

  it('attribute causes and rewards if events are late, repeated and give exposure ids', () => {
    const options: MonitorOptions = {
      ...LIMITED,
      // Lists are known for less than any window.
      attributionTtlMs: 15,
      estimates: { ...OPTIONS.estimates, feedback: 'withhold' },
    };
    let values = 0;
    fc.assert(
      fc.property(aNamingLog, fc.integer({ min: 1, max: 4 }), (log, readers) => {
        // Lateness is a matter of partitions: both have the same.
        const alone = new RestartedReader(log, options, 6);
        alone.finish();
        const { snapshots } = throughRecords(log, options, 6, readers);
        expect(differences(snapshots, paneSeries(alone.snapshots), 1e-9)).toEqual([]);
        for (const { windows } of alone.snapshots) {
          for (const { onPolicy } of windows) values += onPolicy!.values.length;
        }
      }),
      { ...RUNS, numRuns: repetitions(1, 20) },
    );
    expect(values).toBeGreaterThan(0);
  });

  it('hold the same sample of users, all of whom the ticker can look up', () => {
    let ratio = 1;
    fc.assert(
      fc.property(aLongLog, fc.constantFrom(1, 3, 6), (log, partitions) => {
        const alone = new RestartedReader(log, LIMITED, partitions);
        alone.finish();
        const { snapshots, lookup } = throughRecords(log, LIMITED, partitions);
        expect(differences(snapshots, paneSeries(alone.snapshots), 1e-9)).toEqual([]);
        const knownTo = (one: Lookup) => SOME_USERS.map((user) => one.user(user)?.count ?? 0);
        expect(knownTo(lookup)).toEqual(knownTo(alone.lookup));
        for (const { sampling } of snapshots) ratio = Math.min(ratio, sampling.ratio);
      }),
      { ...RUNS, numRuns: repetitions(1, 20) },
    );
    expect(ratio).toBeLessThan(1);
  });
});
