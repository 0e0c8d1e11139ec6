import type { SquareMatrix } from '../../../estimators/mathematics/cholesky.js';
import { logTInterval, signedInterval } from '../../../estimators/uncertainty/log-t-interval.js';
import { type Influences, standardError } from '../influences.js';
import { judgeLists } from '../judge-lists.js';
import { type JudgedValue, judgedValue } from '../judged-value.js';
import { reason } from '../reasons.js';
import type { ValueEstimate, ValueEstimatorName } from '../value-estimate.js';
import type { ItemForm, ItemSlopes } from './item-slopes.js';
import {
  loggedDr,
  loggedDros,
  loggedIps,
  loggedItemSnips,
  loggedSelfNormalisedDr,
  loggedSnips,
} from './logged-forms.js';
import {
  checkLists,
  type LoggedLists,
  type PropensityOf,
  type TargetedLists,
} from './logged-lists.js';
import type { LoggedSums, LoggedUnit } from './logged-sums.js';
import { type LoggedWeights, weighLists } from './weigh-lists.js';

/** Options of value estimation from logged propensities. */
export interface ValueByPropensitiesOptions extends LoggedWeights {
  /** Whether `dr` is self-normalised, that is, divided by the sum of weights; false by default. */
  readonly isSelfNormalised?: boolean;
  /** Whether objections to estimates are checked; true by default. */
  readonly isJudged?: boolean;
}

/** Units of weights that each kind of propensity supports. */
export const LOGGED_UNITS: Readonly<Record<PropensityOf, readonly LoggedUnit[]>> = {
  slot: ['slot'],
  conditional: ['prefix', 'list'],
  item: ['item'],
};

/**
 * Estimate the value of a target's lists from lists that a stochastic logger drew.
 *
 * V = Σ_q Σ_k w_qk c_qk / Q, w by slot (IIPS), by prefix (RIPS; doubly robust: cascade-DR), by
 * whole list (SIPS) or by item; see `weighLists`. Weights by whole list assume nothing, but need the
 * most requests. Weights by prefix assume that users go from the top down. Weights by slot or item
 * assume that users click each position independently. The propensities determine the units: slot,
 * or prefix and list, or item; `dr` needs predicted rewards, `dros` also a shrinkage. Predictions
 * alone are never reported.
 *
 * **Source**: SIPS, IIPS: Li et al., KDD 2018; RIPS: McInerney et al., KDD 2020; cascade-DR:
 * Kiyohara et al., WSDM 2022; DRos: Su et al., ICML 2020. O(rows).
 *
 * @param model name of the target. @param log see `LoggedLists`.
 * @returns ips, snips, dr and dros by unit, with the objections to each; NaN if it is refused.
 * @throws UnskewError USAGE for inconsistent columns, positions out of order, propensities that are
 * not above 0, and items without θ.
 * @example
 * const one = { requests: 2, cluster: [0, 1], clusters: 2, places: 1, length: 2, request: [0, 1] };
 * const shown = { rank: [0, 0], reward: [1, 0], propensity: [0.5, 0.5], target: [1, 0] };
 * const log = { ...one, ...shown, propensityOf: 'slot' };
 * valueByPropensities('S', log, { isJudged: false })[0].value; // 1
 */
export function valueByPropensities(
  model: string,
  log: LoggedLists,
  options: ValueByPropensitiesOptions = {},
): JudgedValue[] {
  checkLists(log);
  return LOGGED_UNITS[log.propensityOf].flatMap((unit) => {
    const { target } = log;
    // The target defaults to the logger, which gives names and requests of refused values.
    const targeted: TargetedLists = {
      ...log,
      target: target ?? log.propensity,
    };
    const sums = weighLists(targeted, unit, options);
    const estimates = loggedEstimates(model, unit, sums, {
      ...options,
      requests: log.requests,
      isPredicted: log.predicted !== undefined,
      ...(log.theta !== undefined && { theta: log.theta }),
    });
    if (target === undefined) {
      const unknown = reason('target_unknown', 'refused', {});
      return estimates.map((each) =>
        judgedValue(
          {
            ...each,
            ess: Number.NaN,
          },
          [unknown],
        ),
      );
    }
    if (options.isJudged === false) return estimates.map((each) => judgedValue(each, []));
    const theta = log.propensityOf === 'item' ? log.theta : undefined;
    return judgeLists(estimates, sums, {
      theta,
      shrinkage: options.shrinkage,
    });
  });
}

/** Additional inputs for estimates from the sums. */
export interface LoggedFinish extends Pick<ValueByPropensitiesOptions, 'isSelfNormalised'> {
  /** λ of `dros`, which needs it. */
  readonly shrinkage?: number | undefined;
  /** Number of requests in the sums. */
  readonly requests: number;
  /** θ by rank; for `item` propensities only. */
  readonly theta?: ArrayLike<number> | undefined;
  /**
   * Covariance of log θ, and derivatives of the sums by log θ; for `item` propensities with an
   * estimated θ only.
   */
  readonly covariance?: SquareMatrix | undefined;
  readonly slopes?: ItemSlopes | undefined;
  /** Whether rewards were predicted, so that `dr` is available. */
  readonly isPredicted?: boolean;
}

/** Estimate a target's value from the sums over all requests, in all forms of one unit. */
export function loggedEstimates(
  model: string,
  unit: LoggedUnit,
  sums: LoggedSums,
  finish: LoggedFinish,
): ValueEstimate[] {
  const { requests, theta, isPredicted = false, shrinkage, isSelfNormalised } = finish;
  const { slopes, covariance } = finish;
  const of = (estimator: ValueEstimatorName, form: ItemForm, found: Influences): ValueEstimate => {
    const byRank = covariance && slopes?.of(form, found.value, sums);
    const influences =
      byRank === undefined
        ? found
        : {
            ...found,
            byRank,
          };
    const stdErr = standardError(influences, covariance);
    const interval = sums.lossSum > 0 ? signedInterval : logTInterval;
    const [lower, upper] = interval(influences.value, stdErr, influences.ess);
    const whole = {
      requests,
      coverage: 1,
      unseen: 0,
      bound: influences.value,
    };
    return {
      ...influences,
      model,
      estimator,
      stdErr,
      lower,
      upper,
      ...whole,
    };
  };
  const isItem = unit === 'item' && theta !== undefined;
  const estimates = [
    of(`logged_${unit}_ips`, 'weighted', loggedIps(sums)),
    of(
      `logged_${unit}_snips`,
      'normalised',
      isItem ? loggedItemSnips(sums, theta) : loggedSnips(sums),
    ),
  ];
  if (!isPredicted) return estimates;
  const dr = isSelfNormalised === true ? loggedSelfNormalisedDr(sums) : loggedDr(sums);
  estimates.push(of(`logged_${unit}_dr`, 'doubly', dr));
  if (shrinkage !== undefined) {
    estimates.push(of(`logged_${unit}_dros`, 'shrunk', loggedDros(sums)));
  }
  return estimates;
}
