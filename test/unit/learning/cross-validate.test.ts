import { describe, expect, it } from 'vitest';
import {
  crossValidate,
  foldsOf,
  VALIDATION_DEFAULTS,
} from '../../../src/commands/train/cross-validate.js';
import { predictedRating } from '../../../src/commands/train/factors.js';
import { evenWeights, fitFactors } from '../../../src/commands/train/fit-factors.js';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { cellsOf, sparseRatings } from '../../support/sparse-ratings.js';

/** Ratings by offsets of users and items alone, with noise. */
function offsetsWorld(noise: number) {
  const random = new Random(4, 'world');
  const side = (count: number) => Array.from({ length: count }, () => random.normal());
  const a = side(30);
  const b = side(30);
  return sparseRatings(
    a.map((x) => b.map((y) => (random.next() < 0.5 ? 0 : 10 + x + y + noise * random.normal()))),
  );
}

const OPTIONS = { ...VALIDATION_DEFAULTS, seed: 1 };

describe('folds', () => {
  it('do not depend on the order of ratings, but differ by seed', () => {
    const ratings = offsetsWorld(0);
    const backwards = {
      ...ratings,
      user: ratings.user.toReversed(),
      item: ratings.item.toReversed(),
      rating: ratings.rating.toReversed(),
    };
    const folds = foldsOf(ratings, 4, 1);
    expect(foldsOf(backwards, 4, 1).toReversed()).toEqual(folds);
    expect(foldsOf(ratings, 4, 2)).not.toEqual(folds);
    for (const fold of [0, 1, 2, 3]) {
      const share = folds.filter((each) => each === fold).length / folds.length;
      expect(Math.abs(share - 0.25)).toBeLessThan(0.08);
    }
  });
});

describe('cross-validation', () => {
  it('gives each point the IPS error of its held-out folds', () => {
    const ratings = offsetsWorld(1);
    const weight = cellsOf(ratings, (u, i) => 1 + ((u + i) % 3));
    const { points } = crossValidate(ratings, weight, { sizes: [1], lambdas: [0.01] }, OPTIONS);
    const fold = foldsOf(ratings, 4, 1);
    let expected = 0;
    for (const part of [0, 1, 2, 3]) {
      const cells = Array.from({ length: 30 }, () => new Array<number>(30).fill(0));
      fold.forEach((each, r) => {
        if (each !== part) cells[ratings.user[r]][ratings.item[r]] = ratings.rating[r];
      });
      const learned = sparseRatings(cells);
      const { factors } = fitFactors(
        learned,
        cellsOf(learned, (u, i) => (1 + ((u + i) % 3)) / 0.75),
        { ...OPTIONS, size: 1, lambda: 0.01 },
      );
      fold.forEach((each, r) => {
        if (each !== part) return;
        const error =
          ratings.rating[r] - predictedRating(factors, ratings.user[r], ratings.item[r]);
        expected += (weight[r] / 0.25) * error ** 2;
      });
    }
    expect(points[0].error).toBeCloseTo(expected / (4 * 900), 10);
  });

  it('chooses the best λ and reports if it is at the edge', () => {
    const ratings = offsetsWorld(1);
    const weight = evenWeights(ratings);
    const chosen = (lambdas: number[]) =>
      crossValidate(ratings, weight, { sizes: [4], lambdas }, OPTIONS);
    const inside = chosen([1e-6, 1e-2, 10]);
    expect([inside.best.lambda, inside.isAtEdge]).toEqual([1e-2, false]);
    const atEdge = chosen([1e-2, 1, 10]);
    expect([atEdge.best.lambda, atEdge.isAtEdge]).toEqual([1e-2, true]);
    expect(chosen([1e-2]).isAtEdge).toBe(false);
  });

  it('is refused if the ratings do not fill the folds', () => {
    const few = sparseRatings([
      [1, 0],
      [0, 2],
    ]);
    expect(() =>
      crossValidate(few, evenWeights(few), { sizes: [1], lambdas: [1] }, OPTIONS),
    ).toThrow(/2 ratings do not fill 4 folds/);
  });
});
