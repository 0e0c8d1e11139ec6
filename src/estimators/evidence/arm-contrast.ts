import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import type { Measured } from './anchored-rule.js';

/** A request served by one of the two arms. */
export interface ContrastRequest {
  readonly stratum: number;
  /** 1 for the model, 0 for its reference. */
  readonly side: 0 | 1;
  /**
   * 1 if requests are stratified by assignment shares; otherwise 1 / s, s the serving arm's share.
   */
  readonly weight: number;
  /** Index of the user. */
  readonly user: number;
  readonly reward: number;
  /** Reward of the items at and below the first position where the lists of both arms differ. */
  readonly below: number;
  /** Whether both arms have the same list for this request. */
  readonly isAlike: boolean;
}

/**
 * Part of the reward that a difference refers to. `all`: the whole reward; `below`: of items at and
 * below the first position where the lists of both arms differ; `above`: of items above it;
 * `alike`: the whole reward, over requests with equal lists only.
 */
export type RewardPart = 'all' | 'below' | 'above' | 'alike';

/**
 * Sums over the requests of a stratum that one arm served. `weight` is Σ w over all of them,
 * `alike` is Σ w over those for which both arms have the same list, and `rewards` is Σ w c for each
 * part c of the reward.
 */
interface SideSums {
  weight: number;
  alike: number;
  readonly rewards: Record<RewardPart, number>;
}

/**
 * Difference D in reward c per request between two arms a and b, from the requests that they
 * served:
 *
 *   D = Σ_t (Q_t / Q) (c̄_tb − c̄_ta),   e = ± (c − c̄_ta) Q_t / Q_ta
 *   ψ_u = Σ_{q∈u} e / Q,   se² = U / (U − 1) · Σ_u ψ_u²,   ν = (Σ_u ψ_u²)² / Σ_u ψ_u⁴
 *
 * A stratum t contains the requests with equal assignment shares; strata in which only one arm was
 * served are left out. Q is the number of requests in the other strata, Q_t in stratum t, and Q_ta
 * of arm a in stratum t. A request has the residual e from the mean of its arm; ν are the degrees
 * of freedom, and U is the number of users with requests in these strata. If every request has its
 * own shares, there is one stratum and requests are weighted by 1 / s. Source: Hájek; ν after
 * Satterthwaite. Two passes: first the means, then each user's contribution ψ_u to the error.
 */
export class ContrastSums {
  readonly #strata: readonly (readonly [other: SideSums, own: SideSums])[];

  constructor(strata: number) {
    this.#strata = Array.from({ length: strata }, () => [noRequests(), noRequests()]);
  }

  add({ stratum, side, weight, reward, below, isAlike }: ContrastRequest): void {
    const sums = this.#strata[stratum][side];
    sums.weight += weight;
    sums.rewards.all += weight * reward;
    sums.rewards.below += weight * below;
    sums.rewards.above += weight * (reward - below);
    if (!isAlike) return;
    sums.alike += weight;
    sums.rewards.alike += weight * reward;
  }

  means(): ContrastMeans {
    return new ContrastMeans(this.#strata);
  }
}

function noRequests(): SideSums {
  return {
    weight: 0,
    alike: 0,
    rewards: {
      all: 0,
      below: 0,
      above: 0,
      alike: 0,
    },
  };
}

/**
 * Means of one part of the reward by stratum and arm (`means`), and the factors by which a
 * request's deviation from its mean enters D (`scales`). Means and factors are 0 for strata that
 * are left out.
 */
class PartMeans {
  /** D, the difference of means. */
  readonly value: number;
  readonly means: Float64Array;
  readonly scales: Float64Array;

  constructor(strata: readonly (readonly [SideSums, SideSums])[], part: RewardPart) {
    const weightOf = (sums: SideSums) => (part === 'alike' ? sums.alike : sums.weight);
    this.means = new Float64Array(2 * strata.length);
    this.scales = new Float64Array(2 * strata.length);
    const isServed = strata.map((sides) => sides.every((sums) => weightOf(sums) > 0));
    let all = 0;
    for (const [t, [other, own]] of strata.entries()) {
      if (isServed[t]) {
        all += weightOf(other) + weightOf(own);
      }
    }
    let value = all > 0 ? 0 : Number.NaN;
    for (const [t, sides] of strata.entries()) {
      if (!isServed[t]) continue;
      const share = (weightOf(sides[0]) + weightOf(sides[1])) / all;
      for (const [side, sums] of sides.entries()) {
        const at = 2 * t + side;
        const sign = side === 1 ? 1 : -1;
        this.means[at] = sums.rewards[part] / weightOf(sums);
        this.scales[at] = (sign * share) / weightOf(sums);
        value += sign * share * this.means[at];
      }
    }
    this.value = value;
  }

  /** Contribution of a request to its user's ψ; 0 if its stratum is left out. */
  influence(at: number, weight: number, reward: number): number {
    return this.scales[at] * weight * (reward - this.means[at]);
  }
}

/** Mean rewards of a pair of arms and their differences, for each part of the reward. */
export class ContrastMeans {
  readonly parts: Readonly<Record<RewardPart, PartMeans>>;
  /** Mean reward per request of the reference, over the strata in use. */
  readonly reference: number;

  constructor(strata: readonly (readonly [SideSums, SideSums])[]) {
    this.parts = {
      all: new PartMeans(strata, 'all'),
      below: new PartMeans(strata, 'below'),
      above: new PartMeans(strata, 'above'),
      alike: new PartMeans(strata, 'alike'),
    };
    const { means, scales } = this.parts.all;
    let earned = 0;
    let all = 0;
    for (const [t, [other, own]] of strata.entries()) {
      if (scales[2 * t] === 0 || other.weight === 0) continue;
      const weight = other.weight + own.weight;
      all += weight;
      earned += weight * means[2 * t];
    }
    this.reference = earned / all;
  }
}

/** Second pass over the requests: sums each user's contribution ψ to the standard errors. */
export class ContrastSpread {
  readonly #means: ContrastMeans;
  readonly #psi: Readonly<Record<RewardPart, Float64Array>>;
  /**
   * Requests by user: number that the reference served (`#other`) and number that the model served
   * (`#own`).
   */
  readonly #other: Float64Array;
  readonly #own: Float64Array;
  readonly #isAlike: Uint8Array;

  constructor(means: ContrastMeans, users: number) {
    const column = () => new Float64Array(users);
    this.#means = means;
    this.#psi = {
      all: column(),
      below: column(),
      above: column(),
      alike: column(),
    };
    this.#other = column();
    this.#own = column();
    this.#isAlike = new Uint8Array(users);
  }

  add({ stratum, side, weight, user, reward, below, isAlike }: ContrastRequest): void {
    const at = 2 * stratum + side;
    const { parts } = this.#means;
    this.#psi.all[user] += parts.all.influence(at, weight, reward);
    this.#psi.below[user] += parts.below.influence(at, weight, below);
    this.#psi.above[user] += parts.above.influence(at, weight, reward - below);
    (side === 0 ? this.#other : this.#own)[user]++;
    if (!isAlike) return;
    this.#psi.alike[user] += parts.alike.influence(at, weight, reward);
    this.#isAlike[user] = 1;
  }

  /** Differences between the two arms with their standard errors. */
  contrast(): ArmContrast {
    const requests = this.#own.map((own, u) => own + this.#other[u]);
    const users = effectiveUsers(requests);
    const measured = (part: RewardPart): Measured => {
      const isIn = (u: number) => requests[u] > 0 && (part !== 'alike' || this.#isAlike[u] === 1);
      const { count, squares, fourths } = spreadOf(this.#psi[part].filter((_, u) => isIn(u)));
      const stdErr = count > 1 ? Math.sqrt((count / (count - 1)) * squares) : Number.NaN;
      const effective = fourths > 0 ? (squares * squares) / fourths : 1;
      const freedom = Math.max(1, Math.min(users, effective));
      return {
        value: this.#means.parts[part].value,
        stdErr,
        freedom,
      };
    };
    return {
      all: measured('all'),
      below: measured('below'),
      above: measured('above'),
      alike: measured('alike'),
      users,
      leastUsers: Math.min(effectiveUsers(this.#other), effectiveUsers(this.#own)),
    };
  }
}

/** Number of users U, Σψ² and Σψ⁴. */
function spreadOf(psi: Float64Array) {
  let squares = 0;
  let fourths = 0;
  for (const own of psi) {
    const square = own ** 2;
    squares += square;
    fourths += square * square;
  }
  return {
    count: psi.length,
    squares,
    fourths,
  };
}

/** Kish effective number of users, each weighted by the user's requests. */
function effectiveUsers(requests: Float64Array): number {
  let sum = 0;
  let squares = 0;
  for (const own of requests) {
    sum += own;
    squares += own * own;
  }
  return effectiveSampleSize(sum, squares);
}

/** Difference between two arms in each part of the reward, with its standard error. */
export interface ArmContrast extends Readonly<Record<RewardPart, Measured>> {
  /**
   * Effective number of users: of both arms together (`users`), and of the arm with fewer
   * (`leastUsers`).
   */
  readonly users: number;
  readonly leastUsers: number;
}
