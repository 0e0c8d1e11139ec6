/** Disjoint pairs of a user's following requests, whose shares are equal. */
export interface FollowingPairs {
  readonly pairs: number;
  /** Pairs in which both were served the same arm. */
  readonly same: number;
  /** Σ Σ_a s_a², the chance of that where an arm is drawn for each request. */
  readonly chance: number;
}

/** What an arm was drawn for; `unknown`: too few users come back, `neither`: chance did not decide. */
export type UnitOfDraw = 'unknown' | 'request' | 'user' | 'neither';

/** A chance of 1 in 1,000 of taking one for the other. */
const LEAST_SCORE = 3.3;
/** So many errors that pairs of one arm alone would lie above chance. */
const LEAST_PAIRS = 10.89;
const KEPT_SHARE = 0.99;

/** What one half of the pairs says of the other, and how many there have to be. */
export interface DrawTest {
  readonly unit: UnitOfDraw;
  readonly score: number;
  /** Share of pairs with one arm, and what chance alone would make it. */
  readonly share: number;
  readonly expected: number;
}

/**
 * Reads off the log whether an arm was drawn for each request, or users keep theirs.
 *
 * p = Σ_a s_a², the mean over pairs; z = (S − Np) / √(Np(1 − p)). N < 10.89 p / (1 − p): unknown;
 * |z| < 3.3: by request; S ≥ .99 N: by user; else neither. Pairs are disjoint (1st–2nd, 3rd–4th …), so
 * they are independent where arms are drawn by request.
 *
 * @example
 * drawTest({ pairs: 12, same: 12, chance: 6 }).unit; // 'user'
 */
export function drawTest({ pairs, same, chance }: FollowingPairs): DrawTest {
  const expected = chance / pairs;
  const score = (same - chance) / Math.sqrt(chance * (1 - expected));
  const known = {
    score,
    share: same / pairs,
    expected,
  };
  if (!(pairs >= pairsNeeded(expected))) {
    return {
      unit: 'unknown',
      ...known,
    };
  }
  if (Math.abs(score) < LEAST_SCORE) {
    return {
      unit: 'request',
      ...known,
    };
  }
  return {
    unit: same >= KEPT_SHARE * pairs ? 'user' : 'neither',
    ...known,
  };
}

/** How many pairs it takes to tell one from the other. */
export function pairsNeeded(expected: number): number {
  return (LEAST_PAIRS * expected) / (1 - expected);
}

/** Requests of a user from which on none counts: such a user is a crawler. */
export function mostRequests(median: number): number {
  return Math.max(20, 10 * median);
}
