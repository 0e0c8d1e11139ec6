import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  halfWidth,
  scoreBars,
  scoreNeeded,
} from '../../../src/estimators/evidence/anchored-rule.js';
import { isVetoed } from '../../../src/features/judge.js';
import { daysNeeded } from '../../../src/features/verdicts/forecast.js';
import { pairedDifference } from '../../../src/features/verdicts/paired-difference.js';
import { mixtureRatio, type PairRow, pairDifference } from '../../oracle/verdict.js';
import '../../support/property-runs.js';

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

describe('a paired difference by groups of users', () => {
  it('matches a hand calculation for four users', () => {
    const own = { ...FOUR_USERS, gain: [2, 1, 0, 1] };
    const found = pairedDifference(own, { ...FOUR_USERS, gain: [0, 0, 1, 0] });
    expect(found.value).toBeCloseTo(1 / 2, 12);
    expect(found.stdErr ** 2).toBeCloseTo(7 / 54, 12);
    expect(found.ess).toBeCloseTo(3.6, 12);
    const known = { ...found, freedom: Number.POSITIVE_INFINITY, spread: 2 * found.stdErr };
    expect(mixtureRatio(found.value, found.stdErr, known.spread)).toBeCloseTo(0.96726, 5);
    const half = halfWidth(known, scoreBars(1, known).whole);
    expect(half / found.stdErr).toBeCloseTo(3.08239, 5);
    expect(half).toBeCloseTo(1.1098, 4);
  });

  it('matches its definition on random rows', () => {
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
});

describe('the score needed', () => {
  it('has a mixture likelihood ratio equal to the bar', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 500, noNaN: true }),
        fc.double({ min: 0.2, max: 5, noNaN: true }),
        (bar, spread) => {
          expect(mixtureRatio(scoreNeeded(spread, bar), 1, spread) / bar).toBeCloseTo(1, 9);
        },
      ),
    );
  });
});

describe('the time to a verdict', () => {
  const parts = { byRow: 1e-4, byUser: 2e-5, days: 2, users: 100, usersPerDay: 0 };

  it('matches the hand calculation', () => {
    expect(daysNeeded(parts, Math.sqrt(5e-5))).toBeCloseTo(20 / 3, 6);
  });
});

describe('other exponents and days', () => {
  it('veto a preference by the opposite sign or a significant deviation', () => {
    const since = { value: 0.1, stdErr: 0.01 };
    expect(isVetoed(since, { value: -0.001, stdErr: 0.05 })).toBe(true);
    expect(isVetoed(since, { value: 0.09, stdErr: 0.05 })).toBe(false);
    // √(.05² − .01²) = .049: 3.4 of them are .1666
    expect(isVetoed(since, { value: 0.26, stdErr: 0.05 })).toBe(false);
    expect(isVetoed(since, { value: 0.27, stdErr: 0.05 })).toBe(true);
    expect(isVetoed(since, { value: 0.27, stdErr: 0.0109 })).toBe(false);
  });
});
