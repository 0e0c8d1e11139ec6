import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  groupSnipsRating,
  ipsRating,
  naiveRating,
  snipsRating,
} from '../../../../src/estimators/mean-rating.js';
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
  it('agree with their definitions on the whole matrix', () => {
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
});

describe('invalid propensities', () => {
  it('are rejected by IPS unless they are probabilities above 0', () => {
    for (const p of [0, -0.1, 1.01, Number.NaN]) {
      expect(() => ipsRating([1], [p], 10)).toThrow(/above 0 and at most 1/);
    }
    expect(ipsRating([1], [1], 1)).toBe(1);
  });

  it('are rejected by SNIPS unless they are finite numbers above 0', () => {
    for (const p of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => snipsRating([1], [p])).toThrow(/above 0/);
      expect(() => groupSnipsRating([1], [p], [0], 1)).toThrow(/above 0/);
    }
  });
});
