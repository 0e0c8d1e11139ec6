import { expect, it } from 'vitest';
import { groupedBy } from '../../../src/commands/train/rating-rows.js';
import { RidgeRows } from '../../../src/commands/train/ridge-rows.js';

it('a step for one user reduces that user’s part of the objective to 92/45', () => {
  const rating = Float64Array.of(5, 2);
  const weight = Float64Array.of(2, 4);
  const other = [1, -1];
  const rows = new Float64Array(2);
  const termsOf = ([v, a]: Float64Array) =>
    rating.reduce(
      (sum, y, r) => sum + weight[r] * (y - 3 - other[r] * v - a) ** 2,
      v ** 2 + a ** 2,
    );
  expect(termsOf(rows)).toBe(12);
  const side = {
    rows,
    others: Float64Array.of(1, 0, -1, 0),
    other: Int32Array.of(0, 1),
    grouped: groupedBy(Int32Array.of(0, 0), 1),
  };
  new RidgeRows(1).solve(side, rating, weight, 3, 1);
  expect(rows[0]).toBeCloseTo(56 / 45, 12);
  expect(rows[1]).toBeCloseTo(16 / 45, 12);
  expect(termsOf(rows)).toBeCloseTo(2.044444, 6);
});
