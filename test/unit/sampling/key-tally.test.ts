import { describe, expect, it } from 'vitest';
import { KeyTally } from '../../../src/estimators/interventions/drawn-sets.js';
import { samplingKey } from '../../../src/estimators/interventions/sampling-key.js';

const keys = Array.from({ length: 5000 }, (_, n) => samplingKey(3, n, 0, 10 ** ((n % 40) - 20)));

describe('a tally of keys', () => {
  it.each([
    ['few', 5000],
    ['many', 5_000_000],
  ])('finds the bin of the k-th smallest key if %s are expected', (_, expected) => {
    const tally = new KeyTally(expected);
    for (const key of keys) tally.add(key);
    tally.add(Number.POSITIVE_INFINITY);
    expect(tally.total).toBe(keys.length);
    const sorted = [...keys].sort((a, b) => a - b);
    for (const k of [1, 2, 777, 2500, 4999, 5000]) {
      const { bin, below } = tally.binOf(k);
      expect(bin).toBe(tally.bin(sorted[k - 1]));
      expect(below).toBe(sorted.filter((key) => tally.bin(key) < bin).length);
    }
  });
});
