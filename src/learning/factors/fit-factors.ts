import { UnskewError } from '../../errors.js';
import { checkRatings, type Ratings } from '../ratings/ratings.js';
import { atOnce, type InSteps } from '../steps.js';
import { absoluteErrorFit } from './absolute-error.js';
import { ConjugateSweeps } from './conjugate-sweeps.js';
import type { FactorFit, FactorOptions } from './factor-options.js';
import { type Factors, startingFactors } from './factors.js';
import { objective, type Problem } from './objective.js';
import { weightedMean } from './sweeps.js';

/**
 * Fits a factorisation with offsets to ratings, each weighted by 1 / P: MF-IPS. With the same P for
 * all, n / (U · I), it is MF as usual (`evenWeights`).
 *
 * Minimises `objective`: by `ConjugateSweeps`, for the absolute error by reweighted ones.
 * Source: Schnabel et al. 2016, section 5.1. Optima of d ≥ 20 did not depend on the seed on Coat;
 * small d have local optima. O(sweeps · (n d² + (U + I) d³)), memory (U + I)(d + 1) numbers, and n.
 *
 * @param weight 1 / P of each rating, above 0 and finite.
 * @throws UnskewError EVENTS for ratings that nothing can be learned from; USAGE for a weight, size
 * or λ that is out of range
 * @example
 * const [user, item] = [Int32Array.of(0, 0, 1), Int32Array.of(0, 1, 0)];
 * const ratings = { users: 2, items: 2, user, item, rating: Float64Array.of(4, 4, 4) };
 * const options = { ...FACTOR_DEFAULTS, size: 2, lambda: 0.1, seed: 1 };
 * fitFactors(ratings, evenWeights(ratings), options).factors.offset; // 4
 */
export function fitFactors(
  ratings: Ratings,
  weight: Float64Array,
  options: FactorOptions,
): FactorFit {
  return atOnce(factorsInSteps(ratings, weight, options));
}

/** The same a sweep at a time. @throws as `fitFactors` */
export function* factorsInSteps(
  ratings: Ratings,
  weight: Float64Array,
  options: FactorOptions,
): InSteps<FactorFit> {
  checkRatings(ratings);
  checkOptions(ratings, options);
  checkWeights(ratings, weight);
  const problem = { ratings, weight, lambda: options.lambda };
  const start = () => {
    const mean = weightedMean(ratings.rating, weight);
    return startingFactors(ratings, options.size, options.seed, mean);
  };
  if (options.loss === 'absolute') return yield* absoluteErrorFit(problem, start);
  return yield* squaredErrorFit(problem, start(), options);
}

/** 1 / P of ratings that are all as likely: P = n / (U · I). */
export function evenWeights({ users, items, rating }: Ratings): Float64Array {
  return new Float64Array(rating.length).fill((users * items) / rating.length);
}

function* squaredErrorFit(
  problem: Problem,
  factors: Factors,
  { maxSweeps, tolerance }: FactorOptions,
): InSteps<FactorFit> {
  const sweeps = new ConjugateSweeps(problem);
  let value = objective(factors, problem, 'squared');
  for (let done = 1; done <= maxSweeps; done++) {
    const next = sweeps.step(factors);
    const isConverged = value - next <= tolerance * next;
    value = next;
    yield { done, most: maxSweeps };
    if (isConverged) return { factors, objective: value, sweeps: done, isConverged };
  }
  return { factors, objective: value, sweeps: maxSweeps, isConverged: false };
}

/** The system of one user: larger ones take longer for nothing that ratings could say. */
const MOST_FACTORS = 500;

function checkOptions({ users, items }: Ratings, { size, lambda }: FactorOptions): void {
  const most = Math.min(MOST_FACTORS, users, items);
  if (!Number.isInteger(size) || size < 0 || size > most) {
    throw new UnskewError(
      'USAGE',
      `${size} factors for ${users} users and ${items} items: expected a whole number from 0 to ${most}`,
    );
  }
  if (!(lambda > 0 && lambda < Number.POSITIVE_INFINITY)) {
    throw new UnskewError('USAGE', `lambda must be a number above 0, not ${lambda}`);
  }
}

function checkWeights({ rating }: Ratings, weight: Float64Array): void {
  if (weight.length !== rating.length) {
    throw new UnskewError('USAGE', `${rating.length} ratings have ${weight.length} propensities`);
  }
  const wrong = weight.find((each) => !(each > 0 && each < Number.POSITIVE_INFINITY));
  if (wrong === undefined) return;
  throw new UnskewError('USAGE', `a rating has the propensity ${1 / wrong}: expected one above 0`);
}
