import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalTail, studentTTail } from '../../../../src/estimators/mathematics/distributions.js';
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
  it('has the tail probability of the studentised recursive residual', () => {
    fc.assert(
      fc.property(observations, (all) => {
        const state = newStandardisation();
        const seen: Observation[] = [];
        for (const observation of all) {
          seen.push(observation);
          const score = standardise(state, observation, 0);
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
});

const paneTo = (to: number) => ({ from: to - 1, to });

describe('prewhitening', () => {
  it('makes an AR(1) series white, with variance 1', () => {
    const random = normals(23);
    const state = newPrewhitening();
    let r = 0;
    let last = 0;
    let squares = 0;
    let cross = 0;
    const panes = 5000;
    for (let t = 0; t < panes; t++) {
      r = 0.6 * r + 0.8 * random();
      const z = prewhiten(state, r, paneTo(t));
      squares += z * z;
      cross += z * last;
      last = z;
    }
    expect(Math.abs(squares / panes - 1)).toBeLessThan(0.07);
    expect(Math.abs(cross / panes)).toBeLessThan(0.05);
  });

  it('does not carry over from a pane that is not adjacent', () => {
    const state = newPrewhitening();
    for (let t = 0; t < 50; t++) prewhiten(state, 2, paneTo(t));
    expect(prewhiten(structuredClone(state), 2, paneTo(50))).not.toBe(2);
    expect(prewhiten(state, 2, paneTo(51))).toBe(2);
  });
});
