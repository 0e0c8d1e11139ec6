/** How many numbers are summed of a covariate: Σ 1, Σ x, Σ d, Σ dx, Σ d², Σ d²x and Σ d²x². */
export const BALANCE_SUMS = 7;

/** What is left of a spread by rounding is none. */
const ROUNDING = 1e-12;

/**
 * Adds a user to sums, which add up over users.
 *
 * @param x what was known before the arm was drawn. @param d the arm's indicator less its share.
 */
export function addBalance(into: Float64Array, at: number, x: number, d: number): void {
  const dx = d * x;
  const dd = d * d;
  into[at]++;
  into[at + 1] += x;
  into[at + 2] += d;
  into[at + 3] += dx;
  into[at + 4] += dd;
  into[at + 5] += dd * x;
  into[at + 6] += dx * dx;
}

/**
 * Whether those who were shown an arm differ from the others in what was known before.
 *
 *   g_u = (1{a} − s_a)(x_u − x̄),   z = Σg / √(U / (U − 1) · Σg²)
 *
 * One x a user, at the first request, so that no two depend on each other. Source: covariate balance
 * under known chances of assignment (Imbens & Rubin, Causal Inference, 2015, chapter 15).
 *
 * @returns NaN where x has no spread: then it is not checked.
 */
export function balanceScore(sums: ArrayLike<number>, at = 0): number {
  const [users, x, d, dx, dd, ddx, ddxx] = Array.from(sums).slice(at, at + BALANCE_SUMS);
  const mean = x / users;
  const squares = ddxx - 2 * mean * ddx + mean * mean * dd;
  if (!(squares > ROUNDING * ddxx) || !(users > 1)) return Number.NaN;
  return (dx - mean * d) / Math.sqrt((users / (users - 1)) * squares);
}

/** |z| that chance makes once in two thousand users' properties. */
const MOST_SCORE = 3.5;

/** Whether users were alike before, as far as chance allows. */
export function isBalanced(score: number): boolean {
  return !(Math.abs(score) > MOST_SCORE);
}
