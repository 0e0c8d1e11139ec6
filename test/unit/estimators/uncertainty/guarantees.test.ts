import { describe, expect, it } from 'vitest';
import {
  anytimeHalfWidth,
  empiricalBernsteinHalfWidth,
  GENERAL_GUARANTEES,
  guarantees,
  hoeffdingHalfWidth,
} from '../../../../src/estimators/uncertainty/guarantees.js';
import { seeded } from '../../../oracle/random.js';

const ESTIMATE = { value: 0.4, stdErr: 0.02, ess: 500, users: 600, isPlainMean: true };

describe('the bounds', () => {
  it('are Hoeffding’s √(ln 40 / 2U) and Maurer and Pontil’s at half of the error on each side', () => {
    expect(hoeffdingHalfWidth(200)).toBeCloseTo(Math.sqrt(Math.log(40) / 400), 12);
    const log = Math.log(80);
    const expected = Math.sqrt((2 * 0.04 * log) / 100) + (7 * log) / (3 * 99);
    expect(empiricalBernsteinHalfWidth(Math.sqrt(0.04 / 100), 100)).toBeCloseTo(expected, 12);
  });

  it('come in the order asked for, within [0, 1], around the value', () => {
    const given = guarantees(GENERAL_GUARANTEES, { ...ESTIMATE, value: 0.03 });
    expect(given.map(({ name }) => name)).toEqual([...GENERAL_GUARANTEES]);
    for (const { lower, upper } of given) {
      expect(lower).toBeGreaterThanOrEqual(0);
      expect(lower).toBeLessThanOrEqual(0.03);
      expect(upper).toBeGreaterThanOrEqual(0.03);
    }
  });

  it('are left out where their premises do not hold', () => {
    const ratio = guarantees(GENERAL_GUARANTEES, { ...ESTIMATE, isPlainMean: false });
    expect(ratio.map(({ name }) => name)).toEqual(['anytime']);
    const single = guarantees(GENERAL_GUARANTEES, { ...ESTIMATE, users: 1, stdErr: Number.NaN });
    expect(single.map(({ name }) => name)).toEqual(['hoeffding']);
    expect(guarantees([], ESTIMATE)).toEqual([]);
  });

  it('hold the mean in at least 95 % of samples of 20 users, of which few are hit', () => {
    const random = seeded(8);
    const missed = { hoeffding: 0, 'empirical-bernstein': 0, anytime: 0 };
    const runs = 4000;
    for (let run = 0; run < runs; run++) {
      let hits = 0;
      for (let u = 0; u < 20; u++) hits += random() < 0.15 ? 1 : 0;
      const value = hits / 20;
      const stdErr = Math.sqrt((value * (1 - value)) / 19);
      const of = { value, stdErr, ess: 20, users: 20, isPlainMean: true };
      for (const { name, lower, upper } of guarantees(['hoeffding', 'empirical-bernstein'], of)) {
        if (lower > 0.15 || upper < 0.15) missed[name as keyof typeof missed]++;
      }
    }
    expect(missed.hoeffding / runs).toBeLessThan(0.05);
    expect(missed['empirical-bernstein'] / runs).toBeLessThan(0.05);
  });
});

describe('the anytime bound', () => {
  /** Share of streams whose mean of users leaves the bounds at some pane. */
  function everMissed(halfWidth: (stdErr: number, t: number) => number): number {
    const random = seeded(21);
    let missed = 0;
    for (let stream = 0; stream < 2000; stream++) {
      let [users, sum, squares] = [0, 0, 0];
      let isOut = false;
      for (let pane = 0; pane < 200 && !isOut; pane++) {
        // Users of a pane differ in how much they gain: a mean of .3, far from normal.
        for (let u = 0; u < 20; u++) {
          const gain = random() < 0.6 ? 0 : random() * 1.5;
          users++;
          sum += gain;
          squares += gain * gain;
        }
        const mean = sum / users;
        const stdErr = Math.sqrt((squares / users - mean * mean) / (users - 1));
        isOut = Math.abs(mean - 0.3) > halfWidth(stdErr, users);
      }
      if (isOut) missed++;
    }
    return missed / 2000;
  }

  it('misses at some pane in at most 5 % of 2,000 streams, where the interval does in most', () => {
    expect(everMissed((stdErr, t) => anytimeHalfWidth(stdErr, t, 1000))).toBeLessThanOrEqual(0.05);
    expect(everMissed((stdErr) => 1.96 * stdErr)).toBeGreaterThan(0.3);
  });

  it('is tightest, against the plain error, near the number of users it is made for', () => {
    const width = (t: number) => anytimeHalfWidth(1, t, 1000);
    expect(width(1000)).toBeLessThan(width(100));
    expect(width(1000)).toBeLessThan(width(10_000));
    expect(width(1000)).toBeGreaterThan(1.96);
    expect(anytimeHalfWidth(0, 5, 1000)).toBe(0);
  });
});
