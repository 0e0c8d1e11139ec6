/** Disjoint pairs of consecutive requests of a user that have equal assignment shares. */
export interface FollowingPairs {
  readonly pairs: number;
  /** Number of pairs whose two requests were served the same arm. */
  readonly same: number;
  /** Expected value of `same` if every request is randomised: Σ over pairs of Σ_a s_a². */
  readonly chance: number;
}

/**
 * Unit of randomisation. `unknown`: too few users return; `neither`: the assignment does not look
 * random.
 */
export type UnitOfDraw = 'unknown' | 'request' | 'user' | 'neither';

/**
 * Below this |z| the unit is `request`. If requests are randomised, |z| exceeds it in 1 of 1,000
 * logs.
 */
const LEAST_SCORE = 3.3;
/**
 * `LEAST_SCORE`². N pairs that all have the same arm reach |z| = 3.3 if N ≥ 10.89 p / (1 − p), see
 * `drawTest`.
 */
const LEAST_PAIRS = 10.89;
/** Least share of pairs with the same arm for the unit to be `user`. */
const KEPT_SHARE = 0.99;

/** Result of the test for the unit of randomisation, with its score z. */
export interface DrawTest {
  readonly unit: UnitOfDraw;
  readonly score: number;
  /**
   * Share of pairs with the same arm (`share`), and the expected share if every request is
   * randomised (`expected`).
   */
  readonly share: number;
  readonly expected: number;
}

/**
 * Decide from the log whether arms were assigned by request or by user.
 *
 * S of N pairs have the same arm. With p = Σ_a s_a² (s_a the assignment shares), averaged over
 * pairs, z = (S − Np) / √(Np(1 − p)). N < 10.89 p / (1 − p): unknown; |z| < 3.3: by request; S ≥
 * .99 N: by user; otherwise neither. Pairs are disjoint (1st–2nd, 3rd–4th …), so they are
 * independent if arms are assigned by request.
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

/** Number of pairs needed to tell the units apart. @param expected p, see `drawTest`. */
export function pairsNeeded(expected: number): number {
  return (LEAST_PAIRS * expected) / (1 - expected);
}

/**
 * Largest number of requests that count for one user. Callers ignore further requests of the user,
 * which limits the effect of crawlers.
 *
 * @param median of the number of requests over users.
 */
export function mostRequests(median: number): number {
  return Math.max(20, 10 * median);
}
