/** What is left of a spread by rounding is none. */
const ROUNDING = 1e-12;

/**
 * Whether those who were shown an arm differ from the others in what was known before.
 *
 *   g_u = (1{a} − s_a)(x_u − x̄),   z = Σg / √(U / (U − 1) · Σg²)
 *
 * One x a user, at the first request, so that no two depend on each other. Source: covariate balance
 * under known chances of assignment (Imbens & Rubin, Causal Inference, 2015, chapter 15).
 */
export class BalanceSums {
  #users = 0;
  #x = 0;
  /** Σ d, Σ dx, Σ d², Σ d²x and Σ d²x². */
  #d = 0;
  #dx = 0;
  #dd = 0;
  #ddx = 0;
  #ddxx = 0;

  /**
   * Adds a user.
   *
   * @param x what was known before the arm was drawn. @param d the arm's indicator less its share.
   */
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

  /** x̄. */
  get mean(): number {
    return this.#x / this.#users;
  }

  /** z; NaN where x has no spread: then it is not checked. */
  get score(): number {
    const users = this.#users;
    const mean = this.mean;
    const squares = this.#ddxx - 2 * mean * this.#ddx + mean * mean * this.#dd;
    if (!(squares > ROUNDING * this.#ddxx) || !(users > 1)) return Number.NaN;
    return (this.#dx - mean * this.#d) / Math.sqrt((users / (users - 1)) * squares);
  }
}

/** |z| that chance makes once in two thousand users' properties. */
const MOST_SCORE = 3.5;

/** Whether users were alike before, as far as chance allows. */
export function isBalanced(score: number): boolean {
  return !(Math.abs(score) > MOST_SCORE);
}
