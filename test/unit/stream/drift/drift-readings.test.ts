import { describe, expect, it } from 'vitest';
import { driftReadings } from '../../../../src/features/drift/drift-readings.js';
import type { Reading } from '../../../../src/features/drift/reading.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import { driftOptions, paneSnapshot, sources, type TrafficShape } from '../../../support/drift.js';
import { withheldOf as withheldRow } from '../../../support/rows.js';

function read(snapshot: Snapshot, traffic?: TrafficShape): Map<string, Reading> {
  const found = driftReadings(snapshot, sources(traffic), driftOptions());
  return new Map(found.map((reading) => [reading.series, reading]));
}

const two = { a: { naive: 0.3, snips: 0.2 }, b: { naive: 0.25, snips: 0.2 } };
const TRAFFIC = {
  now: [4, 1, 0],
  before: [10, 10, 10],
  exposures: { b: { now: [1, 1, 1], before: [5, 5, 6] } },
};

describe('the drift readings of a pane', () => {
  it('include each model’s estimates with weights 1/SE², and their gaps to naive', () => {
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

  it('include Gini index and popularity spread of interactions and exposures', () => {
    const readings = read(paneSnapshot(3), TRAFFIC);
    expect([...readings.keys()]).toEqual([
      'gini/interactions',
      'popularity/interactions',
      'gini/exposures/b',
      'popularity/exposures/b',
    ]);
    const gini = readings.get('gini/exposures/b')!;
    expect(gini).toMatchObject({ kind: 'level', model: 'b', weight: 3, dependsOnVolume: true });
    const spread = readings.get('popularity/interactions')!;
    // All three items were picked equally often before: one bin.
    expect(spread.kind === 'shares' && spread.counts).toEqual([0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0]);
  });
});

describe('with withheld estimates', () => {
  const snapshot = paneSnapshot(3, { models: two });
  const [window] = snapshot.windows;
  const nothing = { value: Number.NaN, stdErr: Number.NaN, numerator: Number.NaN };
  const withheldOf = (model: string) =>
    window.results.map((row) =>
      row.model === model ? { ...withheldRow(row, 'own_lists'), ...nothing } : row,
    );
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

  it('the reward per served list is read where it leads, with a reason for few users', () => {
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
});
