import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfidenceRows, implicitFactors } from '../../../src/commands/train/confidence-rows.js';
import { predictedRating } from '../../../src/commands/train/factors.js';
import {
  evenWeights,
  FACTOR_DEFAULTS,
  fitFactors,
} from '../../../src/commands/train/fit-factors.js';
import { ItemKnn, itemNeighbours, UserKnn } from '../../../src/commands/train/item-knn.js';
import { FactorRanker, ImplicitRanker } from '../../../src/commands/train/learned-model.js';
import {
  PopularityRanker,
  positiveCounts,
  type Ranker,
  topItems,
} from '../../../src/commands/train/ranker.js';
import type { Ratings } from '../../../src/commands/train/rating-rows.js';
import { ratedBy, rowsByItem, rowsByUser } from '../../../src/commands/train/rating-rows.js';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { implicitObjective, itemKnnScores, userKnnScores } from '../../oracle/learning.js';
import { sparseRatings } from '../../support/sparse-ratings.js';

// Few values, so that there are ties.
const aMatrix = fc.array(fc.array(fc.constantFrom(0, 0, 1, 2, 5), { minLength: 6, maxLength: 6 }), {
  minLength: 5,
  maxLength: 8,
});

function scoresOf(ranker: Ranker, ratings: Ratings, user: number, known = user): number[] {
  const scores = new Float64Array(ratings.items);
  const rated = ratedBy(rowsByUser(ratings), user);
  const weight = new Float64Array(rated.item.length).fill(evenWeights(ratings)[0]);
  ranker.score({ ...rated, weight, known }, scores);
  return [...scores];
}

describe('neighbourhoods', () => {
  it('have the scores of their definition for users and items, with ties', () => {
    fc.assert(
      fc.property(aMatrix, fc.integer({ min: 1, max: 4 }), (matrix, k) => {
        const ratings = sparseRatings(matrix);
        const users = new UserKnn(rowsByUser(ratings), ratings.items, k);
        const items = new ItemKnn(itemNeighbours(ratings, k));
        for (let user = 0; user < matrix.length; user++) {
          expect(scoresOf(users, ratings, user)).toEqual(userKnnScores(matrix, user, k));
          expect(scoresOf(items, ratings, user)).toEqual(itemKnnScores(matrix, user, k));
        }
      }),
    );
  });

  it('of a user include others with the same ratings, but not the user', () => {
    const ratings = sparseRatings([
      [5, 3, 0],
      [1, 0, 4],
    ]);
    const ranker = new UserKnn(rowsByUser(ratings), 3, 1);
    expect(scoresOf(ranker, ratings, 0, -1)).toEqual([5, 3, 0]);
    expect(scoresOf(ranker, ratings, 0)[2]).toBeGreaterThan(0);
  });
});

describe('implicit factors', () => {
  it('of a user have a gradient of 0 by the definition', () => {
    fc.assert(
      fc.property(aMatrix, fc.integer({ min: 0, max: 99 }), (matrix, seed) => {
        const cells = matrix.map((row, u) => row.map((rating, i) => (u === i ? 5 : rating)));
        const ratings = sparseRatings(cells);
        const options = { size: 2, lambda: 0.5, seed, sweeps: 3 };
        const item = implicitFactors(rowsByUser(ratings), rowsByItem(ratings), options);
        const y = cells[0].map((_, i) => [item[2 * i], item[2 * i + 1]]);
        const users = new ConfidenceRows(item, 2, 0.5);
        const rows = rowsByUser(ratings);
        const x = cells.map((_, u) => {
          const rated = ratedBy(rows, u);
          return [...users.solve(rated.item, rated.rating)];
        });
        const at = (u: number, k: number, by: number) =>
          implicitObjective(
            x.map((row, n) => (n === u ? row.map((value, l) => value + (l === k ? by : 0)) : row)),
            y,
            cells,
            0.5,
          );
        x.forEach((_, u) => {
          for (const k of [0, 1]) {
            expect(Math.abs(at(u, k, 1e-4) - at(u, k, -1e-4)) / 2e-4).toBeLessThan(1e-6);
          }
        });
      }),
    );
  });

  it('reduce the objective with every sweep, and are the same for a seed', () => {
    const cells = [
      [1, 1, 0, 0],
      [1, 0, 1, 0],
      [0, 0, 1, 1],
    ];
    const ratings = sparseRatings(cells);
    const byUser = rowsByUser(ratings);
    const byItem = rowsByItem(ratings);
    const value = (sweeps: number) => {
      const item = implicitFactors(byUser, byItem, { size: 2, lambda: 0.1, seed: 3, sweeps });
      const users = new ConfidenceRows(item, 2, 0.1);
      const x = cells.map((_, u) => {
        const { item: column, rating } = ratedBy(byUser, u);
        return [...users.solve(column, rating)];
      });
      return implicitObjective(
        x,
        cells[0].map((_, i) => [...item.subarray(2 * i, 2 * i + 2)]),
        cells,
        0.1,
      );
    };
    const values = [1, 2, 3, 10].map(value);
    expect(values.toSorted((a, b) => b - a)).toEqual(values);
    expect(value(2)).toBe(value(2));
  });

  it('rank items that users with the same positives liked before others', () => {
    const ratings = sparseRatings([
      [5, 5, 0, 0],
      [5, 0, 0, 2],
      [0, 0, 5, 5],
    ]);
    const liked = sparseRatings([
      [1, 1, 0, 0],
      [1, 0, 0, 0],
      [0, 0, 1, 1],
    ]);
    const options = { size: 2, lambda: 0.1, seed: 1, sweeps: 20 };
    const item = implicitFactors(rowsByUser(liked), rowsByItem(liked), options);
    const ranker = new ImplicitRanker(item, 2, 0.1, { from: 4, alpha: 1 });
    const scores = scoresOf(ranker, ratings, 1);
    expect(scores[1]).toBeGreaterThan(scores[2] + 0.1);
  });

  it('are refused without positives, for a λ of 0 and without factors', () => {
    const none = sparseRatings([[0, 0]]);
    const one = sparseRatings([[1, 0]]);
    const options = { size: 1, lambda: 1, seed: 1, sweeps: 1 };
    const learn = (ratings: Ratings, given: object) =>
      implicitFactors(rowsByUser(ratings), rowsByItem(ratings), { ...options, ...given });
    expect(() => learn(none, {})).toThrow(/no rating is positive/);
    expect(() => learn(one, { lambda: 0 })).toThrow(/lambda must be a number above 0, not 0/);
    expect(() => learn(one, { size: 0 })).toThrow(/0 factors/);
  });
});

describe('a factorisation as a ranker', () => {
  it('predicts like the fit for a known user, and c + b for a new one', () => {
    const ratings = sparseRatings([
      [5, 1, 2, 0],
      [4, 3, 0, 1],
      [1, 5, 4, 0],
    ]);
    const options = { ...FACTOR_DEFAULTS, size: 2, lambda: 0.01, seed: 1, tolerance: 1e-14 };
    const { factors } = fitFactors(ratings, evenWeights(ratings), { ...options, maxSweeps: 5000 });
    const { item, offset, size } = factors;
    const ranker = new FactorRanker({ item, offset, size, ridge: 0.01 * 12 });
    scoresOf(ranker, ratings, 1).forEach((score, i) => {
      expect(score).toBeCloseTo(predictedRating(factors, 1, i), 5);
    });
    const scores = new Float64Array(4);
    const nothing = { item: new Int32Array(), rating: new Float64Array(), known: -1 };
    ranker.score({ ...nothing, weight: new Float64Array() }, scores);
    scores.forEach((score, i) => {
      expect(score).toBeCloseTo(offset + item[3 * i + 2], 12);
    });
  });
});

it('a factorisation for absolute error scores users by absolute, not squared error', () => {
  const random = new Random(4, 'absolute');
  const rows = Array.from({ length: 30 }, () =>
    Array.from({ length: 12 }, () => (random.next() < 0.6 ? 1 + random.below(5) : 0)),
  );
  const ratings = sparseRatings(rows);
  const options = {
    ...FACTOR_DEFAULTS,
    size: 2,
    lambda: 0.002,
    seed: 1,
    loss: 'absolute',
  } as const;
  const { factors } = fitFactors(ratings, evenWeights(ratings), options);
  const { item, offset, size } = factors;
  const known = { item, offset, size, ridge: 0.002 * 30 * 12 };
  const off = (loss: 'squared' | 'absolute') => {
    const ranker = new FactorRanker({ ...known, loss });
    let sum = 0;
    for (let user = 0; user < 30; user++) {
      scoresOf(ranker, ratings, user).forEach((score, i) => {
        sum += Math.abs(score - predictedRating(factors, user, i)) / 360;
      });
    }
    return sum;
  };
  expect(off('absolute')).toBeLessThan(0.05);
  expect(off('squared')).toBeGreaterThan(0.1);
});

describe('popularity', () => {
  it('counts ratings from the threshold on', () => {
    const ratings = sparseRatings([
      [5, 3, 0],
      [4, 4, 1],
    ]);
    const ranker = new PopularityRanker(positiveCounts(ratings, 4));
    expect(scoresOf(ranker, ratings, 0)).toEqual([2, 1, 0]);
  });
});

it('the top items are in order of score, then number, without excluded ones', () => {
  const value = fc.constantFrom(0, 1, 2.5);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, fc.boolean()), { maxLength: 60 }),
      fc.nat(9),
      (rows, most) => {
        const scores = Float64Array.from(rows, ([score]) => score);
        const left = Uint8Array.from(rows, ([, isLeft]) => Number(isLeft));
        const wanted = rows
          .map(([score, isLeft], item) => ({ score, isLeft, item }))
          .filter(({ isLeft }) => !isLeft)
          .sort((a, b) => b.score - a.score || a.item - b.item)
          .slice(0, most)
          .map(({ item }) => item);
        expect([...topItems(scores, most, left)]).toEqual(wanted);
      },
    ),
  );
});
