import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cusum,
  eCusum,
  eShiryaevRoberts,
  newCusum,
  newECusum,
  newEShiryaevRoberts,
} from '../../../src/features/drift/level-detectors.js';
import {
  cusumByDefinition,
  eCusumByDefinition,
  eShiryaevRobertsByDefinition,
} from '../../oracle/change-detectors.js';

const scores = fc.array(fc.double({ min: -4, max: 4, noNaN: true }), {
  minLength: 1,
  maxLength: 30,
});

const close = (a: number, b: number) =>
  expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(b)));

describe('detectors updated step by step', () => {
  it('match the definition of CUSUM, with start and mean score of the change', () => {
    fc.assert(
      fc.property(scores, (z) => {
        const state = newCusum();
        let last = { score: 0, since: 0, size: 0 as number | null };
        z.forEach((value, t) => {
          last = cusum(state, value, t, 0.5);
        });
        const { score, start } = cusumByDefinition(z, 0.5);
        close(last.score, score);
        if (score < 1e-6) return;
        expect(last.since).toBe(start);
        const part = z.slice(start);
        close(last.size!, part.reduce((sum, value) => sum + value, 0) / part.length);
      }),
      { numRuns: 200 },
    );
  });

  it('match the definition of e-CUSUM', () => {
    fc.assert(
      fc.property(scores, (z) => {
        const state = newECusum();
        const found = z.map((value, t) => eCusum(state, value, t).score).at(-1)!;
        close(found, eCusumByDefinition(z));
      }),
      { numRuns: 100 },
    );
  });

  it('match the definition of e-SR', () => {
    fc.assert(
      fc.property(scores, (z) => {
        const state = newEShiryaevRoberts();
        const found = z.map((value, t) => eShiryaevRoberts(state, value, t).score).at(-1)!;
        close(found, eShiryaevRobertsByDefinition(z));
      }),
      { numRuns: 100 },
    );
  });
});

describe('a change of two standard deviations after 20 quiet panes', () => {
  const z = [...Array.from({ length: 20 }, (_, t) => (t % 2 === 0 ? -0.3 : 0.3)), 2, 2, 2, 2, 2];
  for (const direction of [1, -1]) {
    it(`is dated and sized by every detector, in direction ${direction}`, () => {
      const states = [newCusum(), newECusum(), newEShiryaevRoberts()] as const;
      const last = z.map((value, t) => [
        cusum(states[0], direction * value, t * 100, 0.5),
        eCusum(states[1], direction * value, t * 100),
        eShiryaevRoberts(states[2], direction * value, t * 100),
      ]);
      for (const { since, size } of last.at(-1)!) {
        expect(since).toBe(2000);
        close(size!, direction * 2);
      }
    });
  }
});
