import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { PROPENSITY_KINDS } from '../../events/field.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { type KindRun, runOf } from '../../state/requests/request-kinds.js';
import type { PairEvidence } from '../evidence.js';
import { valuesOfLog } from './arms/value-by-arms.js';
import { stopping } from './judge-arms.js';
import { judgeLists } from './judge-lists.js';
import { type JudgedValue, judgedValue, refusedValue } from './judged-value.js';
import type { KeptExamination } from './kept-examination.js';
import { LEAST_COMPLETE, MOST_EXAMINATION_ERROR, MOST_PENDING } from './limits.js';
import type { Target } from './logged/expected-gains.js';
import type { PropensityOf } from './logged/logged-lists.js';
import type { LoggedSums, LoggedUnit } from './logged/logged-sums.js';
import { TargetSums } from './logged/target-sums.js';
import { type UserClusters, userClusters } from './logged/user-clusters.js';
import {
  LOGGED_UNITS,
  type LoggedFinish,
  loggedEstimates,
} from './logged/value-by-propensities.js';
import { reason, type ValueReason } from './reasons.js';
import { pendingShare, type UsableRequests, usableRequests } from './request-shares.js';
import type { ListPredictions } from './rewards-of-lists.js';
import { type ClickPairs, loggedEvidence } from './value-evidence.js';
import type { ValueOptions } from './value-options.js';
import { isTarget, logOf } from './window-log.js';

/** Number of requests whose lists are expanded together, which bounds memory. */
const REQUESTS_AT_ONCE = 2048;

/** Reward per request from logged propensities. */
export interface LoggedValues {
  readonly values: readonly JudgedValue[];
  /** Names of the models whose lists were served. */
  readonly loggers: readonly string[];
  /** Evidence on each model compared with the logger. */
  readonly evidence: readonly PairEvidence[];
}

/** Inputs beside the requests of a window. */
export interface LoggedKnowledge {
  /** End of the window, event time in ms. */
  readonly until: number;
  /** Predicted rewards by kind of propensity; without them there is no doubly robust form. */
  readonly predicted?: ListPredictions | undefined;
  /**
   * Examination estimated from arms and randomised lists. Values from item propensities need it,
   * unless θ is configured.
   */
  readonly examination?: KeptExamination | undefined;
}

export const NO_LOGGED_VALUES: LoggedValues = {
  values: [],
  loggers: [],
  evidence: [],
};

/**
 * Estimate reward per request from the requests that a stochastic logger served with its
 * propensities.
 *
 * The logger's value is its mean reward (`on_policy`); `valueByPropensities` values every other
 * model that has lists in the requests. No model has a value if too many requests lack propensities
 * or are lost. A single model has no value if too many requests lack its list, or if `judgeLists`
 * refuses it. Item propensities need θ, configured or estimated from stored requests of arms; if θ
 * is estimated, standard errors include its uncertainty.
 *
 * @param panes of the window. @param names of the models, by column.
 */
export function loggedValues(
  panes: readonly WindowRequests[],
  names: readonly string[],
  options: ValueOptions,
  { until, predicted, examination }: LoggedKnowledge,
): LoggedValues {
  const requests = usableRequests(panes, true);
  if (requests.usable === 0) return NO_LOGGED_VALUES;
  const pending = pendingShare(requests, options.horizonMs, until);
  const reasons = reasonsOfAll(requests.usable / requests.all, pending);
  const { isJudged = true } = options;
  const users = userClusters(requests.panes, requests.places);
  const { served, clickPairs } = servedValues(requests, names, users);
  const { models, kinds } = listsOf(requests);
  const values: JudgedValue[] = [];
  const theta = overPlaces(options.theta ?? examination?.theta, requests.places);
  const covariance = options.theta === undefined ? examination?.covariance : undefined;
  for (const column of models) {
    const onPolicy = served.find(({ model }) => model === names[column]);
    if (onPolicy !== undefined) {
      values.push(judgedValue(onPolicy, isJudged ? reasons : []));
    }
    // The control also needs a value, since others are compared with it.
    const isValued = names[column] === options.control || isTarget(names[column], options.targets);
    if (!isValued) continue;
    for (const propensityOf of kinds) {
      const target = {
        column,
        propensityOf,
        theta: theta ?? [],
        predicted: predicted?.get(propensityOf),
        shrinkage: options.shrinkage,
      };
      const sums = targetSums(requests, target, users);
      // The model itself served all of these requests.
      if (sums.served === 0) continue;
      const given = {
        requests: sums.requests,
        shrinkage: options.shrinkage,
        isPredicted: target.predicted !== undefined,
        theta,
        covariance,
        slopes: sums.slopes,
        reasons: isJudged ? [...reasons, ...reasonsOfTarget(sums, options, theta, covariance)] : [],
        isJudged,
        ...(served.length === 1 && { rewardRate: served[0].ess / served[0].requests }),
      };
      for (const [unit, of] of sums.units) {
        const found = judged(names[column], unit, of, given);
        values.push(...(isJudged ? found.map((each) => ofClicks(each, clickPairs)) : found));
      }
    }
  }
  for (const model of options.targets ?? []) {
    if (values.some((each) => each.model === model)) continue;
    values.push(...kinds.flatMap((kind) => unknown(model, kind)));
  }
  const loggers = served.map(({ model }) => model);
  return {
    values,
    loggers,
    evidence: loggedEvidence(values, loggers, clickPairs, requests.places),
  };
}

/** Sums for one target and one kind of propensities. */
function targetSums(
  { panes, places }: UsableRequests,
  target: Target,
  users: UserClusters,
): TargetSums {
  const sums = new TargetSums(target, places, users);
  for (const { pane, kept } of panes) {
    for (let from = 0; from < kept.length; from += REQUESTS_AT_ONCE) {
      sums.add(pane, kept.subarray(from, from + REQUESTS_AT_ONCE));
    }
  }
  return sums;
}

function judged(
  model: string,
  unit: LoggedUnit,
  sums: LoggedSums,
  { reasons, isJudged, ...finish }: Judging,
): JudgedValue[] {
  const isItem = unit === 'item';
  const given = isItem
    ? finish
    : {
        ...finish,
        theta: undefined,
        covariance: undefined,
      };
  const estimates = loggedEstimates(model, unit, sums, given);
  const refusal = reasons.find(({ consequence }) => consequence === 'refused');
  // The mean weight does not show whether lists are missing.
  if (refusal !== undefined || !isJudged) {
    return estimates.map((each) => judgedValue(each, reasons));
  }
  return judgeLists(estimates, sums, given).map((each) =>
    judgedValue(each, [...reasons, ...each.reasons]),
  );
}

/** Inputs for estimates from the sums, with the objections that hold for all of them. */
interface Judging extends LoggedFinish {
  readonly reasons: readonly ValueReason[];
  readonly isJudged: boolean;
  /** Effective number of rewards per request under the logger. */
  readonly rewardRate?: number;
}

/**
 * Add a caution to a value by slot or by item if users stop after a click. Values by list and by
 * prefix remain valid.
 */
function ofClicks(judged: JudgedValue, clickPairs: ClickPairs): JudgedValue {
  if (!/^logged_(slot|item)_/.test(judged.estimator)) return judged;
  return judgedValue(judged, [...judged.reasons, ...stopping(clickPairs, judged)]);
}

function reasonsOfAll(complete: number, pending: number): ValueReason[] {
  const reasons: ValueReason[] = [];
  if (complete < LEAST_COMPLETE) {
    const figures = {
      share: complete,
      least: LEAST_COMPLETE,
    };
    reasons.push(reason('incomplete_requests', 'refused', figures));
  }
  if (pending > MOST_PENDING) {
    const figures = {
      share: pending,
      most: MOST_PENDING,
    };
    reasons.push(reason('rewards_pending', 'caution', figures));
  }
  return reasons;
}

function reasonsOfTarget(
  { requests, served, slopes, loggers, isLogger }: TargetSums,
  options: ValueOptions,
  theta: ArrayLike<number> | undefined,
  covariance: SquareMatrix | undefined,
): ValueReason[] {
  if (requests === 0) return [reason('target_unknown', 'refused', {})];
  const reasons: ValueReason[] = [];
  const share = requests / served;
  if (share < LEAST_COMPLETE) {
    reasons.push(
      reason('incomplete_requests', 'refused', {
        share,
        least: LEAST_COMPLETE,
      }),
    );
  }
  // `balanced` uses the requests of all loggers, including those of the target.
  const isUnbalanced = options.loggers === 'balanced' ? isLogger : loggers.size > 1;
  if (isUnbalanced) {
    const figures = { loggers: loggers.size + Number(isLogger) };
    reasons.push(reason('several_loggers', 'refused', figures));
  }
  if (slopes === undefined) return reasons;
  if (theta === undefined) return [...reasons, reason('examination_unknown', 'refused', {})];
  const stdErr = examinationStdErr(slopes.deepest, covariance);
  if (!(stdErr <= MOST_EXAMINATION_ERROR)) {
    const figures = {
      stdErr,
      most: MOST_EXAMINATION_ERROR,
    };
    reasons.push(reason('examination_uncertain', 'refused', figures));
  }
  return reasons;
}

/** θ of each position in use; 0 where it is unknown. */
function overPlaces(
  theta: ArrayLike<number> | undefined,
  places: number,
): Float64Array | undefined {
  return theta && Float64Array.from({ length: places }, (_, k) => theta[k] ?? 0);
}

/** Largest standard error of log θ among the first ranks; 0 if θ is known. */
function examinationStdErr(ranks: number, covariance: SquareMatrix | undefined): number {
  if (covariance === undefined) return 0;
  const { size, values } = covariance;
  // Examination is unknown below the longest list of the arms.
  if (ranks > size) return Number.POSITIVE_INFINITY;
  return Math.sqrt(Math.max(0, ...Array.from({ length: ranks }, (_, k) => values[k * size + k])));
}

/** Refused values of a target that has no list in any request, one for each unit. */
function unknown(model: string, propensityOf: PropensityOf): JudgedValue[] {
  const why = reason('target_unknown', 'refused', {});
  return LOGGED_UNITS[propensityOf].map((unit) => refusedValue(model, `logged_${unit}_ips`, why));
}

/** On-policy values of the models that were served. */
function servedValues(
  requests: UsableRequests,
  names: readonly string[],
  users: UserClusters,
): {
  readonly served: JudgedValue[];
  readonly clickPairs: ClickPairs;
} {
  const { log } = logOf(requests, names, [], users);
  // Served lists count in full, whatever the rank of their items.
  const theta = new Array<number>(Math.max(1, requests.places)).fill(1);
  const { values, clickPairs } = valuesOfLog(log, {
    theta,
    isJudged: false,
  });
  return {
    served: values.filter(({ estimator }) => estimator === 'on_policy'),
    clickPairs,
  };
}

/** Columns of the models with lists, ascending, and the kinds of logged propensities. */
function listsOf({ panes }: UsableRequests): {
  readonly models: readonly number[];
  readonly kinds: readonly PropensityOf[];
} {
  const models = new Set<number>();
  const codes = new Set<number>();
  for (const { pane, kept } of panes) {
    const runs = new Set<KindRun>();
    for (const q of kept) {
      runs.add(runOf(pane.kinds, pane.kind[q]));
      codes.add(pane.logged!.kind[q]);
    }
    for (const run of runs) {
      for (const model of run.models) {
        models.add(model);
      }
    }
  }
  return {
    models: [...models].sort((a, b) => a - b),
    kinds: PROPENSITY_KINDS.filter((_, kind) => codes.has(1 + kind)),
  };
}
