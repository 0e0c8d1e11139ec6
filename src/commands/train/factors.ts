import { Random } from '../../estimators/mathematics/random.js';
import type { Ratings } from './rating-rows.js';

/** U and I, the numbers of users and items. */
export interface Shape {
  readonly users: number;
  readonly items: number;
}

/**
 * A factorisation of ratings: Ŷ_ui = c + a_u + b_i + V_u · W_i.
 *
 * All parameters are in one vector, so that a fit can step along a direction: first [V_u, a_u] of
 * each user, then [W_i, b_i] of each item, then c. `user` and `item` are views of that vector.
 */
export class Factors {
  /** [V_u, a_u] for each user: d factors and an offset per row. */
  readonly user: Float64Array;
  /** [W_i, b_i] for each item: d factors and an offset per row. */
  readonly item: Float64Array;

  constructor(
    { users, items }: Shape,
    /** d, number of factors per user and per item; with d = 0 there are only offsets. */
    readonly size: number,
    readonly values: Float64Array = new Float64Array((users + items) * (size + 1) + 1),
  ) {
    this.user = values.subarray(0, users * (size + 1));
    this.item = values.subarray(users * (size + 1), values.length - 1);
  }

  /** c, the offset of all ratings, in units of the rating. */
  get offset(): number {
    return this.values[this.values.length - 1];
  }

  set offset(offset: number) {
    this.values[this.values.length - 1] = offset;
  }
}

/**
 * Standard deviation of the initial factors. They must not be 0, since a fit would never leave 0.
 */
const START_SD = 0.1;

/**
 * Create the initial factors of a fit: small random factors and offsets of 0, determined by the
 * seed.
 */
export function startingFactors(shape: Shape, size: number, seed: number, offset: number): Factors {
  const factors = new Factors(shape, size);
  factors.offset = offset;
  fillRows(factors.user, size, new Random(seed, 'user factors'));
  fillRows(factors.item, size, new Random(seed, 'item factors'));
  return factors;
}

/**
 * Predict a rating from the factors; it is not clipped to the rating scale.
 *
 * Source: Schnabel et al. 2016, section 5 (matrix factorisation with offsets). O(d).
 *
 * @param u number of the user. @param i number of the item. @returns Ŷ, in units of the rating.
 * @example
 * const factors = new Factors({ users: 1, items: 1 }, 1, Float64Array.of(2, 0.5, -1, 0.25, 3));
 * predictedRating(factors, 0, 0); // 3 + 0.5 + 0.25 - 2
 */
export function predictedRating({ size, user, item, offset }: Factors, u: number, i: number) {
  const width = size + 1;
  const userStart = u * width;
  const itemStart = i * width;
  let sum = offset + user[userStart + size] + item[itemStart + size];
  for (let k = 0; k < size; k++) {
    sum += user[userStart + k] * item[itemStart + k];
  }
  return sum;
}

function fillRows(rows: Float64Array, size: number, random: Random): void {
  for (let start = 0; start < rows.length; start += size + 1) {
    for (let k = 0; k < size; k++) {
      rows[start + k] = START_SD * random.normal();
    }
  }
}

/** Loss of a rating: squared or absolute error. */
export type Loss = 'squared' | 'absolute';

/**
 * Lower bound of the absolute error in the weights of `absoluteWeights`, in units of the rating. It
 * keeps the weight finite when an error is near 0.
 */
const LEAST_ERROR = 0.01;

/**
 * Compute w / (2 |e|), the weights of a majorisation: squared errors with these weights, plus a
 * constant, bound the absolute errors from above and equal them at the given errors.
 */
export function absoluteWeights(weight: Float64Array, errors: Float64Array): Float64Array {
  return weight.map((w, r) => w / (2 * Math.max(Math.abs(errors[r]), LEAST_ERROR)));
}

/** A factorisation problem: ratings, their weights 1 / P, and the weight λ of the penalty. */
export interface Problem {
  readonly ratings: Ratings;
  /** w = 1 / P of each rating, above 0 and finite. */
  readonly weight: Float64Array;
  /**
   * λ ≥ 0, weight of the penalty in `objective`. It is relative to an error that is averaged over
   * all U · I user-item pairs.
   */
  readonly lambda: number;
}

/** Compute the residual Y − Ŷ of every rating. */
export function residualsOf(factors: Factors, { user, item, rating }: Ratings): Float64Array {
  const errors = new Float64Array(rating.length);
  const { size, user: left, item: right, offset } = factors;
  const width = size + 1;
  for (let r = 0; r < errors.length; r++) {
    const u = user[r] * width;
    const i = item[r] * width;
    let sum = offset + left[u + size] + right[i + size];
    for (let k = 0; k < size; k++) {
      sum += left[u + k] * right[i + k];
    }
    errors[r] = rating[r] - sum;
  }
  return errors;
}

/**
 * Compute the objective that MF and MF-IPS minimise.
 *
 * F = 1 / (U · I) · Σ_obs w δ + λ (‖V‖² + ‖W‖² + ‖a‖² + ‖b‖²), δ = e² or |e|, w = 1 / P, e = Y − Ŷ;
 * the offset c is free.
 * Source: Schnabel et al. 2016, eq. 14, which leaves out 1 / (U · I) and the penalty on a and b;
 * both are needed to meet its Table 2. O(n d).
 *
 * @returns F, in units of δ.
 * @example
 * const factors = new Factors({ users: 1, items: 1 }, 0, Float64Array.of(1, 0, 3));
 * const [user, item, rating] = [Int32Array.of(0), Int32Array.of(0), Float64Array.of(5)];
 * const ratings = { users: 1, items: 1, user, item, rating };
 * objective(factors, { ratings, weight: Float64Array.of(2), lambda: 0.5 }, 'squared'); // 2.5
 */
export function objective(factors: Factors, problem: Problem, loss: Loss): number {
  const { ratings, weight } = problem;
  const errors = residualsOf(factors, ratings);
  let sum = 0;
  for (let r = 0; r < errors.length; r++) {
    sum += weight[r] * (loss === 'squared' ? errors[r] ** 2 : Math.abs(errors[r]));
  }
  return sum / (ratings.users * ratings.items) + problem.lambda * penalty(factors);
}

/**
 * Compute the gradient of the squared-error objective.
 *
 * ∂F/∂V_u = −2 / (U · I) · Σ_i w e W_i + 2 λ V_u, and likewise for W, a and b; c has no penalty.
 * O(n d).
 *
 * @returns the gradient, in the order of `factors.values`.
 */
export function gradientOf(factors: Factors, { ratings, weight, lambda }: Problem): Float64Array {
  const { users, items, user, item } = ratings;
  const { size } = factors;
  const width = size + 1;
  const slopes = new Factors(
    ratings,
    size,
    factors.values.map((value) => 2 * lambda * value),
  );
  slopes.offset = 0;
  const errors = residualsOf(factors, ratings);
  for (let r = 0; r < errors.length; r++) {
    const u = user[r] * width;
    const i = item[r] * width;
    const slope = (-2 * weight[r] * errors[r]) / (users * items);
    for (let k = 0; k < size; k++) {
      slopes.user[u + k] += slope * factors.item[i + k];
      slopes.item[i + k] += slope * factors.user[u + k];
    }
    slopes.user[u + size] += slope;
    slopes.item[i + size] += slope;
    slopes.offset += slope;
  }
  return slopes.values;
}

function penalty({ values }: Factors): number {
  let sum = 0;
  // c is the last parameter and has no penalty.
  for (let k = 0; k < values.length - 1; k++) {
    sum += values[k] ** 2;
  }
  return sum;
}
