import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysNeeded, errorNeeded } from '../../../src/features/verdicts/forecast.js';
import { gammaFlip } from '../../../src/features/verdicts/gamma-flip.js';
import { isVetoed } from '../../../src/features/verdicts/judge-pair.js';
import {
  anytimeHalfWidth,
  isDifferent,
  logEvidence,
  normalScore,
  scoreNeeded,
} from '../../../src/features/verdicts/mixture-evidence.js';
import { pairedDifference } from '../../../src/features/verdicts/paired-difference.js';
import { mixtureRatio, type PairRow, pairDifference } from '../../oracle/verdict.js';
import '../../support/property-runs.js';

const MANY = { ess: 1e9, groups: 1e9 };

function summed(rows: readonly PairRow[]) {
  const users = [...new Set(rows.map(({ user }) => user))];
  const of = (value: (row: PairRow) => number) =>
    users.map((user) =>
      rows.filter((row) => row.user === user).reduce((sum, row) => sum + value(row), 0),
    );
  const weight = of((row) => row.weight);
  return pairedDifference(
    { weight, gain: of((row) => row.weight * row.own) },
    { weight, gain: of((row) => row.weight * row.other) },
  );
}

const FOUR_USERS = { weight: [2, 1, 1, 2] };

describe('a difference by groups of users', () => {
  it('is that of four users by hand', () => {
    const own = { ...FOUR_USERS, gain: [2, 1, 0, 1] };
    const found = pairedDifference(own, { ...FOUR_USERS, gain: [0, 0, 1, 0] });
    expect(found.value).toBeCloseTo(1 / 2, 12);
    expect(found.stdErr ** 2).toBeCloseTo(7 / 54, 12);
    expect(found.ess).toBeCloseTo(3.6, 12);
    const spread = 2 * found.stdErr;
    expect(Math.exp(logEvidence(found.value / found.stdErr, 2))).toBeCloseTo(0.96726, 5);
    const half = anytimeHalfWidth({ ...found, ...MANY }, spread, 20);
    expect(half / found.stdErr).toBeCloseTo(3.08239, 5);
    expect(half).toBeCloseTo(1.1098, 4);
  });

  it('adds what a user does later to what the same user did', () => {
    const weight = [2, 1, 2, 2];
    const found = pairedDifference({ weight, gain: [2, 1, 1, 1] }, { weight, gain: [0, 0, 1, 0] });
    expect(found.value).toBeCloseTo(4 / 7, 12);
    expect(found.stdErr ** 2).toBeCloseTo(440 / 7203, 12);
  });

  it('is that of the definition on random rows', () => {
    const row = fc.record({
      user: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      weight: fc.double({ min: 0.1, max: 9, noNaN: true }),
      own: fc.double({ min: 0, max: 1, noNaN: true }),
      other: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 2, maxLength: 30 }), (rows) => {
        fc.pre(new Set(rows.map(({ user }) => user)).size > 1);
        const expected = pairDifference(rows);
        const found = summed(rows);
        expect(found.value).toBeCloseTo(expected.value, 10);
        expect(found.stdErr).toBeCloseTo(expected.stdErr, 10);
        expect(found.ess).toBeCloseTo(expected.ess, 9);
        expect(found.groups).toBe(expected.groups);
      }),
    );
  });

  it('leaves out groups without weight, and needs two', () => {
    const one = { weight: [0, 3, 0], gain: [0, 1, 0] };
    expect(pairedDifference(one, one)).toMatchObject({ groups: 1, value: 0, stdErr: Number.NaN });
  });

  it('is that of two samples where no group has rows of both', () => {
    const own = { weight: [1, 1, 0, 0], gain: [1, 0, 0, 0] };
    const other = { weight: [0, 0, 1, 1], gain: [0, 0, 1, 1] };
    // ψ = ± ¼ of the first, 0 of the second: G / (G − 1) · 2 / 16
    expect(pairedDifference(own, other)).toMatchObject({ value: -0.5, groups: 4 });
    expect(pairedDifference(own, other).stdErr ** 2).toBeCloseTo(4 / 3 / 8, 12);
  });
});

describe('evidence', () => {
  it('is the ratio of the densities with and without a difference', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -5, max: 5, noNaN: true }),
        fc.double({ min: 0.2, max: 5, noNaN: true }),
        (score, spread) => {
          const expected = mixtureRatio(score, 1, spread);
          expect(Math.exp(logEvidence(score, spread)) / expected).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it.each([
    [1, 0.030824],
    [15, 0.040338],
    [63, 0.044563],
    [2016, 0.053407],
  ])('needs a difference of h among %i', (comparisons, half) => {
    const difference = { value: 0.03, stdErr: 0.01, ...MANY };
    expect(anytimeHalfWidth(difference, 0.02, comparisons / 0.05)).toBeCloseTo(half, 6);
    expect(isDifferent({ ...difference, value: half * 1.0001 }, 0.02, comparisons / 0.05)).toBe(
      true,
    );
    expect(isDifferent({ ...difference, value: half * 0.9999 }, 0.02, comparisons / 0.05)).toBe(
      false,
    );
  });

  it('of three errors is 16.367, which is no verdict', () => {
    expect(Math.exp(logEvidence(3, 2))).toBeCloseTo(16.367, 3);
    expect(isDifferent({ value: 0.03, stdErr: 0.01, ...MANY }, 0.02, 20)).toBe(false);
  });

  it('is just enough at the score needed', () => {
    expect(Math.exp(logEvidence(scoreNeeded(1.7, 40), 1.7))).toBeCloseTo(40, 9);
  });

  it('counts for less with few users, and limits say the same', () => {
    const few = { value: 0.045, stdErr: 0.01, ess: 12, groups: 900 };
    expect(normalScore(few)).toBeLessThan(3.5);
    const half = anytimeHalfWidth(few, 0.02, 20);
    expect(half).toBeGreaterThan(0.04);
    expect(isDifferent({ ...few, value: half + 1e-6 }, 0.02, 20)).toBe(true);
    expect(isDifferent({ ...few, value: half - 1e-6 }, 0.02, 20)).toBe(false);
  });

  it('is finite for a difference beyond all tails', () => {
    expect(normalScore({ value: 1, stdErr: 1e-6, ...MANY })).toBe(37);
  });
});

describe('the time to a verdict', () => {
  const parts = { byRow: 1e-4, byUser: 2e-5, days: 2, users: 100, usersPerDay: 0 };

  it('is that of the hand calculation', () => {
    expect(daysNeeded(parts, Math.sqrt(5e-5))).toBeCloseTo(20 / 3, 6);
  });

  it('never comes where the same users return with lasting tastes', () => {
    expect(daysNeeded(parts, Math.sqrt(1.9e-5))).toBeUndefined();
    expect(daysNeeded({ ...parts, usersPerDay: 50 }, Math.sqrt(1.9e-5))).toBeGreaterThan(2);
  });

  it('has come where the error is small enough', () => {
    expect(daysNeeded(parts, 1)).toBe(2);
  });

  it('counts users who come once like rows', () => {
    const once = { ...parts, users: Number.POSITIVE_INFINITY };
    expect(daysNeeded(once, Math.sqrt(6e-5))).toBeCloseTo(4, 6);
  });

  it('goes by the error at which the interval is half the margin', () => {
    const error = errorNeeded(0.05, 0.02, 20);
    expect(error * scoreNeeded(0.02 / error, 20)).toBeCloseTo(0.025, 9);
  });
});

describe('other exponents and other days', () => {
  it('change places where the line between two differences is 0', () => {
    const points = [
      { gamma: 1.8, value: 0.03 },
      { gamma: 2.2, value: -0.01 },
    ];
    expect(gammaFlip(points)).toBeCloseTo(2.1, 12);
    expect(gammaFlip(points.map((point) => ({ ...point, value: 0.1 })))).toBeUndefined();
  });

  it('contradict by the other sign, or by too much', () => {
    const since = { value: 0.1, stdErr: 0.01 };
    expect(isVetoed(since, { value: -0.001, stdErr: 0.05 })).toBe(true);
    expect(isVetoed(since, { value: 0.09, stdErr: 0.05 })).toBe(false);
    // √(.05² − .01²) = .049: 3.4 of them are .1666
    expect(isVetoed(since, { value: 0.26, stdErr: 0.05 })).toBe(false);
    expect(isVetoed(since, { value: 0.27, stdErr: 0.05 })).toBe(true);
    expect(isVetoed(since, { value: 0.27, stdErr: 0.0109 })).toBe(false);
  });
});
