import type { FollowingPairs } from '../../estimators/evidence/unit-of-draw.js';
import { type ExperimentEvents, NO_LIST } from '../../state/panes/experiment-events.js';

/** Number of groups of users for clustered errors, the same as for values. */
export const GROUPS = 64;

/** Most users of a live test; later users are not part of it. */
export const MOST_TEST_USERS = 1_000_000;

/** Sums by arm, over users with a list of an arm since the start of the test. */
export interface SumsOfArms {
  /** Number of users. */
  readonly users: number[];
  /** Number of lists served to these users. */
  readonly lists: number[];
  /** Reward credited to lists of the arm by list id. */
  readonly named: number[];
  /** Σ of the times of users' first lists, ms. */
  readonly first: number[];
  /** Number of users by group of users. */
  readonly count: Float64Array[];
  /** Number of users with history, by group. */
  readonly known: Float64Array[];
  /** Σx of users with history x, by group. */
  readonly x: Float64Array[];
  /** Reward of all users, by group. */
  readonly reward: Float64Array[];
  /** Σx² over users with history x. */
  readonly xx: number[];
  /** Σ x · reward over users with history x. */
  readonly xReward: number[];
  /** Σ reward over users with history x. */
  readonly knownReward: number[];
}

/** State of a user, keyed by a hash of the id. */
interface LiveUser {
  /** Number of the user's positive interactions so far. */
  positives: number;
  /** Index of the user's arm; −1 before the first list. */
  arm: number;
  /**
   * x = ln(1 + number of the user's positive interactions before the first list). NaN if the log
   * has no event of any user before that list.
   */
  x: number;
  /** Arm of the user's newest list. */
  last: number;
  /**
   * Whether the newest list is the first of two consecutive lists that form a pair, see
   * `FollowingPairs`.
   */
  isOdd: boolean;
}

/**
 * Users of a test by a hash of their ids, with sums of their rewards.
 *
 * A user keeps the arm of the first list since the start. Rewards are added to the sums as they
 * arrive, so the cost of a look does not depend on the number of users. If the table is full, new
 * users are not part of the test, in any arm.
 */
export class LiveUsers {
  readonly #most: number;
  #users = new Map<number, LiveUser>();
  #isFull = false;
  #since = Number.NEGATIVE_INFINITY;
  #observedFrom = Number.POSITIVE_INFINITY;
  #sums: SumsOfArms = noSums(0);
  #pairs = {
    pairs: 0,
    same: 0,
    served: [] as number[],
  };

  get sums(): SumsOfArms {
    return this.#sums;
  }

  get pairs(): FollowingPairs {
    const { pairs, same, served } = this.#pairs;
    const chance = served.reduce((sum, each) => sum + (each / (2 * pairs)) ** 2, 0);
    return {
      pairs,
      same,
      chance: pairs * chance,
    };
  }

  /** Whether a user was left out because the table was full. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** @param most capacity of the table. */
  constructor(most = MOST_TEST_USERS) {
    this.#most = most;
  }

  /** Remove the users with these keys; the sums keep their rewards. */
  forget(keys: readonly number[]): void {
    for (const key of keys) {
      this.#users.delete(key);
    }
  }

  /** Start the test again with empty sums; earlier activity of users becomes their history. */
  begin(arms: number, since: number): void {
    this.#since = since;
    this.#sums = noSums(arms);
    this.#pairs = {
      pairs: 0,
      same: 0,
      served: Array(arms).fill(0),
    };
    for (const user of this.#users.values()) {
      user.arm = -1;
      user.isOdd = false;
    }
  }

  /** Add a pane's events of a partition. Lists come before rewards of the same time. */
  add(
    { lists, rewards }: ExperimentEvents,
    keyOf: (user: number) => number,
    armOf: (model: number) => number,
  ): void {
    let next = 0;
    for (let r = 0; r < rewards.user.length; r++) {
      while (next < lists.user.length && lists.ts[next] <= rewards.ts[r]) {
        this.#serve(keyOf(lists.user[next]), lists.ts[next], armOf(lists.model[next]));
        next++;
      }
      const model = rewards.model[r];
      this.#earn(keyOf(rewards.user[r]), rewards.ts[r], {
        worth: rewards.worth[r],
        isPositive: rewards.isPositive[r] === 1,
        named: model === NO_LIST ? -1 : armOf(model),
        credit: rewards.credit[r],
      });
    }
    for (; next < lists.user.length; next++) {
      this.#serve(keyOf(lists.user[next]), lists.ts[next], armOf(lists.model[next]));
    }
  }

  stored(): string {
    return JSON.stringify(
      {
        since: this.#since,
        observedFrom: this.#observedFrom,
        sums: this.#sums,
        pairs: this.#pairs,
        isFull: this.#isFull,
        users: [...this.#users].map(([key, { positives, arm, x, last, isOdd }]) => [
          key,
          positives,
          arm,
          Number.isNaN(x) ? null : x,
          last,
          isOdd ? 1 : 0,
        ]),
      },
      (_, value) => (value instanceof Float64Array ? [...value] : value),
    );
  }

  restore(stored: string): void {
    const read = JSON.parse(stored);
    this.#since = read.since ?? Number.NEGATIVE_INFINITY;
    this.#observedFrom = read.observedFrom ?? Number.POSITIVE_INFINITY;
    this.#pairs = read.pairs;
    this.#isFull = read.isFull === true;
    const columns = (all: number[][]) => all.map((own) => Float64Array.from(own));
    const { count, known, x, reward } = read.sums;
    this.#sums = {
      ...read.sums,
      count: columns(count),
      known: columns(known),
      x: columns(x),
      reward: columns(reward),
    };
    this.#users = new Map(
      read.users.map(([key, positives, arm, own, last, isOdd]: number[]) => [
        key,
        {
          positives,
          arm,
          x: own ?? Number.NaN,
          last,
          isOdd: isOdd === 1,
        },
      ]),
    );
  }

  /** Find or add a user; undefined if the table is full. */
  #userOf(key: number): LiveUser | undefined {
    const known = this.#users.get(key);
    if (known !== undefined) return known;
    if (this.#users.size >= this.#most) {
      this.#isFull = true;
      return undefined;
    }
    const user = {
      positives: 0,
      arm: -1,
      x: Number.NaN,
      last: -1,
      isOdd: false,
    };
    this.#users.set(key, user);
    return user;
  }

  #serve(key: number, ts: number, arm: number): void {
    this.#observedFrom = Math.min(this.#observedFrom, ts);
    if (arm < 0 || arm >= this.#sums.users.length || ts < this.#since) return;
    const user = this.#userOf(key);
    if (user === undefined) return;
    const sums = this.#sums;
    const group = key & (GROUPS - 1);
    if (user.arm < 0) {
      user.arm = arm;
      user.x = this.#observedFrom < ts ? Math.log1p(user.positives) : Number.NaN;
      sums.users[arm]++;
      sums.first[arm] += ts;
      sums.count[arm][group]++;
      if (!Number.isNaN(user.x)) {
        sums.known[arm][group]++;
        sums.x[arm][group] += user.x;
        sums.xx[arm] += user.x ** 2;
      }
    }
    sums.lists[user.arm]++;
    if (user.isOdd) {
      this.#pairs.pairs++;
      this.#pairs.served[arm]++;
      this.#pairs.served[user.last]++;
      if (user.last === arm) {
        this.#pairs.same++;
      }
    }
    user.last = arm;
    user.isOdd = !user.isOdd;
  }

  #earn(
    key: number,
    ts: number,
    earned: {
      readonly worth: number;
      readonly isPositive: boolean;
      readonly named: number;
      readonly credit: number;
    },
  ): void {
    this.#observedFrom = Math.min(this.#observedFrom, ts);
    const user = this.#userOf(key);
    if (user === undefined) return;
    if (earned.isPositive) {
      user.positives++;
    }
    const sums = this.#sums;
    if (earned.named >= 0 && earned.named < sums.named.length) {
      sums.named[earned.named] += earned.credit;
    }
    if (user.arm < 0) return;
    sums.reward[user.arm][key & (GROUPS - 1)] += earned.worth;
    if (Number.isNaN(user.x)) return;
    sums.knownReward[user.arm] += earned.worth;
    sums.xReward[user.arm] += user.x * earned.worth;
  }
}

function noSums(arms: number): SumsOfArms {
  const numbers = () => Array<number>(arms).fill(0);
  const columns = () => Array.from({ length: arms }, () => new Float64Array(GROUPS));
  return {
    users: numbers(),
    lists: numbers(),
    named: numbers(),
    first: numbers(),
    count: columns(),
    known: columns(),
    x: columns(),
    reward: columns(),
    xx: numbers(),
    xReward: numbers(),
    knownReward: numbers(),
  };
}
