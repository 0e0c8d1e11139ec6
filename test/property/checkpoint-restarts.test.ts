import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExposureEvent } from '../../src/events/encode.js';
import { reasonOf } from '../../src/rows/reading.js';
import { usersOfDepths } from '../oracle/sampling.js';
import { differences } from '../support/compare.js';
import { decisionOptions } from '../support/decision.js';
import { driftOptions } from '../support/drift.js';
import { FOUR_REQUESTS } from '../support/golden-arms.js';
import { type Event, feed, quickOptions } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { aLogOf } from '../support/random-log.js';
import { repetitions } from '../support/repetitions.js';
import { requestEvents } from '../support/request-events.js';
import { RestartedReader } from '../support/restarts.js';

const aStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      role: fc.constantFrom('exposures' as const, 'interactions' as const),
      partition: fc.nat(3),
      count: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('checkpoint' as const),
      partition: fc.nat(3),
      meanwhile: fc.option(
        fc.record({
          role: fc.constantFrom('exposures' as const, 'interactions' as const),
          count: fc.integer({ min: 1, max: 20 }),
        }),
        { nil: undefined },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('kill' as const), backwards: fc.boolean() }),
  },
);

type Step = typeof aStep extends fc.Arbitrary<infer S> ? S : never;
const steps = fc.array(aStep, { minLength: 40, maxLength: 60 });
const aShortLog = aLogOf(repetitions(45, 60), undefined, 30);

/** A horizon that is short enough for a log to outlast it. */
const OPTIONS = quickOptions({
  estimates: { ...quickOptions().estimates, estimators: ['naive', 'snips', 'ips', 'wtd_h'] },
  popularity: { horizonMs: 120, of: 'positive' },
  drift: driftOptions({ windowMs: 20, metric: { metric: 'recall', k: 1 }, learn: 3, hold: 2 }),
  decision: decisionOptions(),
});

/** Making a failing case smaller would take longer than the test may; its seed and path are shown. */
const RUNS = { numRuns: repetitions(1, 40), endOnFailure: true };

const ROOMY = { rows: 10_000, listEntries: 10_000, users: 1000 };

/** Twelve requests of two arms, 5 ms apart, with a challenger's lists. */
const EXPERIMENT = requestEvents([...FOUR_REQUESTS, ...FOUR_REQUESTS, ...FOUR_REQUESTS], {
  models: ['A', 'B', 'S'],
  shares: [[0.5, 0.5]],
  from: 1000,
  stepMs: 5,
});

const REPEATED_AFTER = 5;
/** Events between two stretches that are empty. */
const STRETCH = repetitions(25, 15);

/** A log that is late in places, names exposures, repeats ids and leaves stretches empty. */
const aRoughLog = fc
  .tuple(aLogOf(60, undefined, 50), fc.array(fc.nat(40), { minLength: 60, maxLength: 60 }))
  .map(([log, jumps]) => {
    const moved = log.map((event, n): Event => {
      const jump = jumps[n]!;
      const ts = (event.ts as number) - (jump < 4 ? 12 * jump : 0) + Math.floor(n / STRETCH) * 90;
      const isNamed = event.type === 'interaction' && jump > 30;
      return { ...event, ts, ...(isNamed ? { exposure: `e${n - 1}` } : {}) };
    });
    // Some come once more a while later, so that a restart may lie between the two.
    return moved.flatMap((event, n) =>
      n >= REPEATED_AFTER && jumps[n]! >= 18 && jumps[n]! <= 24
        ? [event, moved[n - REPEATED_AFTER]!]
        : [event],
    );
  });

function run(log: readonly Event[], partitions: number, script: Step[], options = OPTIONS) {
  const reader = new RestartedReader(log, options, partitions);
  for (const step of script) {
    if (step.kind === 'kill') reader.restart(step.backwards);
    else if (step.partition >= partitions) continue;
    else if (step.kind === 'checkpoint') reader.checkpoint(step.partition, step.meanwhile);
    else reader.read(step.role, step.partition, step.count);
  }
  reader.finish();
  return reader;
}

describe('a process that is killed and restarted from its checkpoints', () => {
  it('gives the panes of an undisturbed process, and repeats panes unchanged', () => {
    fc.assert(
      fc.property(aShortLog, fc.integer({ min: 1, max: 4 }), steps, (log, partitions, script) => {
        const undisturbed = feed(log, OPTIONS, { partitions: 1, batchSize: 1000, run: 1 });
        const reader = run(log, partitions, script);
        expect(differences(paneSeries(reader.snapshots), undisturbed.snapshots, 1e-9)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('gives the same panes if users are sampled', () => {
    const options = { ...OPTIONS, limits: { rows: 24, listEntries: 60, users: 12 } };
    let ratio = 1;
    fc.assert(
      fc.property(
        aLogOf(60, usersOfDepths([4, 3, 2, 1]), 40),
        fc.integer({ min: 1, max: 4 }),
        steps,
        (log, partitions, script) => {
          const how = { partitions, batchSize: 1000, run: 1 };
          const undisturbed = feed(log, options, how);
          const reader = run(log, partitions, script, options);
          expect(differences(paneSeries(reader.snapshots), undisturbed.snapshots, 1e-9)).toEqual(
            [],
          );
          for (const { sampling } of undisturbed.snapshots) ratio = Math.min(ratio, sampling.ratio);
        },
      ),
      RUNS,
    );
    expect(ratio).toBeLessThan(1);
  });

  it('gives the same panes from late and repeated events, attributed lists and empty panes', () => {
    fc.assert(
      fc.property(aRoughLog, fc.integer({ min: 1, max: 4 }), steps, (log, partitions, script) => {
        // Lateness is a matter of partitions: both have the same.
        const undisturbed = new RestartedReader(log, OPTIONS, partitions);
        undisturbed.finish();
        const reader = run(log, partitions, script);
        expect(
          differences(paneSeries(reader.snapshots), paneSeries(undisturbed.snapshots), 1e-9),
        ).toEqual([]);
      }),
      RUNS,
    );
  });

  it('gives the same values if restarted while requests are open', () => {
    const value = { horizonMs: 25, unit: 'request' as const, theta: [1, 0.5], isJudged: false };
    const options = { ...OPTIONS, value, limits: { ...ROOMY, requests: 60 } };
    let valued = 0;
    fc.assert(
      fc.property(aShortLog, fc.integer({ min: 1, max: 4 }), steps, (drawn, partitions, script) => {
        const log = [...drawn, ...EXPERIMENT].sort((a, b) => Number(a.ts) - Number(b.ts));
        const how = { partitions, batchSize: 1000, run: 1 };
        const undisturbed = feed(log, options, how);
        const reader = run(log, partitions, script, options);
        expect(differences(paneSeries(reader.snapshots), undisturbed.snapshots, 1e-9)).toEqual([]);
        for (const { windows } of undisturbed.snapshots) {
          valued += windows[1].values?.filter(({ value: own }) => own > 0).length ?? 0;
        }
      }),
      RUNS,
    );
    expect(valued).toBeGreaterThan(0);
  });

  it('gives the same panes if attributed causes withhold estimates', () => {
    const estimates = { ...OPTIONS.estimates, feedback: 'withhold' as const };
    const options = { ...OPTIONS, estimates, actions: { view: 0, click: 1, purchase: 5 } };
    // Every other interaction names the newest list of its user, mostly with an item of it.
    const acted = aRoughLog.map((log) => {
      const newest = new Map<string, ExposureEvent>();
      return log.map((event, n): Event => {
        if (event.type === 'exposure') {
          newest.set(event.user, event);
          return event;
        }
        const action = ['purchase', 'click', 'view', 'like'][n % 4]!;
        const list = newest.get(event.user);
        if (list === undefined || n % 2 === 0) return { ...event, action };
        const item = n % 5 === 0 ? event.item : list.items[0]!;
        return { ...event, action: n % 3 === 0 ? action : 'purchase', item, exposure: list.id };
      });
    });
    let withheld = 0;
    let worth = 0;
    fc.assert(
      fc.property(acted, fc.integer({ min: 1, max: 4 }), steps, (log, partitions, script) => {
        const undisturbed = new RestartedReader(log, options, partitions);
        undisturbed.finish();
        const expected = paneSeries(undisturbed.snapshots);
        const reader = run(log, partitions, script, options);
        expect(differences(paneSeries(reader.snapshots), expected, 1e-9)).toEqual([]);
        for (const { windows } of expected) {
          for (const { results, onPolicy } of windows) {
            for (const { value } of onPolicy!.values) worth = Math.max(worth, value);
            withheld += results.filter((row) => reasonOf(row) !== null).length;
          }
        }
      }),
      RUNS,
    );
    expect(withheld).toBeGreaterThan(0);
    expect(worth).toBeGreaterThan(1);
  });

  it.each([
    ['ignore', 'withhold', '"ignore", which is now "withhold or caution"'],
    ['caution', 'ignore', '"withhold or caution", which is now "ignore"'],
  ] as const)('rejects a checkpoint of feedback %s under feedback %s', (made, now, why) => {
    const asked = (feedback: typeof made | typeof now) => ({
      ...OPTIONS,
      estimates: { ...OPTIONS.estimates, feedback },
    });
    const log: Event[] = [
      { type: 'exposure', id: 'e', ts: 1000, user: 'u', model: 'm', items: ['a'] },
      { type: 'interaction', id: 'x', ts: 1001, user: 'u', item: 'a' },
    ];
    const before = new RestartedReader(log, asked(made), 1);
    before.read('interactions', 0, 1);
    before.checkpoint(0);
    const after = new RestartedReader(log, asked(now), 1);
    after.checkpoints.set(0, before.checkpoints.get(0)!);
    expect(() => after.restart()).toThrow(`was made with estimates.feedback ${why}: set it back`);
  });
});
