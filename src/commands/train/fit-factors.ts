import { UnskewError } from '../../errors.js';
import { runAtOnce } from '../../stream/sliced.js';
import {
  absoluteWeights,
  Factors,
  gradientOf,
  type Loss,
  objective,
  type Problem,
  residualsOf,
  startingFactors,
} from './factors.js';
import type { InSteps } from './in-steps.js';
import { checkRatings, groupedBy, type Ratings } from './rating-rows.js';
import { RidgeRows, type Side } from './ridge-rows.js';

export interface FactorOptions {
  /** d, number of factors per user and per item; with d = 0 there are only offsets. */
  readonly size: number;
  /** λ > 0, see `objective`. */
  readonly lambda: number;
  readonly seed: number;
  readonly loss: Loss;
  /** Maximum number of sweeps, with squared error. */
  readonly maxSweeps: number;
  /** Relative gain of the objective below which the fit stops, with squared error. */
  readonly tolerance: number;
}

/** Fitted factors, with figures of the fit. */
export interface FactorFit {
  readonly factors: Factors;
  readonly objective: number;
  readonly sweeps: number;
  /** Whether the tolerance was met within the sweeps. */
  readonly isConverged: boolean;
}

export const FACTOR_DEFAULTS = {
  maxSweeps: 200,
  tolerance: 1e-6,
  loss: 'squared',
} as const;

/**
 * Sweeps of alternating least squares over the same ratings: users, items, then the offset.
 *
 * The offset's step is its optimum given all else: c += Σ w e / Σ w, with residuals e and weights
 * w. No step raises the squared-error objective. Source: as `RidgeRows`.
 */
export class Sweeps {
  readonly #byUser: Pick<Side, 'grouped' | 'other'>;
  readonly #byItem: Pick<Side, 'grouped' | 'other'>;

  constructor(private readonly problem: Problem) {
    const { user, item, users, items } = problem.ratings;
    this.#byUser = {
      grouped: groupedBy(user, users),
      other: item,
    };
    this.#byItem = {
      grouped: groupedBy(item, items),
      other: user,
    };
  }

  /**
   * Run one sweep, which changes `factors`. @param weight w of each rating; by default those of the
   * problem
   */
  run(factors: Factors, weight = this.problem.weight): void {
    const { ratings, lambda } = this.problem;
    const { rating, users, items } = ratings;
    const ridge = lambda * users * items;
    const step = new RidgeRows(factors.size);
    const { user, item, offset } = factors;
    step.solve(
      {
        ...this.#byUser,
        rows: user,
        others: item,
      },
      rating,
      weight,
      offset,
      ridge,
    );
    step.solve(
      {
        ...this.#byItem,
        rows: item,
        others: user,
      },
      rating,
      weight,
      offset,
      ridge,
    );
    factors.offset += weightedMean(residualsOf(factors, ratings), weight);
  }
}

/** Compute the weighted mean Σ w x / Σ w. */
export function weightedMean(values: Float64Array, weight: Float64Array): number {
  let sum = 0;
  let weights = 0;
  for (let r = 0; r < values.length; r++) {
    sum += weight[r] * values[r];
    weights += weight[r];
  }
  return sum / weights;
}

/** Length of a step along a direction, and the squared-error objective after it. */
export interface Step {
  readonly length: number;
  readonly objective: number;
}

/** Number of bisections of the interval that contains the best step length. */
const HALVINGS = 50;
const LONGEST = 1e6;

/**
 * Find the step length along a direction at which the squared-error objective first stops falling.
 *
 * Along a line Ŷ is quadratic in the length s, so F(s) is a polynomial of degree 4: five sums over
 * the ratings, then bisection of its slope. O(n d).
 * Source: Rajih, Comon & Harshman 2008 (line search of alternating least squares), with weights.
 *
 * @param factors parameters from which the step starts.
 * @param direction direction, in the order of `factors.values`.
 * @returns length 0 if the objective does not fall along the direction.
 */
export function lineSearch(factors: Factors, direction: Float64Array, problem: Problem): Step {
  const [c0, c1, c2, c3, c4] = polynomial(factors, direction, problem);
  const slope = (s: number) => ((4 * c4 * s + 3 * c3) * s + 2 * c2) * s + c1;
  const at = (s: number) => (((c4 * s + c3) * s + c2) * s + c1) * s + c0;
  if (slope(0) >= 0) {
    return {
      length: 0,
      objective: c0,
    };
  }
  let high = 1;
  while (slope(high) < 0 && high < LONGEST) {
    high *= 2;
  }
  let low = high > 1 ? high / 2 : 0;
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (low + high) / 2;
    if (slope(middle) < 0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return {
    length: low,
    objective: at(low),
  };
}

/** Compute the coefficients of F(s), the objective at step length s, the constant first. */
function polynomial(
  factors: Factors,
  direction: Float64Array,
  { ratings, weight, lambda }: Problem,
): readonly [number, number, number, number, number] {
  const { size, user, item } = factors;
  const along = new Factors(ratings, size, direction);
  const width = size + 1;
  const errors = residualsOf(factors, ratings);
  const coefficients: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  for (let r = 0; r < errors.length; r++) {
    const u = ratings.user[r] * width;
    const i = ratings.item[r] * width;
    let linear = along.offset + along.user[u + size] + along.item[i + size];
    let square = 0;
    for (let k = 0; k < size; k++) {
      linear += user[u + k] * along.item[i + k] + along.user[u + k] * item[i + k];
      square += along.user[u + k] * along.item[i + k];
    }
    const w = weight[r] / (ratings.users * ratings.items);
    coefficients[0] += w * errors[r] ** 2;
    coefficients[1] -= 2 * w * errors[r] * linear;
    coefficients[2] += w * (linear ** 2 - 2 * errors[r] * square);
    coefficients[3] += 2 * w * linear * square;
    coefficients[4] += w * square ** 2;
  }
  const { values } = factors;
  for (let k = 0; k < values.length - 1; k++) {
    coefficients[0] += lambda * values[k] ** 2;
    coefficients[1] += 2 * lambda * values[k] * direction[k];
    coefficients[2] += lambda * direction[k] ** 2;
  }
  return coefficients;
}

/**
 * Minimise the squared-error objective by conjugate gradients, preconditioned by sweeps of
 * alternating least squares.
 *
 * z = sweep(x) − x, β = max(0, g · (z − z₀) / (g₀ · z₀)), p = z + β p₀, x += s p with the best s;
 * g is the gradient, and 0 marks the previous step. If the sweep alone gives a lower objective, it
 * is used instead, so no step raises the objective. Convergence takes fewer sweeps than
 * sweeps alone (Coat, d = 20, λ = 1e-3, to 1e-9: 45 instead of 292). Source: De Sterck & Winlaw
 * 2015, with the Polak–Ribière β in the metric of the sweep.
 */
export class ConjugateSweeps {
  readonly #sweeps: Sweeps;
  #before:
    | {
        slope: Float64Array;
        sweep: Float64Array;
        direction: Float64Array;
      }
    | undefined;

  constructor(private readonly problem: Problem) {
    this.#sweeps = new Sweeps(problem);
  }

  /**
   * Make one step of conjugate gradients, which changes `factors`. @returns the objective after the
   * step, which is never above that before it
   */
  step(factors: Factors): number {
    const { values } = factors;
    const from = values.slice();
    const slope = gradientOf(factors, this.problem);
    this.#sweeps.run(factors);
    const swept = objective(factors, this.problem, 'squared');
    const sweep = values.map((value, k) => value - from[k]);
    const direction = this.#conjugate(slope, sweep);
    this.#before = {
      slope,
      sweep,
      direction,
    };
    if (direction === sweep) return swept;
    const afterSweep = values.slice();
    values.set(from);
    const { length, objective: searched } = lineSearch(factors, direction, this.problem);
    if (searched <= swept) {
      for (let k = 0; k < values.length; k++) {
        values[k] += length * direction[k];
      }
      return searched;
    }
    values.set(afterSweep);
    this.#before = {
      slope,
      sweep,
      direction: sweep,
    };
    return swept;
  }

  #conjugate(slope: Float64Array, sweep: Float64Array): Float64Array {
    const before = this.#before;
    if (before === undefined) return sweep;
    const change = dot(slope, sweep) - dot(slope, before.sweep);
    const beta = Math.max(0, change / dot(before.slope, before.sweep));
    return sweep.map((value, k) => value + beta * before.direction[k]);
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/** Number of sweeps of the squared-error fit that provides the first residuals. */
const FIRST_SWEEPS = 30;
const ROUNDS = 30;
const SWEEPS_A_ROUND = 5;
/**
 * Convergence threshold: the fit has converged if the objective changed in the last round by less
 * than this fraction.
 */
const LAST_GAIN = 1e-4;

/**
 * Fit for the absolute error by iteratively reweighted least squares, with weights w / (2 max(|e|,
 * 0.01)).
 *
 * e² / (2|e₀|) + |e₀| / 2 bounds |e| from above and equals it at e₀. So no round raises the
 * objective, except through errors below 0.01. Source: Hunter & Lange 2004 (majorisation of the
 * absolute error). The first residuals come from a squared-error fit. The rounds then start again
 * from the initial factors, since the squared-error optimum is a bad start.
 *
 * @param start creates the initial factors, the same each time.
 */
function* absoluteErrorFit(problem: Problem, start: () => Factors): InSteps<FactorFit> {
  const { ratings, weight } = problem;
  const sweeps = new Sweeps(problem);
  let done = 0;
  const swept = (factors: Factors, by: Float64Array) => {
    sweeps.run(factors, by);
    done++;
    return {
      done,
      most: FIRST_SWEEPS + ROUNDS * SWEEPS_A_ROUND,
    };
  };
  const squared = start();
  for (let n = 0; n < FIRST_SWEEPS; n++) {
    yield swept(squared, weight);
  }
  let errors = residualsOf(squared, ratings);
  const factors = start();
  let value = Number.POSITIVE_INFINITY;
  let isConverged = false;
  for (let round = 0; round < ROUNDS; round++) {
    const by = absoluteWeights(weight, errors);
    for (let n = 0; n < SWEEPS_A_ROUND; n++) {
      yield swept(factors, by);
    }
    errors = residualsOf(factors, ratings);
    const next = objective(factors, problem, 'absolute');
    isConverged = Math.abs(value - next) <= LAST_GAIN * next;
    value = next;
  }
  return {
    factors,
    objective: value,
    sweeps: done,
    isConverged,
  };
}

/**
 * Fit a matrix factorisation with offsets to ratings, each weighted by 1 / P (MF-IPS). With equal
 * P = n / (U · I) (`evenWeights`) this is plain MF.
 *
 * Minimises `objective`: the squared error by `ConjugateSweeps`, the absolute error by reweighted
 * sweeps. Source: Schnabel et al. 2016, section 5.1. On Coat, optima with d ≥ 20 did not depend on
 * the seed; with small d there are local optima. O(sweeps · (n d² + (U + I) d³)); memory:
 * (U + I)(d + 1) + n numbers.
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
  return runAtOnce(factorsInSteps(ratings, weight, options));
}

/** Like `fitFactors`, as a generator that yields after each sweep. @throws as `fitFactors` */
export function* factorsInSteps(
  ratings: Ratings,
  weight: Float64Array,
  options: FactorOptions,
): InSteps<FactorFit> {
  checkRatings(ratings);
  checkOptions(ratings, options);
  checkWeights(ratings, weight);
  const problem = {
    ratings,
    weight,
    lambda: options.lambda,
  };
  const start = () => {
    const mean = weightedMean(ratings.rating, weight);
    return startingFactors(ratings, options.size, options.seed, mean);
  };
  if (options.loss === 'absolute') return yield* absoluteErrorFit(problem, start);
  return yield* squaredErrorFit(problem, start(), options);
}

/**
 * Weights 1 / P for ratings that are all equally likely to be observed: P = n / (U · I) for n
 * ratings.
 */
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
    yield {
      done,
      most: maxSweeps,
    };
    if (isConverged) {
      return {
        factors,
        objective: value,
        sweeps: done,
        isConverged,
      };
    }
  }
  return {
    factors,
    objective: value,
    sweeps: maxSweeps,
    isConverged: false,
  };
}

/**
 * Largest d that is accepted. Larger ones take long, and ratings do not carry enough information
 * for them.
 */
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
