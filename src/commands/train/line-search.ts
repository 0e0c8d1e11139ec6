import { Factors } from './factors.js';
import { type Problem, residualsOf } from './objective.js';

/** A step along a direction, and the objective of the squared error behind it. */
export interface Step {
  readonly length: number;
  readonly objective: number;
}

/** Halvings of the interval that holds the step. */
const HALVINGS = 50;
const LONGEST = 1e6;

/**
 * The best step from some factors along a direction, up to the first place where the objective of the
 * squared error stops falling.
 *
 * Along a line Ŷ is quadratic in the length s, so F(s) is a polynomial of degree 4: five sums over the
 * ratings, then bisection of its slope. O(n d).
 * Source: Rajih, Comon & Harshman 2008 (line search of alternating least squares), with weights.
 *
 * @param direction as long as `factors.values`.
 * @returns length 0 if the objective does not fall along it.
 */
export function lineSearch(factors: Factors, direction: Float64Array, problem: Problem): Step {
  const [c0, c1, c2, c3, c4] = polynomial(factors, direction, problem);
  const slope = (s: number) => ((4 * c4 * s + 3 * c3) * s + 2 * c2) * s + c1;
  const at = (s: number) => (((c4 * s + c3) * s + c2) * s + c1) * s + c0;
  if (slope(0) >= 0) return { length: 0, objective: c0 };
  let high = 1;
  while (slope(high) < 0 && high < LONGEST) high *= 2;
  let low = high > 1 ? high / 2 : 0;
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (low + high) / 2;
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  return { length: low, objective: at(low) };
}

/** Coefficients of F(s), of the constant first. */
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
    const [u, i] = [ratings.user[r] * width, ratings.item[r] * width];
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
