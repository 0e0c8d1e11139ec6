import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concentration, levelsOf, lorenzCurve } from '../../../../src/state/counts/levels.js';

const counts = fc.array(fc.oneof(fc.nat(6), fc.integer({ min: 4090, max: 4100 })), {
  minLength: 1,
  maxLength: 40,
});

describe('levelsOf', () => {
  it('lists the distinct counts above 0 in ascending order with their items', () => {
    const levels = levelsOf(Float64Array.of(5, 0, 9000, 5, 1), 5);
    expect([...levels.count]).toEqual([1, 5, 9000]);
    expect([...levels.items]).toEqual([1, 2, 1]);
    expect(levels).toMatchObject({ seen: 4, total: 9011 });
  });
});

describe('concentration', () => {
  it('agrees with the definitions of Gini, HHI, entropy, coverage and top share', () => {
    fc.assert(
      fc.property(counts, fc.nat(400), (given, unseen) => {
        const total = given.reduce((a, b) => a + b, 0);
        if (total === 0) return;
        const all = [...given, ...new Array<number>(unseen).fill(0)];
        const size = all.length;
        // Gini from its definition: Σ|x − y| over all ordered pairs, over 2 M² times the mean.
        let differences = 0;
        for (const x of all) for (const y of all) differences += Math.abs(x - y);
        const shares = given.filter((n) => n > 0).map((n) => n / total);
        const top = [...all].sort((a, b) => b - a).slice(0, Math.max(1, Math.floor(size / 100)));
        const actual = concentration(Float64Array.from(given), given.length, size);
        expect(actual.gini).toBeCloseTo(differences / (2 * size * total), 12);
        expect(actual.hhi).toBeCloseTo(
          shares.reduce((sum, s) => sum + s * s, 0),
          12,
        );
        expect(actual.entropy).toBeCloseTo(
          shares.reduce((sum, s) => sum - s * Math.log(s), 0),
          10,
        );
        expect(actual.coverage).toBe(shares.length / size);
        expect(actual.topShare).toBeCloseTo(top.reduce((a, b) => a + b, 0) / total, 12);
        expect(actual.total).toBe(total);
      }),
      { numRuns: 60 },
    );
  });
});

describe('lorenzCurve', () => {
  const curveOf = (given: number[], size: number) =>
    lorenzCurve(levelsOf(Float64Array.from(given), given.length), size);

  it('gives the cumulative share of the least counted items in ascending order', () => {
    fc.assert(
      fc.property(counts, fc.nat(400), (given, unseen) => {
        const total = given.reduce((a, b) => a + b, 0);
        if (total === 0) return;
        const all = [...given, ...new Array<number>(unseen).fill(0)].sort((a, b) => a - b);
        const actual = curveOf(given, all.length);
        expect(actual).toHaveLength(101);
        for (let part = 0; part <= 100; part++) {
          const wanted = (part * all.length) / 100;
          const held = all.map((n, i) => n * Math.min(1, Math.max(0, wanted - i)));
          expect(actual[part]).toBeCloseTo(held.reduce((a, b) => a + b, 0) / total, 10);
        }
      }),
      { numRuns: 60 },
    );
  });
});
