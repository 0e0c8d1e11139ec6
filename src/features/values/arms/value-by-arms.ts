import { UnskewError } from '../../../errors.js';
import type { SquareMatrix } from '../../../estimators/mathematics/cholesky.js';
import { SHARE_ROUNDING } from '../../../state/requests/pane-requests.js';
import { clickPairs, designEffect } from '../arm-checks.js';
import { judgeArms } from '../judge-arms.js';
import { type JudgedValue, judgedValue } from '../judged-value.js';
import { ownDesignEffect, ownShareRatio } from '../own-share-ratio.js';
import { type SampleRatioTest, sampleRatioTest } from '../sample-ratio.js';
import { type ArmFinish, armEstimates } from './arm-estimates.js';
import type { ArmSums } from './arm-sums.js';
import { checkLog } from './check-log.js';
import { type OwnShareSums, sumOwnShares } from './own-shares.js';
import type { ServedLog } from './served-log.js';
import { servedCounts, strataOfLog } from './share-strata.js';
import { weighArms } from './weigh-arms.js';

/** Options of value estimation from arms. */
export interface ValueByArmsOptions extends Pick<ArmFinish, 'covariance' | 'mostReward'> {
  /** θ by rank: examination probability relative to the first position; θ_0 = 1. */
  readonly theta: ArrayLike<number>;
  /** Shares that weight rewards: empirical (by default) or declared. Requests' own shares are always declared. */
  readonly shares?: 'empirical' | 'declared';
  /** Least number of requests of each arm in a stratum: 2 by default. With 1 errors are too small. */
  readonly leastServed?: number;
  /** Share of requests with complete lists; the others are not in the log. 1 by default. */
  readonly complete?: number;
  /** Unit of randomisation: request (by default) or user. */
  readonly unit?: 'request' | 'user';
  /** The test of the served split against the shares, if it was already computed. */
  readonly ratio?: SampleRatioTest;
  /** Whether objections to estimates are checked; true by default. */
  readonly isJudged?: boolean;
}

/**
 * Estimate the value of each model's lists, from requests that were each served the list of a
 * randomly chosen arm.
 *
 * V(m) = Σ_q X_q / Q, X = Σ_i c θ_{r_m(i)} / P_i, P_i = Σ_a s_a θ_{r_a(i)}: a reward c counts by
 * how much more likely the item is examined in m than in the arms. Only the arm is random, so
 * shadow models have a value too, as far as the served lists overlap with theirs. A request with
 * its own shares is weighted by these; on policy, an arm is then the mean over its requests
 * weighted by 1 / s (`ownOnPolicy`).
 *
 * **Source**: inverse propensity scoring by items under the examination hypothesis (Li et al., KDD
 * 2018, eq. 4), with the mixture of all arms as propensity (Agarwal et al., KDD 2017). Unbiased for
 * the supported part if users examine positions by θ, arms are drawn by request and lists do not
 * depend on the arm. O(rows · models · arms + models · strata · arms · clusters).
 *
 * @param log see `ServedLog`: shares, ranks 0-based, rewards in any unit.
 * @returns see `armEstimates`, with the objections to each; refused values are NaN, and without
 * requests all values are.
 * @throws UnskewError USAGE if θ does not begin with 1 or contains invalid values, and for
 * inconsistent columns.
 * @example
 * // two requests: a and b are in one list each, both are clicked
 * const requests = { length: 2, arm: [0, 1], stratum: [0, 0], cluster: [0, 1] };
 * const ranks = [[0, 65535, 0, 65535], [65535, 0, 65535, 0]];
 * const items = { length: 4, request: [0, 0, 1, 1], reward: [1, 0, 0, 1], ranks };
 * const arms = [{ list: 0 }, { list: 1 }];
 * const log = { models: ['a', 'b'], arms, shares: [[0.5, 0.5]], clusters: 2, requests, items };
 * valueByArms(log, { theta: [1], isJudged: false }).map(({ value }) => value); // [1, 1, 1, 1, 1, 1]
 */
export function valueByArms(log: ServedLog, options: ValueByArmsOptions): JudgedValue[] {
  checkLog(log, checkedTheta(options.theta).length);
  return valuesOfLog(log, options).values;
}

/** Values from a log, with the test of the served split and the pairs of clicks in a request. */
export interface LogValues {
  readonly values: JudgedValue[];
  readonly sampleRatio: SampleRatioTest;
  readonly clickPairs: {
    readonly observed: number;
    readonly expected: number;
  };
}

/**
 * Estimate values from a log with consistent columns, and test the served split against the shares.
 */
export function valuesOfLog(log: ServedLog, options: ValueByArmsOptions): LogValues {
  const theta = checkedTheta(options.theta);
  const { covariance, complete = 1, unit = 'request' } = options;
  const { models, arms } = log;
  const { share } = log.requests;
  const strata = strataOfLog(log, options.shares !== 'declared', options.leastServed);
  const sums = weighArms(log, strata, theta, covariance !== undefined);
  const own = share && sumOwnShares(log, share, theta.length);
  const finish = {
    ...options,
    models,
    arms,
    isEmpirical: strata.isEmpirical,
    isPredicted: log.items.predicted !== undefined,
    ...(own && { own }),
  };
  const estimates = armEstimates(sums, finish);
  const sampleRatio = own ? ofOwn(own, unit) : (options.ratio ?? ofStrata(log, sums, unit));
  const known = {
    sampleRatio,
    clickPairs: clickPairs(sums),
  };
  if (options.isJudged === false) {
    return {
      values: estimates.map((each) => judgedValue(each, [])),
      ...known,
    };
  }
  const facts = {
    complete,
    ratio: sampleRatio,
    withoutShares: own?.partial ?? log.shares.filter((each) => !isWhole(each)).length,
    unit,
    examinationStdErr: largestStdErr(theta.length, covariance),
  };
  return {
    values: judgeArms(estimates, sums, finish, facts),
    ...known,
  };
}

type Unit = 'request' | 'user';

function ofStrata(log: ServedLog, sums: ArmSums, unit: Unit): SampleRatioTest {
  const served = servedCounts(log);
  return sampleRatioTest(served, log.shares, unit === 'user' ? designEffect(sums) : 1);
}

function ofOwn(own: OwnShareSums, unit: Unit): SampleRatioTest {
  return ownShareRatio(own, unit === 'user' ? ownDesignEffect(own) : undefined);
}

/** Whether shares of all arms sum to 1. */
function isWhole(shares: ArrayLike<number>): boolean {
  const own = Array.from(shares);
  const sum = own.reduce((total, each) => total + each, 0);
  return own.every((each) => each >= 0) && Math.abs(sum - 1) <= SHARE_ROUNDING;
}

/** Largest standard error of log θ; 0 if θ is known. */
function largestStdErr(ranks: number, covariance?: SquareMatrix): number {
  if (covariance === undefined) return 0;
  const variances = Array.from(
    { length: ranks },
    (_, k) => covariance.values[k * covariance.size + k],
  );
  return Math.sqrt(Math.max(...variances));
}

/** θ as an array, after validation. */
export function checkedTheta(theta: ArrayLike<number>): Float64Array {
  const checked = Float64Array.from(theta);
  if (checked.length === 0 || checked[0] !== 1) {
    throw new UnskewError(
      'USAGE',
      `θ must begin with 1 for the first position, not with ${checked[0]}`,
    );
  }
  const wrong = checked.find((each) => !(each >= 0 && each < Number.POSITIVE_INFINITY));
  if (wrong === undefined) return checked;
  throw new UnskewError('USAGE', `θ must be numbers of at least 0, not ${wrong}`);
}
