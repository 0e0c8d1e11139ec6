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

describe('the guaranteed bounds', () => {
  it('equal Hoeffding’s √(ln 40 / 2U) and Maurer and Pontil’s two-sided bound', () => {
    expect(hoeffdingHalfWidth(200)).toBeCloseTo(Math.sqrt(Math.log(40) / 400), 12);
    const log = Math.log(80);
    const expected = Math.sqrt((2 * 0.04 * log) / 100) + (7 * log) / (3 * 99);
    expect(empiricalBernsteinHalfWidth(Math.sqrt(0.04 / 100), 100)).toBeCloseTo(expected, 12);
  });

  it('come in the requested order, within [0, 1], around the value', () => {
    const given = guarantees(GENERAL_GUARANTEES, { ...ESTIMATE, value: 0.03 });
    expect(given.map(({ name }) => name)).toEqual([...GENERAL_GUARANTEES]);
    for (const { lower, upper } of given) {
      expect(lower).toBeGreaterThanOrEqual(0);
      expect(lower).toBeLessThanOrEqual(0.03);
      expect(upper).toBeGreaterThanOrEqual(0.03);
    }
  });
});

describe('the anytime bound', () => {
  /** Share of streams whose mean of users leaves the bounds at some pane. */
  function everMissed(halfWidth: (stdErr: number, t: number) => number): number {
    const random = seeded(21);
    let missed = 0;
    for (let stream = 0; stream < 2000; stream++) {
      let users = 0;
      let sum = 0;
      let squares = 0;
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

  it('ever misses in at most 5 % of 2,000 streams, the plain interval in over 30 %', () => {
    expect(everMissed((stdErr, t) => anytimeHalfWidth(stdErr, t, 1000))).toBeLessThanOrEqual(0.05);
    expect(everMissed((stdErr) => 1.96 * stdErr)).toBeGreaterThan(0.3);
  });
});
