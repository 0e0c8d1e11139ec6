import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';
import { normalUpperQuantile } from '../mathematics/distributions.js';

/** Number of interactions by user, with a function that gives the users' ids. */
export interface CountedUsers {
  readonly counts: Int32Array;
  /** Gives the id of a user; undefined if ids are not known. */
  readonly nameOf: ((user: number) => string) | undefined;
}

/** Distribution of interactions over users, and the users with far more than the others. */
export const HeavyUsers = Type.Object(
  {
    users: Type.Number({ description: 'Number of users with an interaction' }),
    interactions: Type.Number(),
    median: Type.Number({ description: 'Interactions of the median user' }),
    // Infinity if no user stands apart.
    limit: Num('Number of interactions from which a user is an outlier, which estimates leave out'),
    largestShare: Type.Number({
      description: 'Share of all interactions that the most active user has',
    }),
    apart: Type.Number({ description: 'Number of outlier users' }),
    apartShare: Type.Number({ description: 'Share of all interactions that outlier users have' }),
    named: Type.Array(
      Type.Object({
        user: Type.String(),
        interactions: Type.Number(),
        share: Type.Number(),
      }),
      { description: 'Outlier users with the most interactions, at most 20' },
    ),
  },
  { description: 'Users who may be crawlers; only if popularity.userCap is set' },
);
export type HeavyUsers = Memory<Static<typeof HeavyUsers>>;

const MOST_NAMED = 20;
/** A heavy user has at least this many times the median user's interactions. */
const FAR_ABOVE_MEDIAN = 20;
/**
 * Least share of all interactions that heavy users have: one user alone by rule 1 of `heavyUsers`,
 * all of them together by rule 2.
 */
const NOTABLE_SHARE = 0.01;
/**
 * Probability that the most active of U ordinary users reaches the limit of rule 2 of `heavyUsers`.
 */
const BY_CHANCE = 1 / 20;
/** Distance of the quartiles of a normal distribution, in standard deviations. */
const QUARTILE_DISTANCE = 1.349;

/**
 * Find users with so many interactions that they may be crawlers.
 *
 * User u has c_u interactions, m is the median of c_u over users, and T the number of all
 * interactions. User u is found if c_u ≥ 20 m and one of two rules holds:
 *
 *   1. c_u ≥ 0.01 T.
 *   2. c_u ≥ m exp(σ z), and all users at or above this limit together have at least 0.01 T:
 *      σ = max((ln q₃ − ln q₁) / 1.349, 1/√m),  P(Z > z) = 1 / (20 U)
 *
 * q₁ and q₃ are the quartiles of c_u, which a few crawlers do not change. If activity were
 * log-normal with this spread, the most active of U users would exceed the limit of rule 2 in 1 of
 * 20 event logs. Rule 2 finds several slow crawlers, each too small for rule 1. O(users log users).
 *
 * **Source**: the limit is that of Hoaglin, Iglewicz & Tukey 1986 (outliers by quartiles), applied
 * to ln c_u.
 *
 * Users below 20 m are never found, however many interactions they have together. If activity has a
 * heavier tail than the log-normal, real users can be found too.
 *
 * @param users users without interactions are ignored.
 * @example
 * const users = { counts: Int32Array.of(5, 6, 4, 900), nameOf: (u) => `u${u}` };
 * heavyUsers(users).named.map(({ user }) => user); // ['u3']
 */
export function heavyUsers({ counts, nameOf }: CountedUsers): HeavyUsers {
  const spread = new Spread(counts);
  const { users, interactions } = spread;
  if (users === 0) return NOBODY;
  const limit = limitOf(spread);
  const apart: ApartUser[] = [];
  for (const [user, own] of counts.entries()) {
    if (own >= limit) {
      apart.push({
        user: nameOf?.(user),
        interactions: own,
      });
    }
  }
  const theirs = apart.reduce((sum, own) => sum + own.interactions, 0);
  return {
    users,
    interactions,
    median: spread.quantile(0.5),
    limit,
    largestShare: spread.largest / interactions,
    apart: apart.length,
    apartShare: theirs / interactions,
    named: apart
      .filter(isNamed)
      .sort((a, b) => b.interactions - a.interactions || (a.user < b.user ? -1 : 1))
      .slice(0, MOST_NAMED)
      .map((own) => ({
        ...own,
        share: own.interactions / interactions,
      })),
  };
}

/** A user with far more interactions than others. */
interface ApartUser {
  /** Id of the user; undefined if it is not known. */
  readonly user: string | undefined;
  readonly interactions: number;
}

function isNamed(own: ApartUser): own is ApartUser & { readonly user: string } {
  return own.user !== undefined;
}

const NOBODY: HeavyUsers = {
  users: 0,
  interactions: 0,
  median: 0,
  limit: Number.POSITIVE_INFINITY,
  largestShare: 0,
  apart: 0,
  apartShare: 0,
  named: [],
};

/** Least number of interactions of a heavy user; Infinity if there is none. */
function limitOf(spread: Spread): number {
  const { users, interactions } = spread;
  const median = spread.quantile(0.5);
  const ofQuartiles = Math.log(spread.quantile(0.75) / spread.quantile(0.25)) / QUARTILE_DISTANCE;
  const sigma = Math.max(ofQuartiles, 1 / Math.sqrt(median));
  const beyond = median * Math.exp(sigma * normalUpperQuantile(BY_CHANCE / users));
  const far = FAR_ABOVE_MEDIAN * median;
  const alone = Math.max(far, NOTABLE_SHARE * interactions);
  const together = Math.max(far, beyond);
  const limits = [
    ...(spread.largest >= alone ? [alone] : []),
    ...(spread.sumFrom(together) >= NOTABLE_SHARE * interactions ? [together] : []),
  ];
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}

/** Distribution of interactions over users with at least one. */
class Spread {
  readonly users: number;
  readonly interactions: number;
  readonly largest: number;
  readonly #ascending: Int32Array;

  constructor(counts: Int32Array) {
    this.#ascending = counts.filter((count) => count > 0).sort();
    this.users = this.#ascending.length;
    this.interactions = this.sumFrom(0);
    this.largest = this.#ascending.at(-1) ?? 0;
  }

  /**
   * Quantile of interactions per user: the least count that at least this share of users do not
   * exceed.
   */
  quantile(share: number): number {
    return this.#ascending[Math.ceil(share * this.users) - 1] ?? this.largest;
  }

  /** Sum of the interactions of all users who have at least `least` each. */
  sumFrom(least: number): number {
    return this.#ascending.reduce((sum, count) => (count >= least ? sum + count : sum), 0);
  }
}
