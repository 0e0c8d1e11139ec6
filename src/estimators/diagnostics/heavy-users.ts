import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import { normalUpperQuantile } from '../mathematics/distributions.js';
import { CountHistogram } from '../partitions/count-histogram.js';
import { passText } from '../partitions/item-sums.js';
import { NumberedSums, type Rounds } from '../partitions/rounds.js';

const SHAPE = 0x6865_6176;

/** A user who stands apart, by id. */
interface ApartUser {
  readonly user: string;
  readonly interactions: number;
}

/** Users who stand apart from all others: how many, and who has most. */
class ApartUsers extends NumberedSums<ApartUsers> {
  users = 0;
  interactions = 0;
  readonly #most: number;
  #named: ApartUser[] = [];

  /** @param most are named. */
  constructor(most: number) {
    super(SHAPE);
    this.#most = most;
  }

  /** Those with most interactions, in the order of interactions and ids. */
  get named(): readonly ApartUser[] {
    return this.#named;
  }

  /** @param user undefined where nobody knows the id. */
  add(user: string | undefined, interactions: number): void {
    this.users++;
    this.interactions += interactions;
    if (user !== undefined) this.#name([{ user, interactions }]);
  }

  ofOthers(): ApartUsers {
    return new ApartUsers(this.#most);
  }

  merge(others: ApartUsers): void {
    this.users += others.users;
    this.interactions += others.interactions;
    this.#name(others.#named);
  }

  pass(through: NumberCodec): void {
    this.users = through.number(this.users);
    this.interactions = through.number(this.interactions);
    const size = through.number(this.#named.length);
    for (let n = 0; n < size; n++) {
      const { user, interactions } = this.#named[n] ?? { user: '', interactions: 0 };
      const passed = { interactions: through.number(interactions), user: passText(through, user) };
      this.#named[n] = passed;
    }
  }

  #name(users: readonly ApartUser[]): void {
    this.#named = [...this.#named, ...users]
      .sort((a, b) => b.interactions - a.interactions || (a.user < b.user ? -1 : 1))
      .slice(0, this.#most);
  }
}

/** Interactions of some users by their numbers, and who they are. */
export interface CountedUsers {
  readonly counts: Int32Array;
  /** The id of a user; undefined where nobody knows it. */
  readonly nameOf: ((user: number) => string) | undefined;
}

/** How interactions are spread over users, and who has far more than all others. */
export const HeavyUsers = Type.Object(
  {
    users: Type.Number({ description: 'Users with an interaction' }),
    interactions: Type.Number(),
    median: Type.Number({ description: 'Interactions of the median user' }),
    // Infinity where nobody does.
    limit: Num('Interactions from which on a user stands apart, and is not evaluated'),
    largestShare: Type.Number({ description: 'Share of the user with most interactions' }),
    apart: Type.Number({ description: 'Users who stand apart from all others' }),
    apartShare: Type.Number({ description: 'Share of the interactions that is theirs' }),
    named: Type.Array(
      Type.Object({ user: Type.String(), interactions: Type.Number(), share: Type.Number() }),
      { description: 'Those with most interactions, 20 at most' },
    ),
  },
  { description: 'Who may be a crawler; only if popularity.userCap is set' },
);
export type HeavyUsers = Memory<Static<typeof HeavyUsers>>;

const MOST_NAMED = 20;
/** Times the median user. */
const FAR_ABOVE_MEDIAN = 20;
/** Share of the interactions of one user, or of several together. */
const NOTABLE_SHARE = 0.01;
/** How likely the largest of users who are alike may lie beyond the limit. */
const BY_CHANCE = 1 / 20;
/** Distance of the quartiles of a normal distribution, in standard deviations. */
const QUARTILE_DISTANCE = 1.349;
/** Smaller counts are tallied in an array. */
const BINS = 4096;

/**
 * Users who have so many interactions that they may be crawlers: c_u ≥ 20 m, m the median, and
 * either c_u ≥ .01 T, T the interactions of all, or together at least .01 T while each is beyond
 * what the spread of the others lets expect of the largest of them,
 *
 *   c_u ≥ m exp(σ z),  σ = max((ln q₃ − ln q₁) / 1.349, 1/√m),  P(Z > z) = 1 / (20 U)
 *
 * with the quartiles q₁ and q₃ of the U users, which a few crawlers do not move. So several slow
 * ones are found too, each of whom is too small for the first rule. O(users); yields after each
 * part.
 *
 * **Source**: the limit is that of Hoaglin, Iglewicz & Tukey 1986 (outliers by quartiles) on logs.
 *
 * Users below 20 m are never found, whatever they have together. Where activity has a tail beyond
 * the log-normal, real users stand apart as well: that a few of them make items popular is true.
 *
 * @param parts disjoint users; users without an interaction take no part. @param rounds bring the sums
 * of all partitions together, where some of them are elsewhere: two rounds.
 * @example
 * const work = heavyUsers([{ counts: Int32Array.of(5, 6, 4, 900), nameOf: (u) => `u${u}` }], ALONE);
 * runAtOnce(work).named.map(({ user }) => user); // ['u3']
 */
export function* heavyUsers(
  parts: readonly CountedUsers[],
  rounds: Rounds,
): Generator<void, HeavyUsers> {
  const histogram = yield* rounds.gather(new CountHistogram(), parts, addCounts);
  const spread = new Spread(histogram.ascending());
  const { users, interactions } = spread;
  if (users === 0) return NOBODY;
  const median = spread.quantile(0.5);
  const limit = limitOf(spread);
  const none = new ApartUsers(MOST_NAMED);
  const apart = yield* rounds.gather(none, parts, function* add(own, { counts, nameOf }) {
    counts.forEach((count, user) => {
      if (count >= limit) own.add(nameOf?.(user), count);
    });
    yield;
  });
  return {
    users,
    interactions,
    median,
    limit,
    largestShare: spread.largest / interactions,
    apart: apart.users,
    apartShare: apart.interactions / interactions,
    named: apart.named.map((own) => ({ ...own, share: own.interactions / interactions })),
  };
}

function* addCounts(histogram: CountHistogram, { counts }: CountedUsers): Generator<void, void> {
  // Most counts are small: those are tallied first.
  const few = new Float64Array(BINS);
  for (const count of counts) {
    if (count < BINS) few[count]++;
    else histogram.add(count);
  }
  for (let count = 1; count < BINS; count++) if (few[count] > 0) histogram.add(count, few[count]);
  yield;
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

/** From this many interactions on a user stands apart; Infinity where nobody does. */
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

/** How many users have how many interactions. */
class Spread {
  readonly users: number;
  readonly interactions: number;
  readonly largest: number;
  readonly #ascending: readonly (readonly [count: number, users: number])[];

  constructor(ascending: readonly (readonly [count: number, users: number])[]) {
    this.#ascending = ascending;
    this.users = ascending.reduce((sum, [, users]) => sum + users, 0);
    this.interactions = this.sumFrom(0);
    this.largest = ascending.at(-1)?.[0] ?? 0;
  }

  /** The least count that at least this share of the users does not exceed. */
  quantile(share: number): number {
    const wanted = Math.ceil(share * this.users);
    let seen = 0;
    for (const [count, users] of this.#ascending) {
      seen += users;
      if (seen >= wanted) return count;
    }
    return this.largest;
  }

  /** Interactions of the users who have at least this many. */
  sumFrom(least: number): number {
    return this.#ascending.reduce(
      (sum, [count, users]) => (count >= least ? sum + count * users : sum),
      0,
    );
  }
}
