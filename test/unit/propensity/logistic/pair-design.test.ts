import { describe, expect, it } from 'vitest';
import {
  transposedDesign,
  transposedMatrix,
} from '../../../../src/estimators/propensity/fit-logistic.js';
import { pairDesign } from '../../../../src/estimators/propensity/pair-design.js';

describe('the pairs of a regression', () => {
  it('are all pairs, if none is sampled out', () => {
    const { start, item, isObserved } = pairDesign([[2, 0], [], [1]], 3);
    expect([...start]).toEqual([0, 3, 6, 9]);
    expect([...item]).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2]);
    expect([...isObserved]).toEqual([1, 0, 1, 0, 0, 0, 0, 1, 0]);
  });

  it('keep every observed pair once, and others at the rate', () => {
    const observed = Array.from({ length: 400 }, (_, user) => [user % 50, 70]);
    const { start, item, isObserved } = pairDesign(observed, 100, 0.2, 5);
    let negatives = 0;
    observed.forEach((own, user) => {
      const items = [...item.subarray(start[user], start[user + 1])];
      expect(items).toEqual([...new Set(items)].sort((a, b) => a - b));
      for (const one of own) expect(items).toContain(one);
    });
    isObserved.forEach((one) => {
      negatives += 1 - one;
    });
    // Of 39,200: 7,840 expected, sd 79.
    expect(Math.abs(negatives - 7840)).toBeLessThan(320);
  });

  it('are the same for the same seed', () => {
    const draw = (seed: number) => [...pairDesign([[1], [2]], 1000, 0.1, seed).item];
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('are the same pairs with the sides turned, there and back', () => {
    const design = pairDesign([[2, 0], [], [1]], 4, 0.5, 1);
    const turned = transposedDesign(design);
    expect(turned.users).toBe(4);
    expect(transposedDesign(turned)).toEqual(design);
    expect([...transposedMatrix(Float64Array.of(1, 2, 3, 4, 5, 6), 3)]).toEqual([1, 4, 2, 5, 3, 6]);
  });
});
