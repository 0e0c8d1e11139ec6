/** Raked weights w = a_u b_i, and whether their margins over users and over items are uniform. */
export interface Raking {
  /** a_u, the factor of each user; 0 for a user without rows. */
  readonly userSide: Float64Array;
  /** b_i, the factor of each item; 0 for an item without a row. */
  readonly itemSide: Float64Array;
  /** Number of connected components of the graph in which every row joins its user and its item. */
  readonly components: number;
  /** Whether the margins could not be made uniform, so that the weights are a compromise. */
  readonly isDamped: boolean;
}

const TOLERANCE = 1e-10;
const MAX_SWEEPS = 2000;
/** Number of sweeps between checks of the rate of convergence. */
const PACE_SWEEPS = 20;
/**
 * Exponent of damped sweeps. Because the exponent is below 1, every sweep contracts by the factor
 * 0.9², for any rows.
 */
const DAMPING = 0.9;

/**
 * Find weights w = a_u b_i of rows such that all users have the same total weight, and all items
 * too.
 *
 * Alternate a_u = 1 / (U Σ_{i ∈ u} b_i) and b_i = 1 / (I Σ_{u ∋ i} a_u), over the U users and I
 * items with a row, until both margins are uniform within 1e-10 of their size.
 * Source: Deming & Stephan 1940 (iterative proportional fitting); it makes Carraro & Bridge 2020,
 * eqs. 11 and 12, hold exactly, on uniform targets.
 *
 * Some sets of rows cannot have uniform margins, for example those with several connected components
 * of different shape, or with many users who have only the same item. With several components, or if
 * the sweeps do not converge, the factors are raised to the power 0.9 (a_u = (U Σ b)^−0.9). That
 * always converges to a compromise, and `isDamped` reports it.
 *
 * @param rows by user. @param items number of items.
 * @returns a and b, up to a factor for each component; no rows give zeros.
 * By hand: u1: i1, i2; u2: i2, i3; u3: i3, i1 already have uniform margins: all weights equal.
 */
export function rake(rows: UserRows, items: number): Raking {
  const components = connectedComponents(rows, items);
  if (components <= 1) {
    const exact = new Sweeps(rows, items, 1);
    if (exact.run()) return exact.result(components, false);
  }
  const damped = new Sweeps(rows, items, DAMPING);
  damped.run();
  return damped.result(components, true);
}

class Sweeps {
  readonly #rows: UserRows;
  readonly #power: number;
  readonly #userSide: Float64Array;
  readonly #itemSide: Float64Array;
  /** Σ_{u ∋ i} a_u by item. */
  readonly #itemSums: Float64Array;
  #users = 0;
  #items = 0;
  /** Largest relative distance of an item's margin from uniform, after the users' sweep. */
  #itemError = 0;
  /** Largest relative change of an item's factor b_i in the latest sweep. */
  #change = 0;

  constructor(rows: UserRows, items: number, power: number) {
    const { users, userStart, item } = rows;
    this.#rows = rows;
    this.#power = power;
    this.#userSide = new Float64Array(users);
    this.#itemSide = new Float64Array(items);
    this.#itemSums = new Float64Array(items);
    for (let u = 0; u < users; u++) {
      if (userStart[u + 1] > userStart[u]) {
        this.#users++;
      }
    }
    for (let r = 0; r < userStart[users]; r++) {
      this.#itemSide[item[r]] = 1;
    }
    for (const side of this.#itemSide) {
      this.#items += side;
    }
  }

  /**
   * Sweep until the margins are uniform or, if damped, until the factors no longer change.
   *
   * @returns whether that was reached.
   */
  run(): boolean {
    let earlier = Number.POSITIVE_INFINITY;
    for (let sweep = 1; sweep <= MAX_SWEEPS; sweep++) {
      this.#sweepUsers();
      this.#measureItems();
      if (this.#power === 1 && this.#itemError <= TOLERANCE) return true;
      this.#sweepItems();
      if (this.#power < 1 && this.#change <= TOLERANCE) return true;
      if (sweep % PACE_SWEEPS !== 0) continue;
      if (this.#power === 1 && !isInReach(earlier, this.#itemError, sweep)) return false;
      earlier = this.#itemError;
    }
    return false;
  }

  result(components: number, isDamped: boolean): Raking {
    return {
      userSide: this.#userSide,
      itemSide: this.#itemSide,
      components,
      isDamped,
    };
  }

  #sweepUsers(): void {
    const b = this.#itemSide;
    const sums = this.#itemSums;
    sums.fill(0);
    const { users, userStart, item } = this.#rows;
    const a = this.#userSide;
    for (let u = 0; u < users; u++) {
      const end = userStart[u + 1];
      let sum = 0;
      for (let r = userStart[u]; r < end; r++) {
        sum += b[item[r]];
      }
      if (sum === 0) continue;
      const mass = this.#users * sum;
      a[u] = this.#power === 1 ? 1 / mass : mass ** -this.#power;
      for (let r = userStart[u]; r < end; r++) {
        sums[item[r]] += a[u];
      }
    }
  }

  #measureItems(): void {
    this.#itemError = 0;
    for (let i = 0; i < this.#itemSums.length; i++) {
      if (this.#itemSide[i] === 0) continue;
      const error = Math.abs(this.#items * this.#itemSums[i] * this.#itemSide[i] - 1);
      this.#itemError = Math.max(this.#itemError, error);
    }
  }

  #sweepItems(): void {
    this.#change = 0;
    for (let i = 0; i < this.#itemSums.length; i++) {
      if (this.#itemSide[i] === 0) continue;
      const side = (this.#items * this.#itemSums[i]) ** -this.#power;
      this.#change = Math.max(this.#change, Math.abs(side / this.#itemSide[i] - 1));
      this.#itemSide[i] = side;
    }
  }
}

/**
 * Whether the error will reach the tolerance in the remaining sweeps, if it keeps decreasing at its
 * recent rate.
 */
function isInReach(earlier: number, error: number, sweep: number): boolean {
  if (earlier === Number.POSITIVE_INFINITY) return true;
  const fall = Math.log(earlier / error) / PACE_SWEEPS;
  return fall > 0 && Math.log(error / TOLERANCE) / fall <= MAX_SWEEPS - sweep;
}

/**
 * Number of connected components of the graph whose edges are the rows, between users and items.
 *
 * Union–find over items: a user joins all items of its rows. O(rows α(items)).
 * Source: Tarjan 1975 (path halving).
 *
 * @param items number of items.
 * @returns 0 without rows.
 * By hand: u1: i1, i2; u2: i2; u3: i3 have two components.
 */
function connectedComponents({ users, userStart, item }: UserRows, items: number): number {
  const parent = new Int32Array(items).fill(-1);
  let components = 0;
  for (let u = 0; u < users; u++) {
    const from = userStart[u];
    for (let r = from; r < userStart[u + 1]; r++) {
      if (parent[item[r]] === -1) {
        parent[item[r]] = item[r];
        components++;
      }
      const root = rootOf(parent, item[r]);
      const first = rootOf(parent, item[from]);
      if (root === first) continue;
      parent[root] = first;
      components--;
    }
  }
  return components;
}

function rootOf(parent: Int32Array, node: number): number {
  let at = node;
  while (parent[at] !== at) {
    parent[at] = parent[parent[at]];
    at = parent[at];
  }
  return at;
}

/**
 * Rows grouped by user: user u has rows userStart[u] to userStart[u + 1] − 1, and `item` is the
 * item of each row.
 */
export interface UserRows {
  readonly users: number;
  readonly userStart: Int32Array;
  readonly item: Int32Array;
}
