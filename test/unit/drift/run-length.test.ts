import { describe, expect, it } from 'vitest';
import { cusum, cusumThreshold, newCusum } from '../../../src/features/drift/cusum.js';
import { newPrewhitening, prewhiten } from '../../../src/features/drift/prewhitening.js';
import { newStandardisation, standardise } from '../../../src/features/drift/standardisation.js';
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

describe('mean panes to a false alarm, and to find a change of 1σ, are the published ones', () => {
  for (const [name, start] of Object.entries(DETECTORS)) {
    const [falseAlarm, delay] = PUBLISHED[name];
    it(`of ${name}`, () => {
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

  it('of CUSUM also those of a Markov chain over its values', () => {
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

/** A CUSUM behind standardisation and, if wanted, prewhitening, on an AR(1) series. */
function chain(phi: number, white: boolean, random: () => number): () => boolean {
  const known = newStandardisation();
  const whitening = newPrewhitening();
  const state = newCusum();
  let x = random();
  let at = 0;
  const next = () => {
    x = phi * x + Math.sqrt(1 - phi * phi) * random();
    at += 1000;
    const score = standardise(known, 0.3 + 0.01 * x, 1e4, 0, 24);
    return score === null ? null : white ? prewhiten(whitening, score, at, 1000) : score;
  };
  // As after a long time in operation: what is known of the series is known well.
  for (let t = 0; t < 2000; t++) next();
  return () => cusum(state, next()!, at, 0.5).score >= 5;
}

describe('a series that hangs together from pane to pane, AR(1) with φ = 0.5', () => {
  it('gives four times the false alarms where it is not prewhitened', () => {
    const random = normals(9);
    const found = runLength(repetitions(50, 150), () => chain(0.5, false, random));
    expect(found.mean).toBeLessThan(200);
  });

  it('gives the promised number of false alarms where it is', () => {
    const random = normals(10);
    const found = runLength(repetitions(60, 200), () => chain(0.5, true, random));
    expect(Math.abs(found.mean - 465)).toBeLessThan(3 * found.stdErr + 25);
  });
});

it('ten series that are watched together give as many false alarms as one alone', () => {
  const random = normals(11);
  const threshold = cusumThreshold(5, 0.5, 10);
  const found = runLength(repetitions(120, 300), () => {
    const states = Array.from({ length: 10 }, newCusum);
    return () =>
      states.map((state) => cusum(state, random(), 0, 0.5).score).some((s) => s >= threshold);
  });
  expect(found.mean).toBeGreaterThan(465 - 3 * found.stdErr);
  expect(found.mean).toBeLessThan(1.5 * 465);
});

it('a series of which little is known gives no more false alarms than one known well', () => {
  const random = normals(12);
  let fired = 0;
  const streams = repetitions(200, 400);
  for (let stream = 0; stream < streams; stream++) {
    const known = newStandardisation();
    const state = newCusum();
    let hasFired = false;
    // The baseline is known from eight panes only when the first score comes.
    for (let t = 0; t < 108 && !hasFired; t++) {
      const z = standardise(known, 5 + 2 * random(), 0.25, 0, 8);
      hasFired = z !== null && cusum(state, z, t, 0.5).score >= 5;
    }
    if (hasFired) fired++;
  }
  const promised = 1 - Math.exp(-100 / 465);
  const error = Math.sqrt((promised * (1 - promised)) / streams);
  expect(Math.abs(fired / streams - promised)).toBeLessThan(3 * error);
});
