import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  samplingTime,
  samplingTimeOf,
} from '../../../src/estimators/interventions/expected-inclusion.js';
import { hash53 } from '../../../src/estimators/interventions/sampling-key.js';
import { WeightBins } from '../../../src/estimators/interventions/weight-bins.js';
import { NumberReader } from '../../../src/state/binary/number-reader.js';
import { NumberWriter } from '../../../src/state/binary/number-writer.js';
import { finish } from '../../oracle/finish.js';

function binned(weights: readonly number[]): WeightBins {
  const bins = new WeightBins();
  for (const weight of weights) bins.add(weight, 1);
  return bins;
}

function exactly(weights: readonly number[]) {
  const rows = new Float64Array(weights.length).fill(1);
  return { cells: weights.length, weight: Float64Array.from(weights), rows };
}

describe('binned moments of weights', () => {
  const SPREAD = Array.from({ length: 20_000 }, (_, n) => 10 ** (8 * (hash53(1, 0, n) / 2 ** 53)));

  for (const share of [0.001, 0.1, 0.5, 0.9, 0.999]) {
    it(`give the sampling time of the single weights, ${share} of the rows`, () => {
      const k = share * SPREAD.length;
      const [exact, time] = [
        finish(samplingTime(exactly(SPREAD), k)),
        finish(samplingTimeOf(binned(SPREAD), k)),
      ];
      expect(Math.abs(time / exact - 1)).toBeLessThan(2e-12);
    });
  }

  it('give rows, Σw, Σw² and what is kept, whatever the weights and the time', () => {
    const weight = fc.double({ min: -12, max: 6, noNaN: true }).map((e) => 10 ** e);
    const some = fc.array(weight, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(some, fc.double({ min: -8, max: 13, noNaN: true }), (weights, exponent) => {
        const bins = binned(weights);
        const time = 10 ** exponent;
        const sums = { kept: 0, slope: 0 };
        finish(bins.addKept(time, sums));
        const sum = (of: (w: number) => number) => weights.reduce((all, w) => all + of(w), 0);
        const kept = sum((w) => -Math.expm1(-w * time));
        expect(bins.rows).toBe(weights.length);
        expect(bins.largest).toBe(Math.max(...weights));
        expect(Math.abs(bins.weight / sum((w) => w) - 1)).toBeLessThan(1e-14);
        expect(Math.abs(bins.squares / sum((w) => w * w) - 1)).toBeLessThan(1e-14);
        expect(Math.abs(sums.kept - kept)).toBeLessThan(
          1e-13 * Math.max(kept, weights.length / 1e3),
        );
      }),
    );
  });

  it('merge, and come back from bytes, to the bit', () => {
    const [own, other] = [binned(SPREAD.slice(0, 500)), binned(SPREAD.slice(400, 900))];
    const merged = new WeightBins();
    for (const part of [own, other]) {
      const to = new NumberWriter();
      part.pass(to);
      const read = new WeightBins();
      read.pass(new NumberReader(to.seal(1), 1, 1 << 20));
      expect(read).toEqual(part);
      merged.merge(read);
    }
    own.merge(other);
    const [a, b] = [merged, own].map((bins) => finish(samplingTimeOf(bins, 300)));
    expect(a).toBe(b);
  });
});
