import { describe, expect, it } from 'vitest';
import { twoSidedRunLength } from '../../oracle/cusum-run-length.js';
import { normals } from '../../oracle/normal.js';
import { runLength } from '../../oracle/run-length.js';
import { repetitions } from '../../support/repetitions.js';
import { DETECTORS, PUBLISHED } from './run-lengths.js';

/** Seeded, so each of these passes or fails for good; bounds are 3 standard errors and more. */
const RUNS = { falseAlarm: repetitions(120, 400), delay: repetitions(400, 1500) };

/** The published figures are simulated as well; their own error is put at 3 %. */
const withinError = (found: { mean: number; stdErr: number }, wanted: number) =>
  expect(Math.abs(found.mean - wanted)).toBeLessThan(3 * Math.hypot(found.stdErr, 0.03 * wanted));

describe('the mean run length to a false alarm and to a change of 1σ', () => {
  for (const [name, start] of Object.entries(DETECTORS)) {
    const [falseAlarm, delay] = PUBLISHED[name];
    it(`matches the published one for ${name}`, () => {
      const random = normals(7);
      const quiet = runLength(RUNS.falseAlarm, () => {
        const fires = start();
        return () => fires(random());
      });
      withinError(quiet, falseAlarm);
      if (name !== 'CUSUM') expect(quiet.mean - 3 * quiet.stdErr).toBeGreaterThan(500);
      const changed = runLength(RUNS.delay, () => {
        const fires = start();
        return () => fires(1 + random());
      });
      withinError(changed, delay);
    });
  }

  it('matches a Markov chain for CUSUM', () => {
    expect(twoSidedRunLength(0.5, 5, 0)).toBeCloseTo(465.4, 0);
    expect(twoSidedRunLength(0.5, 5, 1)).toBeCloseTo(10.38, 1);
    const random = normals(8);
    for (const mean of [0, 1]) {
      const { mean: found, stdErr } = runLength(
        mean === 0 ? repetitions(300, 1000) : repetitions(1000, 4000),
        () => {
          const fires = DETECTORS['CUSUM']();
          return () => fires(mean + random());
        },
      );
      expect(Math.abs(found - twoSidedRunLength(0.5, 5, mean))).toBeLessThan(3 * stdErr);
    }
  });
});
