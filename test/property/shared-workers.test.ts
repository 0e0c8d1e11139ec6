import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lookup } from '../../src/stream/lookup.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { usersOfDepths } from '../oracle/sampling.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { decisionOptions } from '../support/decision.js';
import { driftOptions } from '../support/drift.js';
import { FOUR_REQUESTS } from '../support/golden-arms.js';
import { type Event, feed, quickOptions, withNaive } from '../support/log.js';
import { paneSeries, withoutTest } from '../support/pane-series.js';
import { aLogOf } from '../support/random-log.js';
import { repetitions } from '../support/repetitions.js';
import { requestEvents } from '../support/request-events.js';
import { RestartedReader } from '../support/restarts.js';
import { SharedWorkers } from '../support/workers.js';

const which = fc.nat(7);
const aStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      role: fc.constantFrom('exposures' as const, 'interactions' as const),
      partition: fc.nat(23),
      count: fc.integer({ min: 1, max: 30 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('move' as const), which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('keep' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('share' as const),
      workers: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('haunt' as const) }) },
);
type Step = typeof aStep extends fc.Arbitrary<infer S> ? S : never;
const steps = fc.array(aStep, { minLength: 30, maxLength: repetitions(40, 90) });

const OPTIONS = quickOptions({
  ...withNaive(),
  popularity: { horizonMs: 120, of: 'positive' },
  drift: driftOptions({ windowMs: 20, metric: { metric: 'dcg', k: 2 }, learn: 3, hold: 2 }),
  decision: decisionOptions(),
});
/** With absolute propensities; lists are known for less than any window. */
const WITH_IPS: MonitorOptions = {
  ...OPTIONS,
  attributionTtlMs: 15,
  estimates: { ...OPTIONS.estimates, estimators: ['snips', 'ips'] },
};
const SOME_USERS = usersOfDepths([4, 3, 2, 1]);
/** With limits that most logs are above, in the rows or in the lists of some panes. */
const LIMITED: MonitorOptions = {
  ...OPTIONS,
  limits: { rows: 24, listEntries: 60, users: 12 },
};
/** Workers over partitions of the short form, each with one partition or two. */
const TOLD = ['4/6'];
/** Long enough to be above them, so that few runs do. */
const aLongLog = aLogOf(repetitions(50, 80), SOME_USERS, repetitions(45, 60));
/** Twelve requests of two arms, 5 ms apart, with a challenger's lists. */
const EXPERIMENT = requestEvents([...FOUR_REQUESTS, ...FOUR_REQUESTS, ...FOUR_REQUESTS], {
  models: ['A', 'B', 'S'],
  shares: [[0.5, 0.5]],
  from: 1000,
  stepMs: 5,
});
/**
 * A run compares all panes of a log over dozens of steps, so that what is lost or counted twice at
 * any kind of step is missed by few runs: the short form has some of each kind, over all cells.
 */
const RUNS = { endOnFailure: true };

async function run(
  log: readonly Event[],
  partitions: number,
  workers: number,
  script: Step[],
  options = OPTIONS,
) {
  const group = new SharedWorkers(log, options, partitions);
  await group.share(workers);
  for (const step of script) {
    if (step.kind === 'read') group.read(step.role, step.partition % partitions, step.count);
    else if (step.kind === 'move') await group.move(step.which);
    else if (step.kind === 'keep') await group.keep(step.which);
    else if (step.kind === 'die') await group.die(step.which);
    else if (step.kind === 'share') await group.share(step.workers);
    else if (step.kind === 'haunt') await group.haunt();
  }
  await group.finish();
  return group;
}

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

describe('workers that share the partitions', () => {
  it('value lists by the requests of all, as one does', async () => {
    const value = { horizonMs: 25, unit: 'request' as const, theta: [1, 0.5], isJudged: false };
    let values = 0;
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(aLongLog, steps, async (drawn, script) => {
        // Lists of one request for two users meet where both are of one partition only.
        const log = [...drawn.map(ofOwnRequest), ...EXPERIMENT].sort(
          (a, b) => Number(a.ts) - Number(b.ts),
        );
        const options = { ...quickOptions(withNaive()), value };
        const alone = feed(log, options, { partitions: 1, batchSize: 1000, run: 1 });
        const { snapshots } = await run(log, 3, 2, script, options);
        const shared = withoutTest(paneSeries(snapshots));
        expect(differences(shared, withoutTest(alone.snapshots), 1e-9)).toEqual([]);
        for (const { windows } of alone.snapshots) {
          values += windows[1].values?.filter(({ value: own }) => own > 0).length ?? 0;
          compared += windows[1].valueDifferences?.filter(({ stdErr }) => stdErr > 0).length ?? 0;
        }
      }),
      { ...RUNS, numRuns: repetitions(1, 10) },
    );
    expect(Math.min(values, compared)).toBeGreaterThan(0);
  });

  for (const workers of [1, 2, 4, 8]) {
    for (const partitions of [1, 6, 24]) {
      const test = TOLD.includes(`${workers}/${partitions}`) ? it : itAtNight;
      test(`${workers} of them over ${partitions} partitions give the panes of one that reads all`, async () => {
        await fc.assert(
          fc.asyncProperty(aLogOf(80), steps, async (log, script) => {
            const alone = feed(log, OPTIONS, { partitions: 1, batchSize: 1000, run: 1 });
            const { snapshots } = await run(log, partitions, workers, script);
            expect(differences(paneSeries(snapshots), alone.snapshots, 1e-9)).toEqual([]);
          }),
          { ...RUNS, numRuns: repetitions(1, 4) },
        );
      });
    }
  }

  // By day the log of those that follow what lists caused is as rough, and ips weighs it.
  itAtNight(
    'do so where events are late, repeated, name exposures and leave panes empty',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          aRoughLog,
          fc.constantFrom(1, 3, 6),
          fc.integer({ min: 1, max: 4 }),
          steps,
          async (log, partitions, workers, script) => {
            // Lateness is a matter of partitions: both have the same.
            const alone = new RestartedReader(log, OPTIONS, partitions);
            alone.finish();
            const { snapshots } = await run(log, partitions, workers, script);
            expect(differences(paneSeries(snapshots), paneSeries(alone.snapshots), 1e-9)).toEqual(
              [],
            );
          },
        ),
        { ...RUNS, numRuns: repetitions(1, 15) },
      );
    },
  );

  itAtNight(
    'weigh by propensities that are logged or follow from randomised traffic as one does',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          aRoughLog,
          fc.integer({ min: 1, max: 4 }),
          steps,
          async (log, n, script) => {
            const alone = new RestartedReader(log, WITH_IPS, 6);
            alone.finish();
            const { snapshots } = await run(log, 6, n, script, WITH_IPS);
            expect(differences(paneSeries(snapshots), paneSeries(alone.snapshots), 1e-9)).toEqual(
              [],
            );
          },
        ),
        { ...RUNS, numRuns: repetitions(1, 10) },
      );
    },
  );

  it('follow what lists caused, and what they are worth, as one does', async () => {
    const options: MonitorOptions = {
      ...LIMITED,
      // Lists are known for less than any window, by which ips weighs.
      attributionTtlMs: 15,
      estimates: { ...OPTIONS.estimates, estimators: ['snips', 'ips'], feedback: 'withhold' },
    };
    let values = 0;
    await fc.assert(
      fc.asyncProperty(
        aNamingLog,
        fc.integer({ min: 1, max: 4 }),
        steps,
        async (log, n, script) => {
          const alone = new RestartedReader(log, options, 6);
          alone.finish();
          const { snapshots } = await run(log, 6, n, script, options);
          expect(differences(paneSeries(snapshots), paneSeries(alone.snapshots), 1e-9)).toEqual([]);
          for (const { windows } of alone.snapshots) {
            for (const { onPolicy } of windows) values += onPolicy!.values.length;
          }
        },
      ),
      { ...RUNS, numRuns: repetitions(1, 10) },
    );
    expect(values).toBeGreaterThan(0);
  });

  for (const workers of [1, 2, 4]) {
    const test = workers === 2 ? it : itAtNight;
    test(`sample the same users, be there ${workers} of them`, async () => {
      let ratio = 1;
      let looked = 0;
      await fc.assert(
        fc.asyncProperty(
          aLongLog,
          fc.constantFrom(1, 3, 6),
          steps,
          async (log, partitions, script) => {
            const alone = new RestartedReader(log, LIMITED, partitions);
            alone.finish();
            const { snapshots, lookups } = await run(log, partitions, workers, script, LIMITED);
            expect(differences(paneSeries(snapshots), paneSeries(alone.snapshots), 1e-9)).toEqual(
              [],
            );
            // A user is known where the partition is, from the first tick that its worker takes part in.
            const knownTo = (all: readonly (Lookup | undefined)[]) =>
              SOME_USERS.map((u) => Math.max(...all.map((each) => each?.user(u)?.count ?? 0)));
            if (lookups.some((each) => each !== undefined) && snapshots.length > 0) {
              expect(knownTo(lookups)).toEqual(knownTo([alone.ingest.lookup]));
              looked++;
            }
            for (const { sampling } of snapshots) ratio = Math.min(ratio, sampling.ratio);
          },
        ),
        { ...RUNS, numRuns: repetitions(1, 8) },
      );
      expect(ratio).toBeLessThan(1);
      expect(looked).toBeGreaterThan(0);
    });
  }
});
