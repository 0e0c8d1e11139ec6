import type { SquareMatrix } from '../../../estimators/mathematics/cholesky.js';
import { effectiveSampleSize } from '../../../estimators/uncertainty/effective-sample-size.js';
import { logTInterval, signedInterval } from '../../../estimators/uncertainty/log-t-interval.js';
import { type Influences, standardError } from '../influences.js';
import type { ValueEstimate, ValueEstimatorName } from '../value-estimate.js';
import { armsDr, armsIps, armsSnips } from './arm-forms.js';
import type { ArmSums } from './arm-sums.js';
import { clusterFactor } from './cell-means.js';
import { ownOnPolicy } from './own-on-policy.js';
import type { OwnShareSums } from './own-shares.js';
import type { Arm } from './served-log.js';

const ROUNDING = 1e-12;

/** Additional inputs for estimates from arm sums. */
export interface ArmFinish {
  /** By column of ranks: name of the model. */
  readonly models: readonly string[];
  readonly arms: readonly Arm[];
  /**
   * Whether requests are weighted by the observed shares of the arms; false if by declared shares.
   */
  readonly isEmpirical: boolean;
  /** Sums by arm, if each request has its own shares. */
  readonly own?: OwnShareSums;
  /** Whether rewards were predicted, so that `arms_dr` is available. */
  readonly isPredicted: boolean;
  /** Covariance of log θ, by rank; undefined if θ is known. */
  readonly covariance?: SquareMatrix;
  /** ρ_max, the largest reward of an examined item. Without it there is no upper bound. */
  readonly mostReward?: number;
}

/**
 * Estimate the reward per request of each model's lists, from the sums over all requests.
 *
 * By model, in the order of the columns: `on_policy` for an arm that was served, then `arms_ips`,
 * `arms_snips` and, with predicted rewards, `arms_dr`; randomised lists have `on_policy` only. With
 * randomised lists as the only arm the forms are named `uniform_ips` and `uniform_snips`. O(models
 * · cells).
 */
export function armEstimates(sums: ArmSums, finish: ArmFinish): ValueEstimate[] {
  const { arms, models, isEmpirical, isPredicted, own } = finish;
  const source = arms.every(({ isUniform }) => isUniform === true) ? 'uniform' : 'arms';
  const hasLosses = sums.lossSums.some((loss) => loss > 0);
  return models.flatMap((model, m) => {
    const estimates: ValueEstimate[] = [];
    const arm = arms.findIndex(({ list }) => list === m);
    if (arm >= 0) {
      const influences = own ? ownOnPolicy(own, arm, sums.shape.ranks) : armOnPolicy(sums, arm);
      const requests = servedRequests(sums, arm);
      const whole = {
        model,
        coverage: 1,
        unseen: 0,
        above: 0,
        requests,
        hasLosses,
      };
      if (requests > 0) {
        estimates.push(estimateOf('on_policy', influences, whole));
      }
      if (arms[arm].isUniform === true) return estimates;
    }
    const support = {
      ...supportOf(sums, m, finish),
      model,
      hasLosses,
    };
    const add = (form: ValueEstimatorName, influences: Influences) =>
      estimates.push(estimateOf(form, influences, support, finish.covariance));
    add(`${source}_ips`, armsIps(sums, m, isEmpirical));
    add(`${source}_snips`, armsSnips(sums, m));
    if (isPredicted && source === 'arms') {
      add('arms_dr', armsDr(sums, m, isEmpirical));
    }
    return estimates;
  });
}

function servedRequests(sums: ArmSums, arm: number): number {
  const { arms, clusters } = sums.shape;
  let requests = 0;
  for (let cell = 0; cell < sums.cells; cell++) {
    if (Math.floor(cell / clusters) % arms === arm) {
      requests += sums.requests[cell];
    }
  }
  return requests;
}

interface Support {
  readonly model: string;
  readonly requests: number;
  readonly coverage: number;
  readonly unseen: number;
  /**
   * Largest reward per request that the items no arm shows can add; NaN if no largest reward is
   * configured.
   */
  readonly above: number;
  /** Whether some rewards are below 0. */
  readonly hasLosses: boolean;
}

function supportOf(
  sums: ArmSums,
  m: number,
  { mostReward }: ArmFinish,
): Omit<Support, 'model' | 'hasLosses'> {
  const requests = sums.requests.reduce((total, each) => total + each, 0);
  const supported = sums.target
    .subarray(m * sums.cells, (m + 1) * sums.cells)
    .reduce((total, each) => total + each, 0);
  const unsupported = sums.listed[m] - supported;
  // Both are sums of the same numbers in different orders, so allow for rounding.
  const isWhole = unsupported <= ROUNDING * sums.listed[m];
  const listed = sums.listedRequests.reduce((total, each) => total + each, 0);
  const unseen = isWhole ? 0 : unsupported / listed;
  const above = isWhole ? 0 : (mostReward ?? Number.NaN) * unseen;
  return {
    requests,
    coverage: Math.min(1, supported / sums.listed[m]),
    unseen,
    above,
  };
}

function estimateOf(
  estimator: ValueEstimatorName,
  influences: Influences,
  { model, requests, coverage, unseen, above, hasLosses }: Support,
  covariance?: SquareMatrix,
): ValueEstimate {
  const stdErr = standardError(influences, covariance);
  const interval = hasLosses ? signedInterval : logTInterval;
  const [lower, upper] = interval(influences.value, stdErr, influences.ess);
  return {
    ...influences,
    model,
    estimator,
    stdErr,
    lower,
    upper,
    requests,
    coverage,
    unseen,
    bound: influences.value + above,
  };
}

/**
 * Mean reward of an arm's own requests. It uses neither examination nor the lists of other arms.
 *
 * V = Σ_t (Q_t / Q) c̄_ta over the strata t in which the arm a was served, Q their requests, c̄_ta
 * the mean reward of a's requests in t. e = 1{a} (c − c̄_ta) Q_t / Q_ta, variance U / (U − 1)
 * Σ_u (Σ_{q∈u} e)² / Q², with U clusters served by a.
 *
 * @returns a value of NaN if the arm was never served.
 */
export function armOnPolicy(sums: ArmSums, arm: number): Influences {
  const { strata, arms, clusters, ranks } = sums.shape;
  const byCluster = new Float64Array(clusters);
  const servedOf = new Float64Array(clusters);
  let all = 0;
  let value = 0;
  let gained = 0;
  let squares = 0;
  for (let t = 0; t < strata; t++) {
    const at = t * arms + arm;
    const own = total(sums.requests, at * clusters, clusters);
    if (own === 0) continue;
    const requests = total(sums.requests, t * arms * clusters, arms * clusters);
    const mean = total(sums.reward, at * clusters, clusters) / own;
    const weight = requests / own;
    all += requests;
    value += requests * mean;
    gained += weight * sums.rewardSums[at];
    squares += weight * weight * sums.rewardSquares[at];
    for (let u = 0; u < clusters; u++) {
      const cell = at * clusters + u;
      servedOf[u] += sums.requests[cell];
      byCluster[u] += weight * (sums.reward[cell] - sums.requests[cell] * mean);
    }
  }
  const scale = Math.sqrt(clusterFactor(servedOf)) / all;
  return {
    value: value / all,
    byCluster: byCluster.map((each) => each * scale),
    byRank: new Float64Array(ranks),
    ess: effectiveSampleSize(gained, squares),
  };
}

function total(column: Float64Array, from: number, length: number): number {
  let sum = 0;
  for (let i = from; i < from + length; i++) {
    sum += column[i];
  }
  return sum;
}
