/** A relative spread below this is rounding error. */
const ROUNDING = 1e-12;

/**
 * Test whether users who were shown an arm differ from the others in a property x known before
 * assignment.
 *
 *   g_u = (1{a} − s_a)(x_u − x̄),   z = Σg / √(U / (U − 1) · Σg²)
 *
 * with 1{a} = 1 if user u was shown the arm, and s_a the arm's share. There is one x per user, at
 * the user's first request, so that terms are independent. Source: covariate balance under known
 * assignment probabilities (Imbens & Rubin, Causal Inference, 2015, chapter 15).
 */
export class BalanceSums {
  #users = 0;
  #x = 0;
  /** Σ d, Σ dx, Σ d², Σ d²x and Σ d²x², d the arm's indicator minus its share. */
  #d = 0;
  #dx = 0;
  #dd = 0;
  #ddx = 0;
  #ddxx = 0;

  /** Add a user. @param x property known before assignment. @param d 1{a} − s_a. */
  add(x: number, d: number): void {
    const dx = d * x;
    const dd = d * d;
    this.#users++;
    this.#x += x;
    this.#d += d;
    this.#dx += dx;
    this.#dd += dd;
    this.#ddx += dd * x;
    this.#ddxx += dx * dx;
  }

  get mean(): number {
    return this.#x / this.#users;
  }

  /** z; NaN if x has no spread and cannot be checked. */
  get score(): number {
    const users = this.#users;
    const mean = this.mean;
    const squares = this.#ddxx - 2 * mean * this.#ddx + mean * mean * this.#dd;
    if (!(squares > ROUNDING * this.#ddxx) || !(users > 1)) return Number.NaN;
    return (this.#dx - mean * this.#d) / Math.sqrt((users / (users - 1)) * squares);
  }
}

/** Largest |z| of a balanced property; random assignment exceeds it for one property in two thousand. */
const MOST_SCORE = 3.5;

/** Whether the difference between arms before the test is within random variation. */
export function isBalanced(score: number): boolean {
  return !(Math.abs(score) > MOST_SCORE);
}
