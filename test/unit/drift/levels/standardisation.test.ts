import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalTail } from '../../../../src/estimators/mathematics/normal.js';
import { studentTTail } from '../../../../src/estimators/mathematics/student-t.js';
import { newPrewhitening, prewhiten } from '../../../../src/features/drift/prewhitening.js';
import { newStandardisation, standardise } from '../../../../src/features/drift/standardisation.js';
import { normals } from '../../../oracle/normal.js';
import { type Observation, studentised } from '../../../oracle/recursive-residual.js';

const observations = fc.array(
  fc.record({
    value: fc.integer({ min: -500, max: 500 }).map((n) => n / 100),
    weight: fc.double({ min: 0.1, max: 10, noNaN: true }),
    slot: fc.nat(2),
  }),
  { minLength: 4, maxLength: 25 },
);

describe('a score', () => {
  it('has the tail that the studentised recursive residual has, by its definition', () => {
    fc.assert(
      fc.property(observations, (all) => {
        const state = newStandardisation();
        const seen: Observation[] = [];
        for (const observation of all) {
          seen.push(observation);
          const { value, weight, slot } = observation;
          const score = standardise(state, value, weight, slot, 0);
          const wanted = studentised(seen);
          expect(score === null).toBe(wanted === undefined);
          if (score === null || wanted === undefined || !Number.isFinite(wanted.t)) continue;
          if (Math.abs(wanted.t) < 1e-6 || Math.abs(score) > 8) continue;
          expect(Math.sign(score)).toBe(Math.sign(wanted.t));
          const tail = studentTTail(Math.abs(wanted.t), wanted.df) / 2;
          expect(normalTail(Math.abs(score)) / tail).toBeCloseTo(1, 4);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is standard normal without a change, from the first on, with unequal weights and a season', () => {
    const random = normals(21);
    let count = 0;
    let sum = 0;
    let squares = 0;
    let beyond = 0;
    for (let run = 0; run < 1500; run++) {
      const state = newStandardisation();
      for (let t = 0; t < 16; t++) {
        const weight = t % 4 === 0 ? 4 : 0.5;
        const x = (t % 2) * 100 + (3 * random()) / Math.sqrt(weight);
        const z = standardise(state, x, weight, t % 2, 0);
        if (z === null) continue;
        count++;
        sum += z;
        squares += z * z;
        if (Math.abs(z) > 1.959964) beyond++;
      }
    }
    const error = 1 / Math.sqrt(count);
    expect(Math.abs(sum / count)).toBeLessThan(3 * error);
    expect(Math.abs(squares / count - 1)).toBeLessThan(3 * Math.SQRT2 * error);
    expect(Math.abs(beyond / count - 0.05)).toBeLessThan(3 * Math.sqrt(0.0475) * error);
  });

  it('is withheld for as many values as are to be learned from, and in a new place of the season', () => {
    const state = newStandardisation();
    const scores = [1, 2, 3, 2, 4, 3].map((x) => standardise(state, x, 1, 0, 5));
    expect(scores.slice(0, 5)).toEqual([null, null, null, null, null]);
    expect(scores[5]).not.toBeNull();
    expect(standardise(state, 7, 1, 1, 5)).toBeNull();
    expect(standardise(state, 7, 1, 1, 5)).not.toBeNull();
  });

  it('of a series that never varied is 0, and beyond doubt at its first change', () => {
    const state = newStandardisation();
    for (let t = 0; t < 10; t++) standardise(state, 1, 1, 0, 0);
    expect(standardise(state, 1, 1, 0, 0)).toBe(0);
    expect(standardise(state, 0.9, 1, 0, 0)).toBe(-38);
  });
});

describe('prewhitening', () => {
  it('leaves what does not hang together nearly as it was', () => {
    const random = normals(22);
    const state = newPrewhitening();
    let difference = 0;
    for (let t = 0; t < 2000; t++) {
      const score = random();
      difference += (prewhiten(state, score, t, 1) - score) ** 2;
    }
    expect(difference / 2000).toBeLessThan(0.01);
  });

  it('makes an AR(1) series white, of variance 1', () => {
    const random = normals(23);
    const state = newPrewhitening();
    let r = 0;
    let last = 0;
    let squares = 0;
    let cross = 0;
    const panes = 5000;
    for (let t = 0; t < panes; t++) {
      r = 0.6 * r + 0.8 * random();
      const z = prewhiten(state, r, t, 1);
      squares += z * z;
      cross += z * last;
      last = z;
    }
    expect(Math.abs(squares / panes - 1)).toBeLessThan(0.07);
    expect(Math.abs(cross / panes)).toBeLessThan(0.05);
  });

  it('does not carry over from a pane that is not the one before', () => {
    const state = newPrewhitening();
    for (let t = 0; t < 50; t++) prewhiten(state, 2, t, 1);
    expect(prewhiten(structuredClone(state), 2, 50, 1)).not.toBe(2);
    expect(prewhiten(state, 2, 51, 1)).toBe(2);
  });
});
