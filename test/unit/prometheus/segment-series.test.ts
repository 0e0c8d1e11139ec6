import { describe, expect, it } from 'vitest';
import type { EstimatorName } from '../../../src/estimators/names.js';
import type { SegmentNumbers } from '../../../src/estimators/results/segment-report.js';
import { MOST_SEGMENT_SERIES, SEGMENT_SERIES } from '../../../src/features/segments/gauges.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

/** As many values as are asked for, each of one row less than the one before it. */
function divided(values: number): Snapshot {
  const snapshot = makeSnapshot();
  const column = (value: number) => Array.from({ length: values + 2 }, () => value);
  const number: SegmentNumbers = {
    model: 'good',
    metric: 'recall',
    k: 5,
    estimator: 'snips',
    form: 'pooled',
    value: column(0.5),
    stdErr: column(0.1),
    lower: column(0.4),
    upper: column(0.6),
    share: column(0.1),
    contribution: column(0.1),
    users: column(50),
    ess: column(50),
  };
  number.ess.forEach((_, at) => {
    if (at < 2) (number.ess as number[])[at] = 3;
  });
  const names = ['', '', ...Array.from({ length: values }, (_, n) => `v${n}`)];
  const rows = names.map((_, at) => 10_000 - at);
  const segments = {
    dimensions: ['device'],
    names: [names],
    rows: [rows],
    hidden: [12],
    minUsers: 30,
    numbers: [number, { ...number, form: 'user' as const }],
  };
  return { ...snapshot, windows: [{ ...snapshot.windows[0]!, segments }] };
}

const samplesOf = (name: string, snapshot: Snapshot) => [
  ...SEGMENT_SERIES.find((series) => series.name === name)!.samples(snapshot),
];

describe('gauges by segment', () => {
  it('cover pooled estimates of segments that may be shown', () => {
    const snapshot = divided(2);
    expect(samplesOf('unskew_segment_estimate', snapshot)).toEqual(
      ['v0', 'v1'].map((value) => [
        {
          model: 'good',
          metric: 'recall',
          k: 5,
          estimator: 'snips',
          aggregation: 'pooled',
          window: snapshot.windows[0]!.name,
          dimension: 'device',
          kind: 'value',
          value,
        },
        0.5,
      ]),
    );
    expect(samplesOf('unskew_segment_series_cut', snapshot)).toEqual([[{}, 0]]);
    expect(samplesOf('unskew_segment_values_other', snapshot)[0]![1]).toBe(12);
  });

  it('are limited in number, and those left out are counted', () => {
    const snapshot = divided(MOST_SEGMENT_SERIES + 300);
    const shown = samplesOf('unskew_segment_estimate', snapshot);
    expect(shown.length).toBe(MOST_SEGMENT_SERIES);
    expect(shown.at(-1)![0]['value']).toBe(`v${MOST_SEGMENT_SERIES - 1}`);
    expect(samplesOf('unskew_segment_series_cut', snapshot)).toEqual([[{}, 300]]);
  });

  it('by item popularity cover two estimators and are left out first', () => {
    const named = (dimension: string, estimators: readonly EstimatorName[], values: number) => {
      const snapshot = divided(values);
      const segments = snapshot.windows[0]!.segments!;
      const numbers = estimators.map((estimator) => ({ ...segments.numbers[0]!, estimator }));
      const named = { ...segments, dimensions: [dimension], numbers };
      return { ...snapshot.windows[0]!, segments: named };
    };
    const all = ['naive', 'snips', 'gs'] as const;
    const ofWindows = (...windows: Snapshot['windows']) =>
      samplesOf('unskew_segment_estimate', { ...makeSnapshot(), windows }).map(
        ([labels]) => labels,
      );
    const [builtIn, asked] = ['item_popularity', 'device'].map((own) => named(own, all, 3));
    expect(new Set(ofWindows(builtIn!).map(({ estimator }) => estimator))).toEqual(
      new Set(['naive', 'snips']),
    );
    expect(ofWindows(asked!).length).toBe(9);
    // Where snips is not computed nothing leads in its place.
    expect(ofWindows(named('item_popularity', ['naive', 'gs'], 3)).length).toBe(6);
    const crowd = named('device', ['snips'], MOST_SEGMENT_SERIES);
    const kept = ofWindows(named('item_popularity', all, 3), crowd);
    expect(new Set(kept.map(({ dimension }) => dimension))).toEqual(new Set(['device']));
  });

  it('are empty without segments', () => {
    for (const { name } of SEGMENT_SERIES) expect(samplesOf(name, makeSnapshot())).toEqual([]);
  });
});
