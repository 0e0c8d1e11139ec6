import { PROPENSITY_KINDS } from '../../../events/field.js';
import type { SquareMatrix } from '../../../mathematics/cholesky.js';
import { type KindRun, runOf } from '../../../state/requests/request-kinds.js';
import type { WindowRequests } from '../../../state/requests/window-requests.js';
import { inSlices } from '../../slices.js';
import { slicedValues } from '../arms/value-by-arms.js';
import { judgeLists } from '../judgement/judge-lists.js';
import { type JudgedValue, judgedValue, refusedValue } from '../judgement/judged-value.js';
import { LEAST_COMPLETE, MOST_EXAMINATION_ERROR, MOST_PENDING } from '../judgement/limits.js';
import { reason, type ValueReason } from '../judgement/reasons.js';
import type { PropensityOf } from '../logged/logged-lists.js';
import type { LoggedSums, LoggedUnit } from '../logged/logged-sums.js';
import { TargetSums } from '../logged/target-sums.js';
import { type UserClusters, userClusters } from '../logged/user-clusters.js';
import {
  LOGGED_UNITS,
  type LoggedFinish,
  loggedEstimates,
} from '../logged/value-by-propensities.js';
import type { ListPredictions } from '../prediction/rewards-of-lists.js';
import type { KeptExamination } from './kept-examination.js';
import { pendingShare, type UsableRequests, usableRequests } from './request-shares.js';
import type { ValueOptions } from './value-options.js';
import { isTarget, logOf } from './window-log.js';

/** Requests between two yields. */
const SLICE = 2048;

/** What lists are worth by logged propensities. */
export interface LoggedValues {
  readonly values: readonly JudgedValue[];
  /** Names of the models whose lists were served. */
  readonly loggers: readonly string[];
}

/** What is known beside the requests of a window. */
export interface LoggedKnowledge {
  /** By what propensities are of; without it nothing is doubly robust. */
  readonly predicted?: ListPredictions;
  /** From arms and lists drawn at random; items need it where θ is not known. */
  readonly examination?: KeptExamination | undefined;
}

export const NO_LOGGED_VALUES: LoggedValues = { values: [], loggers: [] };

/**
 * What lists are worth, by the requests that a stochastic logger was served with its propensities.
 *
 * The logger's by what it was served (`on_policy`); those of each other model that has lists in the
 * requests, by `valueByPropensities`. Refused: all, where too many requests lack propensities or are
 * lost; a model, where too many lack its list; see `judgeLists`. Items need θ, known or from arms whose
 * requests are kept too, and their errors hold what that is uncertain by.
 *
 * @param panes of the window. @param names of the models, by column. @param until end of the window.
 */
export function* loggedValues(
  panes: readonly WindowRequests[],
  names: readonly string[],
  options: ValueOptions,
  until: number,
  { predicted, examination }: LoggedKnowledge = {},
): Generator<void, LoggedValues> {
  if (panes.every(({ logged }) => logged === undefined)) return NO_LOGGED_VALUES;
  const requests = yield* usableRequests(panes, true);
  if (requests.usable === 0) return NO_LOGGED_VALUES;
  const pending = yield* pendingShare(requests, options.horizonMs, until);
  const reasons = reasonsOfAll(requests.usable / requests.all, pending);
  const judge = options.isJudged ?? true;
  const users = yield* userClusters(requests.panes, requests.kept, requests.places);
  const served = yield* servedValues(requests, names, users);
  const values: JudgedValue[] = [];
  const theta = overPlaces(options.theta ?? examination?.theta, requests.places);
  const covariance = options.theta === undefined ? examination?.covariance : undefined;
  for (const column of modelsOf(requests)) {
    const onPolicy = served.find(({ model }) => model === names[column]);
    if (onPolicy !== undefined) values.push(judgedValue(onPolicy, judge ? reasons : []));
    // What others are compared with is valued, too.
    const isValued = names[column] === options.control || isTarget(names[column], options.targets);
    if (!isValued) continue;
    for (const propensityOf of kindsOf(requests)) {
      const target = {
        ...{ column, propensityOf, theta: theta ?? [] },
        ...{ predicted: predicted?.get(propensityOf), shrinkage: options.shrinkage },
      };
      const sums = new TargetSums(target, requests.places, users);
      yield* eachSlice(requests, (pane, own) => sums.add(pane, own));
      // The model was served all of them itself.
      if (sums.served === 0) continue;
      const own = judge ? [...reasons, ...reasonsOfTarget(sums, options, theta, covariance)] : [];
      for (const [unit, of] of sums.units) {
        const finish = { requests: sums.requests, shrinkage: options.shrinkage };
        const isPredicted = target.predicted !== undefined;
        const given = { ...finish, isPredicted, theta, covariance, slopes: sums.slopes };
        values.push(...judged(names[column], unit, of, given, own, judge));
      }
    }
  }
  for (const model of options.targets ?? []) {
    if (values.some((each) => each.model === model)) continue;
    values.push(...kindsOf(requests).flatMap((kind) => unknown(model, kind)));
  }
  return { values, loggers: served.map(({ model }) => model) };
}

function judged(
  model: string,
  unit: LoggedUnit,
  sums: LoggedSums,
  finish: LoggedFinish,
  reasons: readonly ValueReason[],
  isJudged: boolean,
): JudgedValue[] {
  const isItem = unit === 'item';
  const given = isItem ? finish : { ...finish, theta: undefined, covariance: undefined };
  const estimates = loggedEstimates(model, unit, sums, given);
  const refusal = reasons.find(({ consequence }) => consequence === 'refused');
  // What weights average to says nothing about lists that are not there.
  if (refusal !== undefined || !isJudged) {
    return estimates.map((each) => judgedValue(each, reasons));
  }
  return judgeLists(estimates, sums, given).map((each) => {
    const found = each.reasons.filter(({ code }) => code !== 'few_rewards');
    return judgedValue(each, [...reasons, ...found]);
  });
}

function reasonsOfAll(complete: number, pending: number): ValueReason[] {
  const reasons: ValueReason[] = [];
  if (complete < LEAST_COMPLETE) {
    const figures = { share: complete, least: LEAST_COMPLETE };
    reasons.push(reason('incomplete_requests', 'refused', figures));
  }
  if (pending > MOST_PENDING) {
    const figures = { share: pending, most: MOST_PENDING };
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
    reasons.push(reason('incomplete_requests', 'refused', { share, least: LEAST_COMPLETE }));
  }
  // By what all loggers show together: not what all but the target do.
  const isUnbalanced = options.loggers === 'balanced' ? isLogger : loggers.size > 1;
  if (isUnbalanced) {
    const figures = { loggers: loggers.size + Number(isLogger) };
    reasons.push(reason('several_loggers', 'refused', figures));
  }
  if (slopes === undefined) return reasons;
  if (theta === undefined) return [...reasons, reason('examination_unknown', 'refused', {})];
  const stdErr = examinationStdErr(slopes.deepest, covariance);
  if (!(stdErr <= MOST_EXAMINATION_ERROR)) {
    const figures = { stdErr, most: MOST_EXAMINATION_ERROR };
    reasons.push(reason('examination_uncertain', 'refused', figures));
  }
  return reasons;
}

/** θ of all places; 0 where it is not known. */
function overPlaces(
  theta: ArrayLike<number> | undefined,
  places: number,
): Float64Array | undefined {
  return theta && Float64Array.from({ length: places }, (_, k) => theta[k] ?? 0);
}

/** Largest standard error of log θ down to a rank; 0 if θ is known. */
function examinationStdErr(ranks: number, covariance: SquareMatrix | undefined): number {
  if (covariance === undefined) return 0;
  const { size, values } = covariance;
  // What stands below all places of the arms nobody says anything of.
  if (ranks > size) return Number.POSITIVE_INFINITY;
  return Math.sqrt(Math.max(0, ...Array.from({ length: ranks }, (_, k) => values[k * size + k])));
}

/** Of a target that has no list in any request. */
function unknown(model: string, propensityOf: PropensityOf): JudgedValue[] {
  const why = reason('target_unknown', 'refused', {});
  return LOGGED_UNITS[propensityOf].map((unit) => refusedValue(model, `logged_${unit}_ips`, why));
}

/** What those that were served are worth by that. */
function* servedValues(
  requests: UsableRequests,
  names: readonly string[],
  users: UserClusters,
): Generator<void, JudgedValue[]> {
  const { log } = yield* logOf(requests, names, [], users);
  // What was served counts wherever it stood.
  const theta = new Array<number>(Math.max(1, requests.places)).fill(1);
  const { values } = yield* slicedValues(log, { theta, isJudged: false });
  return values.filter(({ estimator }) => estimator === 'on_policy');
}

/** Columns of the models that have lists, ascending. */
function modelsOf({ panes, kept }: UsableRequests): number[] {
  const found = new Set<number>();
  for (const [p, pane] of panes.entries()) {
    const runs = new Set<KindRun>();
    for (const q of kept[p]) runs.add(runOf(pane.kinds, pane.kind[q]));
    for (const { models } of runs) for (const model of models) found.add(model);
  }
  return [...found].sort((a, b) => a - b);
}

/** What propensities are logged of. */
function kindsOf({ panes, kept }: UsableRequests): PropensityOf[] {
  const found = new Set<number>();
  for (const [p, { logged }] of panes.entries()) {
    if (logged !== undefined) for (const q of kept[p]) found.add(logged.kind[q]);
  }
  return PROPENSITY_KINDS.filter((_, code) => found.has(1 + code));
}

function* eachSlice(
  { panes, kept }: UsableRequests,
  add: (pane: WindowRequests, requests: Int32Array) => void,
): Generator<void, void> {
  for (const [p, pane] of panes.entries()) {
    const own = kept[p];
    yield* inSlices(own.length, (from, to) => add(pane, own.subarray(from, to)), SLICE);
  }
}
