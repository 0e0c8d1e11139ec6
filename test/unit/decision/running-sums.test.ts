import { describe, expect, it } from 'vitest';
import { forecastOf } from '../../../src/features/verdicts/forecast.js';
import { effectiveUsers } from '../../../src/features/verdicts/judge-models.js';
import { pairedDifference } from '../../../src/features/verdicts/paired-difference.js';
import {
  GROUPS,
  POINTS,
  RunningSums,
  roomForSums,
} from '../../../src/features/verdicts/running-sums.js';
import { seeded } from '../../oracle/random.js';

const BOTH = Int32Array.from([0, 1]);
const weights = (w: number) => Float64Array.from({ length: POINTS }, (_, p) => w * (p + 1));

describe('running sums', () => {
  it('give products over the rows that both models rank', () => {
    const sums = new RunningSums(2);
    sums.open(0);
    sums.open(1);
    sums.add(1, weights(1), { count: 2, places: BOTH, gains: Float64Array.from([0.5, 1]) });
    sums.add(2, weights(2), { count: 1, places: BOTH, gains: Float64Array.from([1, 0]) });
    expect(sums.moments(undefined, 0, 1)).toEqual([9 / 2, 9 / 2, 9]);
    expect(sums.moments(undefined, 1, 0)).toEqual([9 / 2, 9, 9]);
    expect(sums.moments(undefined, 0, 0)).toEqual([9 / 4 + 36, 9 / 2 + 36, 9 + 36]);
  });
});

describe('effective users', () => {
  it('count returning users even if they share groups', () => {
    const random = seeded(3);
    const weight = new Float64Array(GROUPS);
    for (let user = 0; user < 3000; user++) weight[Math.floor(random() * GROUPS)]! += 10;
    // (30,000)² / (3,000 · 100 − 30,000)
    expect(effectiveUsers(weight, 30_000) / (9e8 / 2.7e5)).toBeCloseTo(1, 0);
    const once = new Float64Array(GROUPS);
    for (let row = 0; row < 30_000; row++) once[Math.floor(random() * GROUPS)]! += 1;
    expect(effectiveUsers(once, 30_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a forecast', () => {
  it('depends on the rows alone if every row has a different user', () => {
    const random = seeded(8);
    const own = roomForSums();
    const other = roomForSums();
    const rows = 20_000;
    const sum = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      const group = Math.floor(random() * GROUPS);
      const a = random() < 0.3 ? 1 : 0;
      const b = random() < 0.25 ? 1 : 0;
      own.weight[group]! += 1;
      other.weight[group]! += 1;
      own.gain[group]! += a;
      other.gain[group]! += b;
      sum[0]! += a;
      sum[1]! += b;
      sum[2]! += a * b;
    }
    const difference = pairedDifference(own, other);
    const forecast = forecastOf({
      difference,
      days: 2,
      weights: [rows, rows],
      crossGain: sum[1]!,
      moments: {
        own: [sum[0]!, sum[0]!, rows],
        other: [sum[1]!, sum[1]!, rows],
        both: [sum[2]!, sum[0]!, rows],
      },
      users: [
        { days: 1, users: null },
        { days: 2, users: null },
      ],
      spread: 2 * difference.stdErr,
      margin: 0.02,
      comparisons: 1,
      activeUsers: 5000,
    });
    // Without returning users the error falls as 1/√T: half the margin needs z · se(T) = .01.
    const variance = (0.3 * 0.7 + 0.25 * 0.75) / rows;
    const days = forecast.days! + 2;
    const error = Math.sqrt((variance * 2) / days);
    expect(error).toBeLessThan(0.01 / 3);
    expect(error).toBeGreaterThan(0.01 / 4);
    expect(forecast.users).toBeCloseTo(forecast.days! * 5000, 6);
  });
});
