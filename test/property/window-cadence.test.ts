import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GapReport, Why } from '../../src/features/why/why.js';
import { dueWindows, type Snapshot, type WindowSnapshot } from '../../src/stream/tick/snapshot.js';
import { differences } from '../support/compare.js';
import { decisionOptions } from '../support/decision.js';
import { driftOptions } from '../support/drift.js';
import { type Event, feed, quickOptions, threeModels, withNaive } from '../support/log.js';
import { aLogOf } from '../support/random-log.js';
import { repetitions } from '../support/repetitions.js';
import { RestartedReader } from '../support/restarts.js';

const LONG = { name: 'long', ms: 60, everyMs: 30 };
const WATCHED = {
  drift: driftOptions({ windowMs: 20, metric: { metric: 'recall', k: 1 }, learn: 3, hold: 2 }),
  decision: decisionOptions(),
};
const ALWAYS = quickOptions(WATCHED);
const SOMETIMES = quickOptions({ ...WATCHED, windows: [{ name: 'short', ms: 20 }, LONG] });

/** What was written: each window where it was due, by its end. */
function written(snapshots: readonly Snapshot[]): Map<string, WindowSnapshot> {
  const lines = new Map<string, WindowSnapshot>();
  for (const snapshot of snapshots) {
    for (const window of dueWindows(snapshot)) lines.set(`${window.name} ${window.to}`, window);
  }
  return lines;
}

/** Without what verdicts say of the longest window, which stands where it was computed last. */
function ofNoWindow({ verdicts = [], ...rest }: Omit<Snapshot, 'windows'>) {
  const own = verdicts.map(({ figures: { repeated: _, ...figures } = {}, ...verdict }) => {
    return { ...verdict, figures };
  });
  return { ...rest, verdicts: own };
}

const isAligned = ({ name, to }: WindowSnapshot) => name !== 'long' || to % LONG.everyMs === 0;

describe('a window that is computed every few panes', () => {
  it('equals the one computed at every pane, and changes nothing else', () => {
    fc.assert(
      fc.property(aLogOf(60), fc.integer({ min: 1, max: 3 }), (log, partitions) => {
        const how = { partitions, batchSize: 1000, run: 1 };
        const always = feed(log, ALWAYS, how).snapshots;
        const sometimes = feed(log, SOMETIMES, how).snapshots;
        const expected = [...written(always)].filter(([, window]) => isAligned(window));
        expect([...written(sometimes)]).toEqual(expected);
        for (const [n, { windows: _, ...rest }] of sometimes.entries()) {
          const { windows: __, ...before } = always[n]!;
          expect(ofNoWindow(rest)).toEqual(ofNoWindow(before));
        }
      }),
      { numRuns: repetitions(4, 50) },
    );
  });

  it('stays unchanged between computations', () => {
    const { snapshots } = feed(threeModels(120), SOMETIMES, {
      partitions: 2,
      batchSize: 1000,
      run: 1,
    });
    let stood = 0;
    for (let n = 1; n < snapshots.length; n++) {
      const before = snapshots[n - 1]!.windows[1]!;
      const now = snapshots[n]!.windows[1]!;
      if (snapshots[n]!.paneEnd % LONG.everyMs === 0) expect(now.to).toBe(snapshots[n]!.paneEnd);
      else {
        expect(now).toBe(before);
        stood++;
      }
    }
    expect(stood).toBeGreaterThan(3);
  });

  it('is shown early by a restarted process without changing what is written', () => {
    let early = 0;
    const cut = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 4, maxLength: 10 });
    fc.assert(
      fc.property(aLogOf(60), cut, (log, counts) => {
        const whole = feed(log, SOMETIMES, { partitions: 2, batchSize: 1000, run: 1 }).snapshots;
        const reader = restarted(log, counts);
        for (const { windows, paneEnd } of reader.snapshots) {
          expect(windows.map(({ name }) => name)).toEqual(['short', 'long']);
          if (windows[1]!.isEarly && windows[1]!.to === paneEnd) early++;
        }
        const found = written(reader.snapshots);
        const expected = written(whole);
        expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
        for (const [key, window] of found) {
          expect(differences(window, expected.get(key)!, 1e-9), key).toEqual([]);
        }
      }),
      { numRuns: repetitions(2, 25) },
    );
    expect(early).toBeGreaterThan(0);
  });

  it('is explained by the rows that it was computed from', () => {
    const options = quickOptions({ ...withNaive(), windows: [{ name: 'short', ms: 20 }, LONG] });
    const reader = new RestartedReader(threeModels(120), options, 2);
    const why = new Why(reader.lookup);
    let asked = 0;
    const ask = () => {
      const newest = reader.snapshots.at(-1);
      const window = newest?.windows[1];
      const row = window?.results.find(({ estimator }) => estimator === 'snips');
      if (row === undefined || window === undefined || newest!.paneEnd === window.to) return;
      const { model, metric, k, form: aggregation, estimator } = row;
      const question = { window: 'long', model, metric, k, aggregation, estimator, most: 3 };
      const report = why.gap(question) as GapReport;
      expect(report.paneEnd).toBe(window.to);
      expect(report.values[1]).toBeCloseTo(row.value, 12);
      asked++;
    };
    let isLeft = true;
    while (isLeft) {
      isLeft = false;
      for (const role of ['exposures', 'interactions'] as const) {
        for (const partition of [0, 1]) isLeft = reader.read(role, partition, 2) || isLeft;
      }
      ask();
    }
    expect(asked).toBeGreaterThan(3);
  });
});

/** Reads so many records in turn of each topic-partition, and is killed after each turn. */
function restarted(log: readonly Event[], counts: readonly number[]): RestartedReader {
  const reader = new RestartedReader(log, SOMETIMES, 2);
  for (const count of counts) {
    for (const role of ['exposures', 'interactions'] as const) {
      for (const partition of [0, 1]) reader.read(role, partition, count);
    }
    for (const partition of [0, 1]) reader.checkpoint(partition);
    reader.restart();
  }
  reader.finish();
  return reader;
}
