import { UnskewError } from '../../../errors.js';
import type { ValueEstimate } from '../value-estimate.js';
import { type ArmFinish, armEstimates } from './arm-estimates.js';
import type { ServedLog } from './served-log.js';
import { servedCounts, shareStrata } from './share-strata.js';
import { weighArms } from './weigh-arms.js';

/** How value is estimated from arms. */
export interface ValueByArmsOptions extends Pick<ArmFinish, 'covariance' | 'mostReward'> {
  /** θ by rank: the chance that it is looked at, relative to the first place; θ_0 = 1. */
  readonly theta: ArrayLike<number>;
  /** Shares by which rewards are weighed: as they came out (by default), or as declared. */
  readonly shares?: 'empirical' | 'declared';
  /** How often each arm has to be served in a stratum: 2 by default. With 1 errors are too small. */
  readonly leastServed?: number;
}

/**
 * What the lists of each model are worth, of which one a request was served by chance.
 *
 * V(m) = Σ_q X_q / Q, X = Σ_i c θ_{r_m(i)} / P_i, P_i = Σ_a s_a θ_{r_a(i)}: the reward c of an item
 * counts as much more as m would have it looked at than the arms did. Given the lists of a request
 * only the arm is random, so models that were never served are valued too, as far as arms show
 * their items.
 *
 * **Source**: inverse propensity scoring by items under the examination hypothesis (Li et al., KDD
 * 2018, eq. 4), with the mixture of all arms as propensity (Agarwal et al., KDD 2017). Unbiased for
 * the supported part where users examine places by θ, arms are drawn by request and lists do not
 * depend on the arm. O(rows · models · arms + models · strata · arms · clusters).
 *
 * @param log see `ServedLog`: shares, ranks 0-based, rewards in any unit.
 * @returns see `armEstimates`; nothing is judged here. NaN without requests.
 * @throws UnskewError USAGE where θ does not begin with 1 or holds what is no chance ratio.
 */
export function valueByArms(log: ServedLog, options: ValueByArmsOptions): ValueEstimate[] {
  const theta = checkedTheta(options.theta);
  const isEmpirical = options.shares !== 'declared';
  const strata = shareStrata(servedCounts(log), log.shares, isEmpirical, options.leastServed);
  const sums = weighArms(log, strata, theta);
  const { models, arms } = log;
  const isPredicted = log.items.predicted !== undefined;
  return armEstimates(sums, { ...options, models, arms, isEmpirical, isPredicted });
}

/** θ as it is, if it can be one. */
export function checkedTheta(theta: ArrayLike<number>): Float64Array {
  const checked = Float64Array.from(theta);
  if (checked.length === 0 || checked[0] !== 1) {
    throw new UnskewError('USAGE', `θ must begin with 1, the first place, not ${checked[0]}`);
  }
  const wrong = checked.find((each) => !(each >= 0 && each < Number.POSITIVE_INFINITY));
  if (wrong === undefined) return checked;
  throw new UnskewError('USAGE', `θ must be numbers of at least 0, not ${wrong}`);
}
