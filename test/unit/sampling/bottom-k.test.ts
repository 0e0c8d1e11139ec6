import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BottomK } from '../../../src/sampling/bottom-k.js';
import { hash53, samplingKey } from '../../../src/sampling/sampling-key.js';

const row = fc.record({
  key: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0.5, Infinity)),
  idHigh: fc.integer({ min: -2, max: 2 }),
  idLow: fc.integer(),
});
const rows = fc.uniqueArray(row, {
  selector: ({ idHigh, idLow }) => `${idHigh} ${idLow}`,
  maxLength: 60,
});

function drawn(k: number, offered: { key: number; idHigh: number; idLow: number }[]): BottomK {
  const sample = new BottomK(k);
  for (const { key, idHigh, idLow } of offered) sample.add(key, idHigh, idLow);
  return sample;
}

describe('BottomK', () => {
  it('holds the k smallest keys, equal ones by id, and no infinite one', () => {
    fc.assert(
      fc.property(rows, fc.nat(20), (offered, k) => {
        const expected = offered
          .filter(({ key }) => key < Infinity)
          .sort((a, b) => a.key - b.key || a.idHigh - b.idHigh || a.idLow - b.idLow)
          .slice(0, k);
        expect(drawn(k, offered).rows()).toEqual(expected);
      }),
    );
  });

  it('draws from the parts what it draws from the whole', () => {
    fc.assert(
      fc.property(rows, fc.nat(20), fc.nat(4), (offered, k, shift) => {
        const parts = [0, 1, 2].map((p) =>
          drawn(
            k,
            offered.filter((_, r) => (r * 7 + shift) % 3 === p),
          ),
        );
        const merged = new BottomK(k);
        for (const part of parts) merged.merge(part);
        expect(merged.rows()).toEqual(drawn(k, offered).rows());
      }),
    );
  });

  it('does not take a size that is not a whole number', () => {
    expect(() => new BottomK(1.5)).toThrow(RangeError);
    expect(() => new BottomK(-1)).toThrow(RangeError);
  });
});

describe('the sampling key', () => {
  it('draws the first row in proportion to its weight', () => {
    const weights = [1, 2, 5];
    const first = [0, 0, 0];
    const draws = 40_000;
    for (let seed = 0; seed < draws; seed++) {
      const keys = weights.map((weight, id) => samplingKey(seed, 0, id, weight));
      first[keys.indexOf(Math.min(...keys))]++;
    }
    first.forEach((count, id) => {
      const share = weights[id] / 8;
      const error = Math.sqrt((share * (1 - share)) / draws);
      expect(Math.abs(count / draws - share)).toBeLessThan(4 * error);
    });
  });

  it('spreads ids and seeds evenly over every one of 64 bins', () => {
    for (const of of [
      (n: number) => hash53(7, 0, n),
      (n: number) => hash53(7, n, 0),
      (n: number) => hash53(n, 1, 2),
      (n: number) => (hash53(7, 0, n) % 2 ** 26) * 2 ** 27,
    ]) {
      const bins = new Array<number>(64).fill(0);
      for (let n = 0; n < 64_000; n++) bins[Math.floor((of(n) / 2 ** 53) * 64)]++;
      const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
      // 63 degrees of freedom: 63 ± 11; 120 is beyond 5 sd.
      expect(chiSquare).toBeLessThan(120);
    }
  });

  it('never draws a row without weight', () => {
    expect(samplingKey(1, 2, 3, 0)).toBe(Infinity);
  });
});
