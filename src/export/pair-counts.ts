import type { SideWeights } from '../estimators/rules/estimator.js';
import type { SetPlan } from './set-plan.js';

/**
 * Number of (user, item) pairs by user and by item, in three groups: train part, sampled part and
 * randomised traffic.
 */
export class PairCounts {
  /** Counts of the train part: n. */
  readonly known: SideCounts;
  /** Counts of the part that the set is drawn from. */
  readonly sampled: SideCounts;
  /** Counts of randomised traffic: m. */
  readonly randomized: SideCounts;
  trainRows = 0;
  testRows = 0;

  constructor(users: number, items: number) {
    this.known = new SideCounts(users, items);
    this.sampled = new SideCounts(users, items);
    this.randomized = new SideCounts(users, items);
  }
}

/** Number of rows by user, by item, and in total. */
export class SideCounts {
  readonly user: Float64Array;
  readonly item: Float64Array;
  rows = 0;

  constructor(users: number, items: number) {
    this.user = new Float64Array(users);
    this.item = new Float64Array(items);
  }

  /** Count a row. @param chance its inclusion probability, if expected rows are counted. */
  add(user: number, item: number, chance = 1): void {
    this.user[user] += chance;
    this.item[item] += chance;
    this.rows += chance;
  }
}

/** Factors of sampling weights by user and by item; a row's weight is the product of both. */
export interface PairWeights {
  readonly userSide: Float64Array;
  readonly itemSide: Float64Array;
}

/**
 * Compute sampling weights of (user, item) from the counts of the train part, as the strategy
 * defines them (`estimators/rules`): n counts pairs of the train part, m pairs of randomised
 * traffic.
 *
 * Raked weights do not use these counts; see `rakedWeights`.
 */
export function pairWeights(
  { user, item }: SideWeights,
  { known, randomized }: PairCounts,
  { smoothing, exponent }: Pick<SetPlan, 'smoothing' | 'exponent'>,
): PairWeights {
  const ones = (side: Float64Array): Float64Array => new Float64Array(side.length).fill(1);
  return {
    userSide:
      user === null
        ? ones(known.user)
        : known.user.map((n, u) => user(n, randomized.user[u], smoothing, 1)),
    itemSide:
      item === null
        ? ones(known.item)
        : known.item.map((n, i) => item(n, randomized.item[i], smoothing, exponent)),
  };
}
