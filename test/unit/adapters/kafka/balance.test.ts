import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancePartitions } from '../../../../src/adapters/kafka/balance.js';

const members = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 12 });
const count = fc.integer({ min: 0, max: 200 });

describe('the shares of a group', () => {
  it('give each partition to exactly one member', () => {
    fc.assert(
      fc.property(members, count, (ids, n) => {
        const given = [...balancePartitions(ids, n).values()].flat().sort((a, b) => a - b);
        expect(given).toEqual(Array.from({ length: n }, (_, p) => p));
      }),
    );
  });

  it('differ by one partition at most', () => {
    fc.assert(
      fc.property(members, count, (ids, n) => {
        const sizes = [...balancePartitions(ids, n).values()].map((share) => share.length);
        expect(sizes).toHaveLength(ids.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('do not depend on the order of the members', () => {
    fc.assert(
      fc.property(members, count, (ids, n) => {
        expect(balancePartitions([...ids].reverse(), n)).toEqual(balancePartitions(ids, n));
      }),
    );
  });

  it('are empty for a group without members', () => {
    expect(balancePartitions([], 4).size).toBe(0);
  });
});
