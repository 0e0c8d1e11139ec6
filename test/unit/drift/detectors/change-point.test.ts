import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dated } from '../../../../src/features/drift/level-shift.js';

const evidence = { score: 8, since: 0, size: 1 };

describe('a change', () => {
  it('is dated to the start with the greatest likelihood, at its best size', () => {
    const scores = fc.array(
      fc.integer({ min: -40, max: 40 }).map((n) => n / 10),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(scores, fc.nat(10), (z, since) => {
        fc.pre(since < z.length);
        const recent = z.map((value, from) => ({ from, z: value }));
        const found = dated(recent, { ...evidence, since });
        // 2 ln L of a mean μ from j on against 0: Σ (2 μ z − μ²).
        const likelihood = (j: number) => {
          const part = z.slice(j);
          const mean = part.reduce((sum, x) => sum + x, 0) / part.length;
          return part.reduce((sum, x) => sum + 2 * mean * x - mean * mean, 0);
        };
        const best = Math.max(...z.map((_, j) => (j < since ? -1 : likelihood(j))));
        expect(found.since).toBeGreaterThanOrEqual(since);
        expect(likelihood(found.since)).toBeCloseTo(best, 9);
        const part = z.slice(found.since);
        expect(found.size).toBeCloseTo(part.reduce((sum, x) => sum + x, 0) / part.length, 9);
      }),
    );
  });

  it('of five standard deviations does not include chance scores before it', () => {
    const recent = [0.9, 0.2, -0.1, 5, 4.6].map((z, from) => ({ from, z }));
    expect(dated(recent, evidence)).toEqual({ score: 8, since: 3, size: 4.8 });
  });
});
