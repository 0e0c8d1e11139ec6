import type { Measured } from '../../estimators/evidence/anchored-rule.js';
import {
  type ArmContrast,
  type ContrastRequest,
  ContrastSpread,
  ContrastSums,
} from '../../estimators/evidence/arm-contrast.js';
import { BalanceSums } from '../../estimators/evidence/balance.js';
import { firstDifference } from '../../estimators/evidence/first-difference.js';
import { effectiveSampleSize } from '../../estimators/uncertainty/effective-sample-size.js';
import type { ServedLog } from './arms/served-log.js';
import { type ShareStrata, shareStrata } from './arms/share-strata.js';
import type { Covariate } from './covariates.js';
import { type DrawOfArms, firstRequests, shareOf, usersOf } from './draw-of-arms.js';

/**
 * Difference between the users of an arm and all users in a covariate from before randomisation.
 */
export interface Imbalance {
  /** The arm whose users differ. */
  readonly model: string;
  readonly covariate: Covariate;
  /** z of the difference. */
  readonly score: number;
  /** Mean of the covariate over the arm's users, and over all users. */
  readonly own: number;
  readonly all: number;
}

/** Comparison of a model with the control, both with randomised assignment. */
export interface ArmPair extends ArmContrast {
  readonly model: string;
  /** Whether the lists of both arms are equal in every request that one of the two served. */
  readonly isAlike: boolean;
  /** Effective number of rewards, of the arm that has fewer. */
  readonly rewards: number;
  /** Mean reward per request of the control. */
  readonly reference: number;
  /** Imbalance of the less balanced of the two arms; undefined if it could not be checked. */
  readonly imbalance?: Imbalance;
  /**
   * Comparisons over the users with one value of a dimension. Only dimensions known of nearly all
   * users are used.
   */
  readonly segments: readonly ArmSegment[];
}

export interface ArmSegment {
  /** Dimension and value of the segment. */
  readonly of: readonly string[];
  readonly all: Measured;
  readonly leastUsers: number;
}

/** Options of the comparison of arms. */
interface PairOptions {
  /** Number of positions that users can see. */
  readonly places: number;
  /** Covariates to check for balance; segment covariates also define the segments. */
  readonly covariates: readonly Covariate[];
}

/**
 * Compare the rewards of the arms of an experiment with the control.
 *
 * Requests are stratified by their assignment shares (see `shareStrata`). With more than 64
 * different sets of shares they are weighted by 1 / s instead, s the probability of the served arm.
 * See `ArmContrast` for the difference and its error, which is clustered by user. O(requests · arms
 * + rows · arms).
 */
export function armPairs(
  log: ServedLog,
  { served }: DrawOfArms,
  control: string,
  { places, covariates }: PairOptions,
): ArmPair[] {
  const reference = log.arms.findIndex(({ list }) => log.models[list] === control);
  if (reference < 0) return [];
  const isByRequest = log.requests.share !== undefined;
  const strata = isByRequest ? undefined : shareStrata(served, log.shares, true);
  const segments = covariates.filter(({ kind }) => kind === 'segment');
  const rewards = effectiveRewards(log, places);
  const imbalances = covariates.map((covariate) => imbalancesOf(log, covariate));
  const found: ArmPair[] = [];
  for (const [arm, { list }] of log.arms.entries()) {
    if (arm === reference) continue;
    const pair = new PairRequests(log, arm, reference, strata);
    pair.find(places);
    const whole = pair.contrast();
    const bySegment = segments.map(({ of, x }): ArmSegment => {
      const { all, leastUsers } = pair.contrast(x);
      return {
        of,
        all,
        leastUsers,
      };
    });
    const imbalance = worst(imbalances.flatMap((own) => [own[arm], own[reference]]));
    found.push({
      ...whole,
      model: log.models[list],
      isAlike: pair.isAlike,
      rewards: Math.min(rewards[arm], rewards[reference]),
      ...(imbalance && { imbalance }),
      segments: bySegment,
    });
  }
  return found;
}

/** The requests served by one of a pair of arms, with their rewards. */
class PairRequests {
  /** Whether the lists of both arms are equal in every request of the pair. */
  isAlike = true;
  readonly #log: ServedLog;
  readonly #arm: number;
  readonly #reference: number;
  /** Strata by set of shares; undefined if requests are weighted by 1 / s. */
  readonly #strata: ShareStrata | undefined;
  /** By request: 1 if one of the two arms served it. */
  readonly #isOf: Uint8Array;
  /** By request: its reward. */
  readonly #reward: Float64Array;
  /**
   * By request: the part of its reward from the first position at which the lists of the two arms
   * differ.
   */
  readonly #below: Float64Array;
  /** By request: 1 if the lists of the two arms are equal. */
  readonly #areEqual: Uint8Array;

  constructor(log: ServedLog, arm: number, reference: number, strata: ShareStrata | undefined) {
    const { length } = log.requests;
    this.#log = log;
    this.#arm = arm;
    this.#reference = reference;
    this.#strata = strata;
    this.#isOf = new Uint8Array(length);
    this.#reward = new Float64Array(length);
    this.#below = new Float64Array(length);
    this.#areEqual = new Uint8Array(length);
  }

  /**
   * Find the requests that one of the two arms served, with their rewards.
   * @param places number of ranks that are examined.
   */
  find(places: number): void {
    const { requests, items, arms } = this.#log;
    const { arm, isListed } = requests;
    const own = items.ranks[arms[this.#arm].list];
    const other = items.ranks[arms[this.#reference].list];
    let row = 0;
    for (let q = 0; q < requests.length; q++) {
      const first = row;
      while (row < items.length && items.request[row] === q) {
        row++;
      }
      if (arm[q] !== this.#arm && arm[q] !== this.#reference) continue;
      // Lists can only be compared if all of their items are logged.
      const isWhole = isListed === undefined || isListed[q] === 1;
      const place = isWhole ? firstDifference(own, other, first, row, places) : 0;
      const served = arm[q] === this.#arm ? own : other;
      this.#isOf[q] = 1;
      if (place === Number.POSITIVE_INFINITY) {
        this.#areEqual[q] = 1;
      } else {
        this.isAlike = false;
      }
      for (let at = first; at < row; at++) {
        if (served[at] >= places) continue;
        this.#reward[q] += items.reward[at];
        if (served[at] >= place) {
          this.#below[q] += items.reward[at];
        }
      }
    }
  }

  /**
   * Compare the arm with the reference arm, and compute the mean reward of the latter.
   * @param x 1 for each request to use; all by default.
   */
  contrast(x?: ArrayLike<number>): ArmContrast & { readonly reference: number } {
    const sums = new ContrastSums(this.#strata?.count ?? 1);
    this.#each(x, (request) => sums.add(request));
    const means = sums.means();
    const spread = new ContrastSpread(means, usersOf(this.#log));
    this.#each(x, (request) => spread.add(request));
    return {
      ...spread.contrast(),
      reference: means.reference,
    };
  }

  #each(x: ArrayLike<number> | undefined, visit: (request: ContrastRequest) => void): void {
    const { length, arm, stratum, user } = this.#log.requests;
    const strata = this.#strata;
    const share = shareOf(this.#log);
    for (let q = 0; q < length; q++) {
      if (this.#isOf[q] === 0 || (x !== undefined && x[q] !== 1)) continue;
      visit({
        stratum: strata === undefined ? 0 : strata.of[stratum[q]],
        side: arm[q] === this.#arm ? 1 : 0,
        weight: strata === undefined ? 1 / share(q, arm[q]) : 1,
        user: user![q],
        reward: this.#reward[q],
        below: this.#below[q],
        isAlike: this.#areEqual[q] === 1,
      });
    }
  }
}

/** Effective number of rewards of each arm's served lists. */
function effectiveRewards({ requests, items, arms }: ServedLog, places: number): number[] {
  const sums = new Float64Array(arms.length);
  const squares = new Float64Array(arms.length);
  for (let row = 0; row < items.length; row++) {
    const reward = items.reward[row];
    if (reward === 0) continue;
    const arm = requests.arm[items.request[row]];
    if (items.ranks[arms[arm].list][row] >= places) continue;
    sums[arm] += reward;
    squares[arm] += reward * reward;
  }
  return arms.map((_, a) => effectiveSampleSize(sums[a], squares[a]));
}

/**
 * For each arm: imbalance of a covariate, from the first request of each user. Undefined if it
 * cannot be checked.
 */
function imbalancesOf(log: ServedLog, covariate: Covariate): (Imbalance | undefined)[] {
  const { x } = covariate;
  const { length, arm } = log.requests;
  const share = shareOf(log);
  const isFirst = firstRequests(log);
  const arms = log.arms.map(({ list }) => ({
    model: log.models[list],
    sums: new BalanceSums(),
    users: 0,
    total: 0,
  }));
  for (let q = 0; q < length; q++) {
    if (isFirst[q] === 0 || Number.isNaN(x[q])) continue;
    for (const [a, { sums }] of arms.entries()) {
      sums.add(x[q], (arm[q] === a ? 1 : 0) - share(q, a));
    }
    arms[arm[q]].users++;
    arms[arm[q]].total += x[q];
  }
  return arms.map(({ model, sums, users, total }): Imbalance | undefined => {
    const { score, mean: all } = sums;
    if (Number.isNaN(score)) return undefined;
    return {
      model,
      covariate,
      score,
      own: total / users,
      all,
    };
  });
}

function worst(of: readonly (Imbalance | undefined)[]): Imbalance | undefined {
  const known = of.filter((each) => each !== undefined);
  if (known.length === 0) return undefined;
  return known.reduce((one, other) => (Math.abs(other.score) > Math.abs(one.score) ? other : one));
}
