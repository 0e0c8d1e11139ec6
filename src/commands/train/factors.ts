import { Random } from '../../estimators/mathematics/random.js';

/** How many users and items there are. */
export interface Shape {
  readonly users: number;
  readonly items: number;
}

/**
 * A factorisation of ratings: Ŷ_ui = c + a_u + b_i + V_u · W_i.
 *
 * All parameters lie in one vector, so that a fit can step along a direction: [V_u, a_u] for each
 * user, [W_i, b_i] for each item, then c. `user` and `item` are views of it.
 */
export class Factors {
  /** d, factors of a user or an item; 0 leaves the offsets. */
  readonly size: number;
  readonly values: Float64Array;
  /** [V_u, a_u] for each user, row by row. */
  readonly user: Float64Array;
  /** [W_i, b_i] for each item, row by row. */
  readonly item: Float64Array;

  constructor(
    { users, items }: Shape,
    size: number,
    values: Float64Array = new Float64Array((users + items) * (size + 1) + 1),
  ) {
    this.size = size;
    this.values = values;
    this.user = values.subarray(0, users * (size + 1));
    this.item = values.subarray(users * (size + 1), values.length - 1);
  }

  /** c, in units of the rating. */
  get offset(): number {
    return this.values[this.values.length - 1];
  }

  set offset(offset: number) {
    this.values[this.values.length - 1] = offset;
  }
}

/** Standard deviation of the factors that a fit starts with: off 0, where it would stay. */
const START_SD = 0.1;

/** Where a fit starts: small random factors, offsets of 0. The same seed gives the same. */
export function startingFactors(shape: Shape, size: number, seed: number, offset: number): Factors {
  const factors = new Factors(shape, size);
  factors.offset = offset;
  fillRows(factors.user, size, new Random(seed, 'user factors'));
  fillRows(factors.item, size, new Random(seed, 'item factors'));
  return factors;
}

/**
 * The rating that the factors predict; it is not clipped to the scale of the ratings.
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
  const [userStart, itemStart] = [u * width, i * width];
  let sum = offset + user[userStart + size] + item[itemStart + size];
  for (let k = 0; k < size; k++) sum += user[userStart + k] * item[itemStart + k];
  return sum;
}

function fillRows(rows: Float64Array, size: number, random: Random): void {
  for (let start = 0; start < rows.length; start += size + 1) {
    for (let k = 0; k < size; k++) rows[start + k] = START_SD * random.normal();
  }
}
