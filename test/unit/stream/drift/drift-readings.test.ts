import { describe, expect, it } from 'vitest';
import { driftReadings } from '../../../../src/features/drift/drift-readings.js';
import type { Reading } from '../../../../src/features/drift/reading.js';
import { reason } from '../../../../src/features/values/reasons.js';
import type { ValueRow } from '../../../../src/features/values/value-row.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import type { Snapshot } from '../../../../src/stream/snapshot.js';
import { driftOptions, paneSnapshot, sources, type TrafficShape } from '../../../support/drift.js';
import { valueRowOf, withheldOf as withheldRow } from '../../../support/rows.js';

function read(snapshot: Snapshot, traffic?: TrafficShape): Map<string, Reading> {
  const found = runAtOnce(driftReadings(snapshot, sources(traffic), driftOptions()));
  return new Map(found.map((reading) => [reading.series, reading]));
}

const two = { a: { naive: 0.3, snips: 0.2 }, b: { naive: 0.25, snips: 0.2 } };
const TRAFFIC = {
  now: [4, 1, 0],
  before: [10, 10, 10],
  exposures: { b: { now: [1, 1, 1], before: [5, 5, 6] } },
};

describe('a pane is read as', () => {
  it('each model’s estimates with weights 1/SE², and the gap of each to naive', () => {
    const snapshot = paneSnapshot(3, { models: two });
    const readings = read(snapshot);
    const level = (series: string) => {
      const reading = readings.get(series);
      return reading?.kind === 'level' ? [reading.model, reading.value, reading.weight] : undefined;
    };
    expect(level('estimate/naive/recall@10/a')).toEqual(['a', 0.3, 1 / 0.01 ** 2]);
    expect(level('estimate/snips/recall@10/b')).toEqual(['b', 0.2, 1 / 0.01 ** 2]);
    const [model, gap] = level('gap/snips/recall@10/a')!;
    expect(model).toBe('a');
    expect(gap).toBeCloseTo(0.1, 12);
    expect(level('gap/naive/recall@10/a')).toBeUndefined();
  });

  it('nothing of the built-in model, nor of what has no error or is of another metric', () => {
    const snapshot = paneSnapshot(3, { models: two });
    const names = (changed: Snapshot) => [...read(changed).keys()].filter((s) => /\/[ab]$/.test(s));
    expect(names(snapshot)).toHaveLength(6);
    expect(names({ ...snapshot, baseline: 'a' }).every((s) => s.endsWith('/b'))).toBe(true);
    for (const change of [
      { stdErr: Number.NaN },
      { stdErr: 0 },
      { k: 5 },
      { metric: 'dcg' as const },
    ]) {
      const [window] = snapshot.windows;
      const results = window.results.map((row) => ({ ...row, ...change }));
      expect(
        names({ ...snapshot, windows: [{ ...window, results }] }),
        JSON.stringify(change),
      ).toEqual([]);
    }
  });

  it('the Gini index and the spread of interactions and of exposures, by the events before', () => {
    const readings = read(paneSnapshot(3), TRAFFIC);
    expect([...readings.keys()]).toEqual([
      ...['gini/interactions', 'popularity/interactions'],
      ...['gini/exposures/b', 'popularity/exposures/b'],
    ]);
    const gini = readings.get('gini/exposures/b')!;
    expect(gini).toMatchObject({ kind: 'level', model: 'b', weight: 3, dependsOnVolume: true });
    const spread = readings.get('popularity/interactions')!;
    // All three items were picked equally often before: one bin.
    expect(spread.kind === 'shares' && spread.counts).toEqual([0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0]);
  });

  it('no spread where nothing came before, and nothing where nothing came at all', () => {
    const fresh = { now: [4, 1], before: [0, 0] };
    expect([...read(paneSnapshot(3), fresh).keys()]).toEqual(['gini/interactions']);
    expect(read(paneSnapshot(3), { now: [0, 0], before: [4, 1] }).size).toBe(0);
  });
});

describe('where estimates are withheld', () => {
  const snapshot = paneSnapshot(3, { models: two });
  const [window] = snapshot.windows;
  const nothing = { value: Number.NaN, stdErr: Number.NaN, numerator: Number.NaN };
  const withheldOf = (model: string) =>
    window.results.map((row) =>
      row.model === model ? { ...withheldRow(row, 'own_lists'), ...nothing } : row,
    );
  const uncaused = {
    results: window.results.map((row) => ({ ...row, value: row.value / 2 })),
    ...{ differences: [], effectiveSampleSizes: [], rows: 100, users: 90 },
  };
  const feedback = { mode: 'withhold', source: 'named', caused: 0.5, arms: null } as const;
  const row = { model: 'a', value: 0.4, stdErr: 0.1, lower: 0.2, upper: 0.6, lists: 90, users: 80 };
  const onPolicy = { refused: null, named: 36, elsewhere: 0 };
  const withheld = (more: object): Snapshot => ({
    ...snapshot,
    windows: [{ ...window, results: withheldOf('a'), ...more }],
  });
  const level = (changed: Snapshot, series: string) => {
    const reading = read(changed).get(series);
    return reading?.kind === 'level' ? reading : undefined;
  };

  it('what users found by themselves is watched in their place, as a series of its own', () => {
    const changed = withheld({ feedback: { ...feedback, uncaused } });
    expect(level(changed, 'estimate/snips/recall@10/a')).toBeUndefined();
    expect(level(changed, 'uncaused/snips/recall@10/a')).toMatchObject({ model: 'a', value: 0.1 });
    // What is given is watched as it is.
    expect(level(changed, 'estimate/snips/recall@10/b')).toMatchObject({ value: 0.2 });
    expect(level(changed, 'uncaused/snips/recall@10/b')).toBeUndefined();
  });

  it('what shown lists are worth is watched where it leads, and no alarm rests on few users', () => {
    const values = { onPolicy: { ...onPolicy, values: [{ ...row, ess: 36 }] } };
    const leading = withheld({
      feedback: { ...feedback, uncaused: null },
      ...values,
      leads: 'on_policy',
    });
    const found = level(leading, 'on_policy/a');
    expect(found).toMatchObject({ model: 'a', value: 0.4, reason: null });
    expect(found?.weight).toBeCloseTo(100, 9);
    const few = { onPolicy: { ...onPolicy, values: [{ ...row, ess: 20 }] }, leads: 'on_policy' };
    expect(level(withheld(few), 'on_policy/a')?.reason).toMatch(/20\.0 is below 30/);
    expect(level(withheld({ ...values, leads: 'uncaused' }), 'on_policy/a')).toBeUndefined();
  });

  it('what lists are worth by requests is watched in its leading form, and alarms rest on what decides', () => {
    const worth = (...values: ValueRow[]) => withheld({ values });
    const given = worth(valueRowOf({ estimator: 'arms_ips' }), valueRowOf());
    expect(level(given, 'value/arms_ips/a')).toBeUndefined();
    const found = level(given, 'value/arms_snips/a');
    expect(found).toMatchObject({ model: 'a', value: 1.5, reason: null });
    expect(found?.weight).toBeCloseTo(16, 9);
    const few = reason('few_rewards', 'undecided', { ess: 12, least: 30 });
    const doubtful = worth(valueRowOf({ decides: false, reasons: [few] }));
    expect(level(doubtful, 'value/arms_snips/a')?.reason).toBe('few_rewards');
    const refused = worth(valueRowOf({ value: Number.NaN, stdErr: Number.NaN, decides: false }));
    expect(level(refused, 'value/arms_snips/a')).toBeUndefined();
  });
});

it('events of a user that hang together make a design effect, the largest of the models’', () => {
  const snapshot = paneSnapshot(3);
  const [window] = snapshot.windows;
  const size = { estimator: 'naive' as const, largestShare: 0 };
  const effectiveSampleSizes = [
    { ...size, model: 'a', events: 100, users: 50 },
    { ...size, model: 'b', events: 120, users: 40 },
    { ...size, model: 'c', estimator: 'snips' as const, events: 100, users: 1 },
  ];
  const readings = read({ ...snapshot, windows: [{ ...window, effectiveSampleSizes }] }, TRAFFIC);
  expect(readings.get('popularity/interactions')).toMatchObject({ designEffect: 3 });
});

it('no alarm may rest on traffic of fewer than 30 users', () => {
  for (const [users, reason] of [
    [29, '29 users are fewer than 30'],
    [30, null],
  ] as const) {
    for (const reading of read(paneSnapshot(3, { users }), TRAFFIC).values()) {
      expect(reading.reason).toBe(reason);
    }
  }
});

it('by ranks an estimate weighs as many users as it rests on, and one without error is a value too', () => {
  const snapshot = paneSnapshot(3, { models: { a: { naive: 0, snips: 0, ess: 120 } } });
  const [window] = snapshot.windows;
  const weights = (change: { stdErr?: number; ess?: number; value?: number }) => {
    const results = window.results.map((row) => ({ ...row, ...change }));
    const changed = { ...snapshot, windows: [{ ...window, results }] };
    const options = driftOptions({ standardisation: 'ranks' });
    return runAtOnce(driftReadings(changed, sources(), options)).flatMap((reading) =>
      reading.kind === 'level' && reading.model === 'a' ? [[reading.value, reading.weight]] : [],
    );
  };
  expect(weights({ stdErr: 0 })).toEqual([
    [0, 120],
    [0, 120],
    [0, 120],
  ]);
  // A pane without events is not a pane.
  expect(weights({ ess: 0, value: Number.NaN })).toEqual([]);
  expect(weights({ ess: 0 })).toEqual([]);
});
