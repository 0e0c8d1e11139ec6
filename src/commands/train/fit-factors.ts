import { UnskewError } from '../../errors.js';
import { runToEnd } from '../../estimators/slices.js';
import { ConjugateSweeps } from './conjugate-sweeps.js';
import type { FactorFit, FactorOptions } from './factor-options.js';
import { type Factors, startingFactors } from './factors.js';
import { objective, type Problem, residualsOf } from './objective.js';
import { checkRatings, type Ratings } from './ratings.js';
import type { InSteps } from './steps.js';
import { Sweeps, weightedMean } from './sweeps.js';

/** Sweeps for the squared error that give the first residuals. */
const FIRST_SWEEPS = 30;
const ROUNDS = 30;
const SWEEPS_A_ROUND = 5;
/** The rounds have converged if the last one gains less, relative to the objective. */
const LAST_GAIN = 1e-4;
/** Errors below it weigh as it does; in units of the rating. */
const LEAST_ERROR = 0.01;

/**
 * The fit for the absolute error, by least squares reweighted in rounds: w / (2 max(|e|, 0.01)).
 *
 * e² / (2|e₀|) + |e₀| / 2 bounds |e| from above and meets it at e₀, so that a round does not raise the
 * objective, up to errors below 0.01. Source: Hunter & Lange 2004 (majorisation of the absolute
 * error). It starts again once the residuals are known, since the optimum of squares is a bad start.
 *
 * @param start makes the factors that a fit starts with, the same each time.
 */
function* absoluteErrorFit(problem: Problem, start: () => Factors): InSteps<FactorFit> {
  const { ratings, weight } = problem;
  const sweeps = new Sweeps(problem);
  let done = 0;
  const swept = (factors: Factors, by: Float64Array) => {
    sweeps.run(factors, by);
    done++;
    return { done, most: FIRST_SWEEPS + ROUNDS * SWEEPS_A_ROUND };
  };
  const squared = start();
  for (let n = 0; n < FIRST_SWEEPS; n++) yield swept(squared, weight);
  let errors = residualsOf(squared, ratings);
  const factors = start();
  let value = Number.POSITIVE_INFINITY;
  let isConverged = false;
  for (let round = 0; round < ROUNDS; round++) {
    const by = weight.map((w, r) => w / (2 * Math.max(Math.abs(errors[r]), LEAST_ERROR)));
    for (let n = 0; n < SWEEPS_A_ROUND; n++) yield swept(factors, by);
    errors = residualsOf(factors, ratings);
    const next = objective(factors, problem, 'absolute');
    isConverged = Math.abs(value - next) <= LAST_GAIN * next;
    value = next;
  }
  return { factors, objective: value, sweeps: done, isConverged };
}

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
  return runToEnd(factorsInSteps(ratings, weight, options));
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
