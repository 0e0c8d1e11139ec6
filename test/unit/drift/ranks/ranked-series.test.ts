import { describe, expect, it } from 'vitest';
import type { DetectorOptions } from '../../../../src/features/drift/drift-options.js';
import {
  newRankedSeries,
  observeRanked,
  type RankedSeriesState,
} from '../../../../src/features/drift/ranked-series.js';
import {
  baselineOf,
  newSeasonalScore,
  seasonalScore,
} from '../../../../src/features/drift/standardisation.js';
import { normals } from '../../../oracle/normal.js';
import { repetitions } from '../../../support/repetitions.js';

const WEEK = 168;

function options(own: Partial<DetectorOptions>): DetectorOptions {
  return {
    detectors: ['cusum'],
    allowance: 0.5,
    threshold: 5,
    guarantee: 500,
    learn: 24,
    standardisation: 'ranks',
    seasonMs: WEEK,
    ...own,
  };
}

const observe = (
  state: RankedSeriesState,
  value: number,
  t: number,
  how: DetectorOptions,
  teaches = true,
) => {
  const slot = how.seasonMs === null ? 0 : t % WEEK;
  return observeRanked(state, { value, weight: 200, teaches }, { from: t, to: t + 1, slot }, how);
};

describe('a score with a season', () => {
  it('is relative to all values until its slot has three, then to that slot', () => {
    const state = newSeasonalScore();
    const scores = Array.from({ length: 16 }, (_, t) =>
      seasonalScore(state, { value: 10 * (t % 4), weight: 1, slot: t % 4 }, 3),
    );
    expect(scores.slice(0, 3)).toEqual([null, null, null]);
    // In the second round each place has one value only, and its level is not the mean.
    for (const score of scores.slice(4, 8)) expect(Math.abs(score!)).toBeGreaterThan(0.1);
    expect(scores.slice(8)).toEqual(new Array(8).fill(0));
    expect(baselineOf(state, 1)).toMatchObject({ mean: 10, values: 4 });
    expect(baselineOf(state, 7)).toMatchObject({ mean: 15, values: 16 });
  });
});

describe('with a season of a week', () => {
  it.each(['cusum', 'e-sr'] as const)(
    'a strong daily rhythm gives %s no more false alarms than promised',
    (name) => {
      const how = options({ detectors: [name] });
      const streams = repetitions(2, 20);
      const panes = 4 * WEEK;
      let alarms = 0;
      for (let seed = 1; seed <= streams; seed++) {
        const random = normals(seed);
        let state = newRankedSeries();
        for (let t = 0; t < panes; t++) {
          const value = 0.3 + 0.02 * (3 * Math.sin((2 * Math.PI * t) / 24) + random());
          const score = observe(state, value, t, how)?.get(name)?.score ?? 0;
          if (score < (name === 'cusum' ? 5 : 500)) continue;
          alarms++;
          state = newRankedSeries();
        }
      }
      const promised = (streams * panes) / (name === 'cusum' ? 400 : 500);
      expect(alarms).toBeLessThanOrEqual(promised + 3 * Math.sqrt(promised));
    },
  );
});

describe('a pane excluded from learning', () => {
  it('is judged without changing the ranks or the baseline', () => {
    const random = normals(3);
    const state = newRankedSeries();
    const how = options({ detectors: ['cusum', 'e-sr'], seasonMs: null });
    for (let t = 0; t < 60; t++) observe(state, 0.3 + 0.02 * random(), t, how);
    const { score, kept, prewhitening } = structuredClone(state);
    const evidence = observe(state, 0, 60, how, false)!;
    expect(evidence.get('e-sr')!.score).toBeGreaterThan(1);
    expect(state.score).toEqual(score);
    expect(state.kept).toEqual(kept);
    expect(state.prewhitening).toEqual(prewhitening);
  });
});

it('a single value never fires CUSUM, however extreme it is', () => {
  const random = normals(4);
  const state = newRankedSeries();
  const how = options({ seasonMs: null });
  for (let t = 0; t < 100; t++) observe(state, 0.3 + 0.02 * random(), t, how);
  const before = observe(structuredClone(state), 0.3, 100, how)!.get('cusum')!.score;
  const after = observe(state, 900, 100, how)!.get('cusum')!;
  expect(after.score).toBeLessThanOrEqual(before + 2.5);
  // The reported size is not clipped.
  expect(after.size).toBeGreaterThan(4);
});
