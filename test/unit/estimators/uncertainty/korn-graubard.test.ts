import { describe, expect, it } from 'vitest';
import {
  kornGraubard,
  type WeightedMean,
} from '../../../../src/estimators/uncertainty/korn-graubard.js';
import { LIST_FULL, LIST_PARTIAL } from '../../../../src/state/panes/window-part.js';
import { estimate, type PlainWindow, windowOf } from '../../../oracle/window.js';

const Z = 1.959963984540054;

/** 100 users of one row each, x of them hit. */
const binomial = (x: number, some: Partial<WeightedMean> = {}): WeightedMean => ({
  ...{ value: x / 100, stdErr: Math.sqrt(((x / 100) * (1 - x / 100)) / 99), gammaStdErr: 0 },
  ...{ userEss: 100, rowEss: 100, hits: x, misses: 100 - x, squaredGain: 1 },
  ...{ isConstant: x === 0 || x === 100, isCertain: false },
  ...some,
});

describe('kornGraubard', () => {
  it('is Clopper and Pearson’s where little is counted, and Wilson’s elsewhere', () => {
    // Tables: 3 of 100 and, by Wilson, 40 of 100.
    const [low, high] = kornGraubard(binomial(3, { stdErr: 0 }), Z);
    expect([low, high]).toEqual([expect.closeTo(0.00623, 5), expect.closeTo(0.08518, 5)]);
    const [lower, upper] = kornGraubard(binomial(40, { stdErr: 0 }), Z);
    expect([lower, upper]).toEqual([expect.closeTo(0.30938, 4), expect.closeTo(0.498, 4)]);
  });

  it('is one-sided at 0 and 1, unless nothing else was possible', () => {
    expect(kornGraubard(binomial(0), Z)).toEqual([0, expect.closeTo(0.03622, 5)]);
    expect(kornGraubard(binomial(100), Z)).toEqual([expect.closeTo(0.96378, 5), 1]);
    expect(kornGraubard(binomial(100, { isCertain: true }), Z)).toEqual([1, 1]);
    // That an item outside of such a list was found shows that a hit was not certain.
    expect(kornGraubard(binomial(0, { isCertain: true }), Z)[1]).toBeGreaterThan(0.03);
  });

  it('turns round with the gain', () => {
    for (const x of [0, 1, 4, 30]) {
      const [lower, upper] = kornGraubard(binomial(x), 2);
      const turned = kornGraubard(binomial(100 - x), 2);
      expect(turned[0]).toBeCloseTo(1 - upper, 9);
      expect(turned[1]).toBeCloseTo(1 - lower, 9);
    }
  });

  it('takes no error for smaller than that of independent rows, but where hits are many', () => {
    const few = binomial(5, { stdErr: 1e-4 });
    expect(kornGraubard(few, Z)).toEqual(kornGraubard(binomial(5, { stdErr: 0 }), Z));
    const many = { ...few, hits: 120, misses: 120 };
    expect(kornGraubard(many, Z)[1]).toBeLessThan(0.0503);
    // Rows of one user are one row while hits are few.
    const clustered = binomial(5, { stdErr: 0, userEss: 20 });
    expect(kornGraubard(clustered, Z)[1]).toBeGreaterThan(0.2);
    expect(kornGraubard({ ...clustered, hits: 12 }, Z)).toEqual(
      kornGraubard(binomial(5, { stdErr: 0 }), Z),
    );
  });

  it('widens with the error of γ, and with few degrees of freedom', () => {
    const [lower, upper] = kornGraubard(binomial(30), Z);
    const wider = kornGraubard(binomial(30, { gammaStdErr: 0.05 }), Z);
    expect(wider[0]).toBeLessThan(lower - 0.02);
    expect(wider[1]).toBeGreaterThan(upper + 0.02);
    expect(kornGraubard(binomial(30), 2.5)[1]).toBeGreaterThan(upper);
    expect(kornGraubard(binomial(30), Number.POSITIVE_INFINITY)).toEqual([0, 1]);
  });

  it('has no width for a gain that does not vary inside (0, 1), and all where nothing is known', () => {
    expect(kornGraubard(binomial(50, { isConstant: true, stdErr: 0 }), Z)).toEqual([0.5, 0.5]);
    const rounded = binomial(50, { stdErr: 0, squaredGain: 0.5 + 1e-16 });
    expect(kornGraubard(rounded, Z)).toEqual([0.5, 0.5]);
    expect(kornGraubard(binomial(50, { stdErr: Number.NaN }), Z)).toEqual([0, 1]);
  });

  it('keeps the width of hits that weigh next to nothing', () => {
    const light = binomial(0, { value: 1e-13, stdErr: 1e-14, hits: 1, isConstant: false });
    const [lower, upper] = kornGraubard(light, 1.984);
    expect(lower).toBeLessThan(1e-13);
    expect(upper).toBeGreaterThan(0.03);
  });
});

describe('an interval by korn-graubard', () => {
  const asked = { metrics: ['recall'] as const, ks: [3], interval: 'korn-graubard' as const };
  const hitWith = (length: number, candidates: number, rank: number): PlainWindow => {
    const window = windowOf(
      [1],
      Array.from({ length: 40 }, () => [[0, rank]]),
    );
    for (const { rows } of window.users)
      for (const row of rows) row.lists = [{ length, candidates }];
    return window;
  };
  const lowerOf = (window: PlainWindow) =>
    estimate(window, { ...asked, estimators: ['naive'] }).results[0].lower;

  it('has no width at 1 where every list ranks all its candidates, and no more than k', () => {
    expect(lowerOf(hitWith(3, LIST_FULL, 2))).toBe(1);
    expect(lowerOf(hitWith(4, LIST_FULL, 2))).toBeLessThan(0.95);
    expect(lowerOf(hitWith(3, LIST_PARTIAL, 2))).toBeLessThan(0.95);
    // The candidates of an unstated number are the catalogue: 12 items.
    expect(lowerOf(hitWith(3, 0, 2))).toBeLessThan(0.95);
  });

  it('has a width where dcg was 1 by luck', () => {
    const own = { ...asked, metrics: ['dcg'] as const, estimators: ['naive'] as const };
    const [uncut] = estimate(hitWith(3, LIST_FULL, 0), own).results;
    expect([uncut.value, uncut.lower < 0.95]).toEqual([1, true]);
    expect(estimate(hitWith(1, LIST_FULL, 0), own).results[0].lower).toBe(1);
  });

  it('does not fall on one user whose hit is all that there is', () => {
    const one = windowOf([1], [[[0, 0]]]);
    for (const { lower, upper } of estimate(one, { ...asked, estimators: ['snips'] }).results) {
      expect(lower).toBeLessThan(1e-6);
      expect(upper).toBe(1);
    }
  });

  it('of ips without hits lies below the limit of its weights', () => {
    const window = {
      ...windowOf(
        [8, 2],
        Array.from({ length: 50 }, (_, u) => [[u % 2, 'absent']]),
      ),
      reach: { users: 100, items: [80, 20] },
    };
    const { results } = estimate(window, { ...asked, estimators: ['ips', 'snips'], gamma: -1 });
    const [own] = results.filter(({ estimator }) => estimator === 'ips');
    expect([own.value, own.lower]).toEqual([0, 0]);
    // Σ 1/P / (U I) = (25 · 1.25 + 25 · 5) / (50 · 12) times the limit of a share.
    const weights = [...Array(25).fill(1.25), ...Array(25).fill(5)] as number[];
    const total = weights.reduce((a, b) => a + b);
    const ess = total ** 2 / weights.reduce((sum, w) => sum + w * w, 0);
    expect(own.upper / (total / 600)).toBeGreaterThan(1 - 0.025 ** (1 / ess));
    expect(own.upper / (total / 600)).toBeLessThan(1.2 * (1 - 0.025 ** (1 / ess)));
  });
});
