import type { SquareMatrix } from '../../../mathematics/cholesky.js';
import { type Influences, standardError } from '../influences.js';
import { logTInterval } from '../log-t-interval.js';
import type { ValueEstimate, ValueEstimatorName } from '../value-estimate.js';
import { armsDr, armsIps, armsSnips } from './arm-forms.js';
import { armOnPolicy } from './arm-on-policy.js';
import type { ArmSums } from './arm-sums.js';
import { ownOnPolicy } from './own-on-policy.js';
import type { OwnShareSums } from './own-shares.js';
import type { Arm } from './served-log.js';

const ROUNDING = 1e-12;

/** What sums are finished with. */
export interface ArmFinish {
  /** Names of the columns of ranks, and the arms among them. */
  readonly models: readonly string[];
  readonly arms: readonly Arm[];
  /** Whether rewards were weighed by empirical shares. */
  readonly isEmpirical: boolean;
  /** Where each request has shares of its own, what is known of arms by them. */
  readonly own?: OwnShareSums;
  /** Whether rewards were predicted: then `arms_dr` is given. */
  readonly isPredicted: boolean;
  /** Covariance of log θ, by rank; none where θ is known. */
  readonly covariance?: SquareMatrix;
  /** ρ_max: no item is worth more where it is looked at. Without it there is no upper bound. */
  readonly mostReward?: number;
}

/**
 * What each model's lists are worth, from the sums over all requests.
 *
 * By model, in the order of the columns: `on_policy` for an arm that was served, then `arms_ips`,
 * `arms_snips` and, with predicted rewards, `arms_dr`; lists drawn at random have `on_policy` only.
 * With lists drawn at random as the only arm the forms are named `uniform_ips` and `uniform_snips`.
 * O(models · cells).
 */
export function armEstimates(sums: ArmSums, finish: ArmFinish): ValueEstimate[] {
  const { arms, models, isEmpirical, isPredicted, own } = finish;
  const source = arms.every(({ isUniform }) => isUniform === true) ? 'uniform' : 'arms';
  return models.flatMap((model, m) => {
    const estimates: ValueEstimate[] = [];
    const arm = arms.findIndex(({ list }) => list === m);
    if (arm >= 0) {
      const influences = own ? ownOnPolicy(own, arm, sums.shape.ranks) : armOnPolicy(sums, arm);
      const requests = servedRequests(sums, arm);
      const whole = { coverage: 1, bound: influences.value, requests };
      if (requests > 0) estimates.push(estimateOf(model, 'on_policy', influences, whole));
      if (arms[arm].isUniform === true) return estimates;
    }
    const support = supportOf(sums, m, finish);
    const add = (form: ValueEstimatorName, influences: Influences) =>
      estimates.push(estimateOf(model, form, influences, support, finish.covariance));
    add(`${source}_ips`, armsIps(sums, m, isEmpirical));
    add(`${source}_snips`, armsSnips(sums, m));
    if (isPredicted && source === 'arms') add('arms_dr', armsDr(sums, m, isEmpirical));
    return estimates;
  });
}

function servedRequests(sums: ArmSums, arm: number): number {
  const { arms, clusters } = sums.shape;
  let requests = 0;
  for (let cell = 0; cell < sums.cells; cell++) {
    if (Math.floor(cell / clusters) % arms === arm) requests += sums.requests[cell];
  }
  return requests;
}

interface Support {
  readonly requests: number;
  readonly coverage: number;
  /** What the upper bound adds to the value; NaN without one. */
  readonly unseen?: number;
  readonly bound?: number;
}

function supportOf(sums: ArmSums, m: number, { mostReward }: ArmFinish): Support {
  const requests = sums.requests.reduce((total, each) => total + each, 0);
  const supported = sums.target
    .subarray(m * sums.cells, (m + 1) * sums.cells)
    .reduce((total, each) => total + each, 0);
  const unsupported = sums.listed[m] - supported;
  // Sums of the same numbers, in another order.
  const isWhole = unsupported <= ROUNDING * sums.listed[m];
  const listed = sums.listedRequests.reduce((total, each) => total + each, 0);
  const unseen = isWhole ? 0 : ((mostReward ?? Number.NaN) * unsupported) / listed;
  return { requests, coverage: Math.min(1, supported / sums.listed[m]), unseen };
}

function estimateOf(
  model: string,
  estimator: ValueEstimatorName,
  influences: Influences,
  { requests, coverage, unseen, bound }: Support,
  covariance?: SquareMatrix,
): ValueEstimate {
  const stdErr = standardError(influences, covariance);
  const [lower, upper] = logTInterval(influences.value, stdErr, influences.ess);
  return {
    ...influences,
    ...{ model, estimator, stdErr, lower, upper, requests, coverage },
    bound: bound ?? influences.value + (unseen ?? Number.NaN),
  };
}
