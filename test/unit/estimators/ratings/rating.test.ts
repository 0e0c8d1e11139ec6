import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ipsRating } from '../../../../src/features/ratings/rating-ips.js';
import { naiveRating } from '../../../../src/features/ratings/rating-naive.js';
import { groupSnipsRating, snipsRating } from '../../../../src/features/ratings/rating-snips.js';
import * as oracle from '../../../oracle/rating.js';

const USERS = 4;
const ITEMS = 5;

/** A small matrix of which at least one rating is observed. */
const matrix = fc
  .array(
    fc.record({
      delta: fc.double({ min: -3, max: 3, noNaN: true }),
      propensity: fc.double({ min: 0.05, max: 1, noNaN: true }),
      isObserved: fc.boolean(),
    }),
    { minLength: USERS * ITEMS, maxLength: USERS * ITEMS },
  )
  .map((cells) =>
    cells.map((cell, n): oracle.Pair => ({ ...cell, user: n % USERS, item: n % ITEMS })),
  )
  .filter((pairs) => pairs.some(({ isObserved }) => isObserved));

function columns(pairs: oracle.Pair[]) {
  const seen = pairs.filter(({ isObserved }) => isObserved);
  return {
    delta: Float64Array.from(seen, ({ delta }) => delta),
    propensity: Float64Array.from(seen, ({ propensity }) => propensity),
    user: Int32Array.from(seen, ({ user }) => user),
    item: Int32Array.from(seen, ({ item }) => item),
  };
}

describe('estimators for explicit ratings', () => {
  it('agree with the definitions on the whole matrix', () => {
    fc.assert(
      fc.property(matrix, (pairs) => {
        const { delta, propensity, user, item } = columns(pairs);
        expect(naiveRating(delta)).toBeCloseTo(oracle.naive(pairs), 10);
        expect(ipsRating(delta, propensity, pairs.length)).toBeCloseTo(oracle.ips(pairs), 10);
        expect(snipsRating(delta, propensity)).toBeCloseTo(oracle.snips(pairs), 10);
        const byUser = groupSnipsRating(delta, propensity, user, USERS);
        expect(byUser).toBeCloseTo(oracle.groupSnips(pairs, 'user'), 10);
        const byItem = groupSnipsRating(delta, propensity, item, ITEMS);
        expect(byItem).toBeCloseTo(oracle.groupSnips(pairs, 'item'), 10);
      }),
    );
  });

  it('make IPS right on average over every pattern of what is observed, and naive wrong', () => {
    const delta = [4, 0, 1, 3, 2, 0.5, 4, 1];
    const propensity = [0.1, 0.9, 0.6, 0.2, 0.4, 0.8, 0.05, 0.5];
    const expected = { ips: 0, naive: 0 };
    for (let pattern = 0; pattern < 2 ** delta.length; pattern++) {
      const pairs = delta.map((value, n) => ({
        user: 0,
        item: n,
        delta: value,
        propensity: propensity[n],
        isObserved: ((pattern >> n) & 1) === 1,
      }));
      const chance = pairs.reduce(
        (p, x) => p * (x.isObserved ? x.propensity : 1 - x.propensity),
        1,
      );
      const seen = columns(pairs);
      expected.ips += chance * ipsRating(seen.delta, seen.propensity, pairs.length);
      if (seen.delta.length > 0) expected.naive += chance * naiveRating(seen.delta);
    }
    const truth = delta.reduce((a, b) => a + b, 0) / delta.length;
    expect(expected.ips).toBeCloseTo(truth, 12);
    expect(Math.abs(expected.naive - truth)).toBeGreaterThan(0.5);
  });

  it('keep SNIPS within the range of the errors and free of the scale of P', () => {
    fc.assert(
      fc.property(matrix, fc.double({ min: 0.1, max: 9, noNaN: true }), (pairs, scale) => {
        const { delta, propensity } = columns(pairs);
        const value = snipsRating(delta, propensity);
        expect(value).toBeGreaterThanOrEqual(Math.min(...delta) - 1e-12);
        expect(value).toBeLessThanOrEqual(Math.max(...delta) + 1e-12);
        const scaled = propensity.map((p) => p * scale);
        expect(snipsRating(delta, scaled)).toBeCloseTo(value, 10);
      }),
    );
  });

  it('make SNIPS naive where all propensities are equal', () => {
    expect(snipsRating([1, 2, 6], [0.3, 0.3, 0.3])).toBeCloseTo(3, 12);
  });

  it('count a user with one rating as much as a user with many', () => {
    expect(groupSnipsRating([0, 0, 0, 4], [0.5, 0.1, 0.2, 0.9], [2, 2, 2, 0], 5)).toBe(2);
  });
});

describe('ratings that cannot be estimated from', () => {
  it('give NaN where nothing is observed, but 0 for IPS, which knows the number of pairs', () => {
    expect(naiveRating([])).toBeNaN();
    expect(snipsRating([], [])).toBeNaN();
    expect(groupSnipsRating([], [], [], 3)).toBeNaN();
    expect(ipsRating([], [], 10)).toBe(0);
    expect(ipsRating([], [], 0)).toBeNaN();
  });

  it('are refused by IPS where a propensity is not a probability above 0', () => {
    for (const p of [0, -0.1, 1.01, Number.NaN]) {
      expect(() => ipsRating([1], [p], 10)).toThrow(/\(0, 1\]/);
    }
    expect(ipsRating([1], [1], 1)).toBe(1);
  });

  it('are refused by SNIPS where a propensity is not a number above 0', () => {
    for (const p of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => snipsRating([1], [p])).toThrow(/above 0/);
      expect(() => groupSnipsRating([1], [p], [0], 1)).toThrow(/above 0/);
    }
  });

  it('are refused where columns do not match or a group is out of range', () => {
    expect(() => ipsRating([1, 2], [0.5], 10)).toThrow('2 ratings');
    expect(() => snipsRating([1], [0.5, 0.5])).toThrow('not 2');
    expect(() => groupSnipsRating([1, 1], [0.5, 0.5], [0], 1)).toThrow('not 1');
    for (const group of [-1, 2, 0.5]) {
      expect(() => groupSnipsRating([1], [0.5], [group], 2)).toThrow(/group/);
    }
  });
});
