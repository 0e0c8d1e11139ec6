import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesOfShares,
  codingOf,
  readShare,
  writeShares,
} from '../../../../src/state/requests/share-coding.js';

/** What is read of shares that were written behind others, and the bytes that they take. */
function kept(shares: readonly number[]): { readonly read: number[]; readonly bytes: number } {
  const coding = codingOf(shares);
  const bytes = bytesOfShares(coding, shares.length);
  const into = new DataView(new ArrayBuffer(3 + bytes));
  writeShares(into, 3, coding, shares);
  return { read: shares.map((_, n) => readShare(into, 3, coding, shares.length, n)), bytes };
}

/** Weights as chances that sum to 1, as near as doubles come. */
function chances(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, each) => total + each, 0);
  return weights.map((each) => each / sum);
}

const share = fc.oneof(
  fc.double({ min: 1e-300, max: 1, noNaN: true }),
  fc.double({ min: 0.01, max: 1, noNaN: true }),
  fc.float({ min: Math.fround(1e-6), max: 1, noNaN: true }),
  fc.integer({ min: 1, max: 1e4 }).map((n) => n / 1e4),
  fc.integer({ min: 1, max: 1e9 }).map((n) => Number((n / 1e9).toFixed(9))),
);

describe('codingOf', () => {
  it('gives back each share to the bit, whatever shares there are', () => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 9 }), (shares) => {
        expect(kept(shares).read).toEqual(shares);
      }),
    );
    const lists = fc.array(fc.double({ min: 1e-7, max: 1, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(lists, (weights) => {
        expect(kept(chances(weights)).read).toEqual(chances(weights));
      }),
    );
  });

  it.each([
    ['4 decimals', [0.4, 0.25, 0.3499, 0.0001], 2 * 4],
    ['7 decimals', [0.1234567, 0.8765433], 3 * 2],
    ['9 decimals', [0.123456789, 0.876543211], 4 * 2],
    ['floats of 32 bits', [Math.fround(0.1), Math.fround(1e-9)], 4 * 2],
    ['doubles that sum to 1', [1 / 7, 2 / 7, 4 / 7], 7 * 2 + 1],
    ['doubles that do not', [1 / 7, 2 / 7, 1 / 9], 7 * 3],
    ['doubles below 2⁻¹⁵', [1e-9 / 7, 2 / 7, 1 / 9], 8 * 3],
    ['the least and the largest', [Number.MIN_VALUE, 1], 8 + 1],
    ['more than a chance', [1.5, 100], 8 * 2],
    ['nothing', [], 0],
  ])('writes %s', (_, shares, bytes) => {
    expect(kept(shares)).toEqual({ read: shares, bytes });
  });
});
