import { Factors } from './factors.js';
import type { Ratings } from './ratings.js';

/** What a rating is lost by: its squared or its absolute error. */
export type Loss = 'squared' | 'absolute';

/** Ratings with their weights 1 / P, and the penalty of what is learned from them. */
export interface Problem {
  readonly ratings: Ratings;
  /** w = 1 / P of each rating, above 0 and finite. */
  readonly weight: Float64Array;
  /** λ ≥ 0, per pair of a user and an item. */
  readonly lambda: number;
}

/** Y − Ŷ of every rating. */
export function residualsOf(factors: Factors, { user, item, rating }: Ratings): Float64Array {
  const errors = new Float64Array(rating.length);
  const { size, user: left, item: right, offset } = factors;
  const width = size + 1;
  for (let r = 0; r < errors.length; r++) {
    const u = user[r] * width;
    const i = item[r] * width;
    let sum = offset + left[u + size] + right[i + size];
    for (let k = 0; k < size; k++) sum += left[u + k] * right[i + k];
    errors[r] = rating[r] - sum;
  }
  return errors;
}

/**
 * What MF and MF-IPS minimise.
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
 * The slope of the objective of the squared error in every parameter.
 *
 * ∂F/∂V_u = −2 / (U · I) · Σ_i w e W_i + 2 λ V_u, and alike for the others; c has no penalty. O(n d).
 *
 * @returns as long as `factors.values`, in its order.
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
    const [u, i] = [user[r] * width, item[r] * width];
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
  // c stands last and is free.
  for (let k = 0; k < values.length - 1; k++) sum += values[k] ** 2;
  return sum;
}
