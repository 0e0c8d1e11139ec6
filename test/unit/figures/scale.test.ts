import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearScale, logTicks, placeOn } from '../../../src/rows/scale.js';

const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: 1,
  maxLength: 9,
});

describe('a linear axis', () => {
  it('contains every value and has two to seven ticks with distinct labels', () => {
    fc.assert(
      fc.property(values, (given) => {
        fc.pre(Math.max(...given) - Math.min(...given) > 1e-6);
        const scale = linearScale(given);
        const { ticks, from, to, digits } = scale;
        for (const value of given) {
          expect(placeOn(scale, value)).toBeGreaterThanOrEqual(-0.01);
          expect(placeOn(scale, value)).toBeLessThanOrEqual(100.01);
        }
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect([ticks[0], ticks[ticks.length - 1]]).toEqual([from, to]);
        const labels = ticks.map((tick) => tick.toFixed(digits));
        expect(new Set(labels).size).toBe(ticks.length);
        labels.forEach((label, t) => {
          expect(Math.abs(Number(label) - ticks[t]!)).toBeLessThan((to - from) * 1e-6);
        });
      }),
    );
  });

  it('starts at 0 only if the values come near it', () => {
    expect(linearScale([0.01, 0.09]).from).toBe(0);
    expect(linearScale([0.4, 0.5]).from).toBeCloseTo(0.4, 12);
  });

  it('accepts a single value and none', () => {
    expect(placeOn(linearScale([0.3]), 0.3)).toBeGreaterThan(0);
    expect(placeOn(linearScale([0.3]), 0.3)).toBeLessThan(100);
    expect(linearScale([Number.NaN])).toMatchObject({ from: 0, to: 1 });
  });
});

describe('a logarithmic axis', () => {
  it('spans the values with powers of one base', () => {
    expect(logTicks([3, 20])).toEqual({ from: 2, to: 32, ticks: [2, 4, 8, 16, 32] });
    expect(logTicks([0.5, 2000]).ticks).toEqual([0.1, 1, 10, 100, 1000, 10_000]);
    expect(logTicks([4, 4]).ticks).toEqual([4, 8]);
  });
});
