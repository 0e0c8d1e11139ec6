import { type Factors, predictedRating } from '../../src/commands/train/factors.js';
import { evenWeights, FACTOR_DEFAULTS, fitFactors } from '../../src/commands/train/fit-factors.js';
import { FactorRanker } from '../../src/commands/train/learned-model.js';
import type { Ranker } from '../../src/commands/train/ranker.js';
import type { Ratings } from '../../src/commands/train/rating-rows.js';
import { ratedBy, rowsByUser } from '../../src/commands/train/rating-rows.js';
import { cellsOf, sparseRatings } from '../support/sparse-ratings.js';
import { coatMatrix, coatRatings } from './coat.js';

function readProblem() {
  const train = sparseRatings(coatRatings('train'));
  const test = sparseRatings(coatRatings('test'));
  const propensity = coatMatrix('propensities');
  const shipped = cellsOf(train, (user, item) => 1 / propensity[user][item]);
  return { train, test, shipped, naive: evenWeights(train) };
}

let problem: ReturnType<typeof readProblem> | undefined;
/** Coat as ratings, with 1 / P as its authors ship it and the same for all. */
export function coatProblem() {
  problem ??= readProblem();
  return problem;
}

const optima = new WeakMap<Float64Array, Map<string, ReturnType<typeof fitFactors>>>();

/** The optimum at λ = 1e-3, to nine digits; found once for the same weights. */
export function coatOptimum(train: Ratings, weight: Float64Array, size: number, seed = 1) {
  const known = optima.get(weight) ?? new Map();
  optima.set(weight, known);
  const options = { ...FACTOR_DEFAULTS, size, lambda: 1e-3, seed };
  const asked = `${size} ${seed}`;
  const found =
    known.get(asked) ?? fitFactors(train, weight, { ...options, tolerance: 1e-9, maxSweeps: 400 });
  known.set(asked, found);
  return found;
}

export function rankerOf(
  { size, item, offset }: Factors,
  { users, items }: Ratings,
  lambda = 1e-3,
) {
  return new FactorRanker({ size, item, offset, ridge: lambda * users * items });
}

/** Mean absolute and mean squared error of predictions. */
export function errorsOf(factors: Factors, { user, item, rating }: Ratings) {
  let absolute = 0;
  let squared = 0;
  for (let r = 0; r < rating.length; r++) {
    const error = rating[r] - predictedRating(factors, user[r], item[r]);
    absolute += Math.abs(error) / rating.length;
    squared += error ** 2 / rating.length;
  }
  return { mae: absolute, mse: squared };
}

/** 0-based rank of items for users, a user's own train items left out. */
export function ranksBy(
  ranker: Ranker,
  train: Ratings,
  weightOf: (user: number, item: number) => number,
): (user: number, item: number) => number {
  const rows = rowsByUser(train);
  const scores = new Float64Array(train.items);
  const ranks = Array.from({ length: train.users }, (_, user) => {
    const rated = ratedBy(rows, user);
    const weight = Float64Array.from(rated.item, (item) => weightOf(user, item));
    ranker.score({ ...rated, weight, known: user }, scores);
    const own = new Set(rated.item);
    const order = [...scores.keys()].filter((item) => !own.has(item));
    order.sort((a, b) => scores[b] - scores[a] || a - b);
    const rank = new Int32Array(train.items);
    order.forEach((item, z) => {
      rank[item] = z;
    });
    return rank;
  });
  return (user, item) => ranks[user][item];
}
