import { describe, expect, it } from 'vitest';
import { IMPLICIT_DEFAULTS, implicitFactors } from '../../src/commands/train/confidence-rows.js';
import { fitFactors } from '../../src/commands/train/fit-factors.js';
import { ItemKnn, itemNeighbours, UserKnn } from '../../src/commands/train/item-knn.js';
import { ImplicitRanker } from '../../src/commands/train/learned-model.js';
import type { Ranker } from '../../src/commands/train/ranker.js';
import { rowsByItem, rowsByUser } from '../../src/commands/train/rating-rows.js';
import { estimate } from '../oracle/window.js';
import { itAtNight } from '../support/at-night.js';
import { needsData } from '../support/published-data.js';
import { sparseRatings } from '../support/sparse-ratings.js';
import { coatMatrix, coatRatings, ratingsPerItem } from './coat.js';
import { coatOptimum, coatProblem, errorsOf, rankerOf, ranksBy } from './coat-learning.js';

/** d, weights, and the known optimum at λ = 1e-3: objective, MAE and MSE on the random part. */
const OPTIMA = [
  [20, 'naive', 1.082438, 0.9154, 1.2034],
  [20, 'shipped', 0.902644, 0.8706, 1.0955],
  [0, 'naive', 1.175702, 0.9336, 1.2539],
  [0, 'shipped', 1.052813, 0.8794, 1.1386],
] as const;

describe('factorisations of Coat', needsData('coat'), () => {
  it.each(OPTIMA)(
    'with d = %d and propensities %s reach the known optimum',
    (size, by, ...known) => {
      const { train, test, ...weights } = coatProblem();
      const { factors, objective, isConverged } = coatOptimum(train, weights[by], size);
      const { mae, mse } = errorsOf(factors, test);
      expect(isConverged).toBe(true);
      expect(Math.abs(objective - known[0])).toBeLessThan(1e-5);
      expect(Math.abs(mae - known[1])).toBeLessThan(5e-4);
      expect(Math.abs(mse - known[2])).toBeLessThan(5e-4);
    },
  );

  itAtNight('reach the same optimum from another start', () => {
    const { train, shipped } = coatProblem();
    const [one, two] = [1, 2].map((seed) => coatOptimum(train, shipped, 20, seed).objective);
    expect(Math.abs(one - two)).toBeLessThan(1e-6);
  });

  itAtNight('for the absolute error come close to the published MAE', () => {
    const { train, test, naive, shipped } = coatProblem();
    const learn = (weight: Float64Array) =>
      fitFactors(train, weight, {
        size: 20,
        lambda: 1e-3,
        seed: 1,
        loss: 'absolute',
        maxSweeps: 1,
        tolerance: 1e-9,
      });
    expect(Math.abs(errorsOf(learn(shipped).factors, test).mae - 0.864)).toBeLessThan(0.004);
    expect(Math.abs(errorsOf(learn(naive).factors, test).mae - 0.922)).toBeLessThan(0.004);
  });
});

/** Recall@10 by naive and by SNIPS at γ = 2, the mean over the 225 users with a positive. */
const RECALL = {
  'user-knn': [0.089513, 0.05994],
  'item-knn': [0.0617669, 0.0336572],
  ials: [0.0820861, 0.0490244],
  'mf-naive': [0.1007672, 0.0838604],
  'mf-ips': [0.11094, 0.0978308],
} as const;

describe('rankers learned on Coat', needsData('coat'), () => {
  it.each(Object.entries(RECALL))('reach the known recall@10: %s', (kind, [naive, snips]) => {
    const { ranker, weightOf } = learned(kind as keyof typeof RECALL);
    const train = coatRatings('train');
    const rank = ranksBy(ranker, sparseRatings(train), weightOf);
    const counts = ratingsPerItem(train, (rating) => rating > 0);
    const lists = [{ length: 300, candidates: 0 }];
    const users = coatRatings('test').map((row, user) => ({
      count: 24,
      rows: row.flatMap((rating, item) =>
        rating < 4 || train[user][item] > 0
          ? []
          : [{ item, positive: true, ranks: [rank(user, item)], lists }],
      ),
    }));
    const ids = counts.map((_, item) => String(item).padStart(3, '0'));
    const { results } = estimate(
      { models: [kind], popularity: counts, interactions: counts, ids, users },
      { metrics: ['recall'], ks: [10], gamma: 2, catalogueSize: 300 },
    );
    const found = (estimator: string) =>
      results.find((r) => r.estimator === estimator && r.form === 'user')!;
    expect(found('naive').counts.users).toBe(225);
    expect(Math.abs(found('naive').value - naive)).toBeLessThan(5e-8);
    expect(Math.abs(found('snips').value - snips)).toBeLessThan(5e-8);
  });
});

function learned(kind: keyof typeof RECALL): {
  readonly ranker: Ranker;
  readonly weightOf: (user: number, item: number) => number;
} {
  const { train, naive, shipped } = coatProblem();
  const even = () => naive[0];
  if (kind === 'user-knn')
    return { ranker: new UserKnn(rowsByUser(train), 300, 50), weightOf: even };
  if (kind === 'item-knn')
    return { ranker: new ItemKnn(itemNeighbours(train, 50)), weightOf: even };
  if (kind === 'ials') {
    const liked = sparseRatings(
      coatRatings('train').map((row) => row.map((rating) => Number(rating >= 4))),
    );
    const options = { ...IMPLICIT_DEFAULTS, seed: 1 };
    const item = implicitFactors(rowsByUser(liked), rowsByItem(liked), options);
    const ranker = new ImplicitRanker(item, options.size, options.lambda, { from: 4, alpha: 1 });
    return { ranker, weightOf: even };
  }
  const weight = kind === 'mf-ips' ? shipped : naive;
  const ranker = rankerOf(coatOptimum(train, weight, 20).factors, train);
  if (kind === 'mf-naive') return { ranker, weightOf: even };
  const propensity = coatMatrix('propensities');
  return { ranker, weightOf: (user, item) => 1 / propensity[user][item] };
}
