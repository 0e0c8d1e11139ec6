import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { inSlices } from '../../estimators/slices.js';
import { PROPENSITY_KINDS } from '../../events/field.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { type KindRun, runOf } from '../../state/requests/request-kinds.js';
import type { PairEvidence } from '../evidence.js';
import { slicedValues } from './arms/value-by-arms.js';
import { stopping } from './judge-arms.js';
import { judgeLists } from './judge-lists.js';
import { type JudgedValue, judgedValue, refusedValue } from './judged-value.js';
import type { KeptExamination } from './kept-examination.js';
import { LEAST_COMPLETE, MOST_EXAMINATION_ERROR, MOST_PENDING } from './limits.js';
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
import {
  type PartRequests,
  pendingShare,
  type UsableRequests,
  usableRequests,
} from './request-shares.js';
import type { RequestPart } from './rewards-by-halves.js';
import type { ListPredictions } from './rewards-of-lists.js';
import { type ClickPairs, loggedEvidence } from './value-evidence.js';
import type { ValueOptions } from './value-options.js';
import { isTarget, logOf } from './window-log.js';

/** Requests between two yields. */
const SLICE = 2048;

/** What lists are worth by logged propensities. */
export interface LoggedValues {
  readonly values: readonly JudgedValue[];
  /** Names of the models whose lists were served. */
  readonly loggers: readonly string[];
  /** What they say of each model against the one that drew the lists. */
  readonly evidence: readonly PairEvidence[];
}

/** What is known beside the requests of a window. */
export interface LoggedKnowledge {
  /** By what propensities are of; without it nothing is doubly robust. */
  readonly predicted?: ListPredictions;
  /** From arms and lists drawn at random; items need it where θ is not known. */
  readonly examination?: KeptExamination | undefined;
}

export const NO_LOGGED_VALUES: LoggedValues = { values: [], loggers: [], evidence: [] };

/**
 * What lists are worth, by the requests that a stochastic logger was served with its propensities.
 *
 * The logger's by what it was served (`on_policy`); those of each other model that has lists in the
 * requests, by `valueByPropensities`. Refused: all, where too many requests lack propensities or are
 * lost; a model, where too many lack its list; see `judgeLists`. Items need θ, known or from arms whose
 * requests are kept too, and their errors hold what that is uncertain by.
 *
 * @param parts panes of the window by partition. @param names of the models, by column. @param until
 * end of the window. @param rounds bring all partitions together: three rounds, and with requests to
 * value ten or so more, and one for each model and kind of propensities.
 */
export function* loggedValues(
  parts: readonly RequestPart[],
  names: readonly string[],
  options: ValueOptions,
  until: number,
  { predicted, examination }: LoggedKnowledge = {},
  rounds: Rounds,
): Generator<void, LoggedValues> {
  const requests = yield* usableRequests(parts, true, rounds);
  if (requests.usable === 0) return NO_LOGGED_VALUES;
  const pending = yield* pendingShare(requests, options.horizonMs, until, rounds);
  const reasons = reasonsOfAll(requests.usable / requests.all, pending);
  const judge = options.isJudged ?? true;
  const users = yield* userClusters(requests.parts, requests.places, rounds);
  const { served, clickPairs } = yield* servedValues(requests, names, users, rounds);
  const { models, kinds } = yield* listsOf(requests, names.length, rounds);
  const values: JudgedValue[] = [];
  const theta = overPlaces(options.theta ?? examination?.theta, requests.places);
  const covariance = options.theta === undefined ? examination?.covariance : undefined;
  for (const column of models) {
    const onPolicy = served.find(({ model }) => model === names[column]);
    if (onPolicy !== undefined) values.push(judgedValue(onPolicy, judge ? reasons : []));
    // What others are compared with is valued, too.
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
      const none = new TargetSums(target, requests.places, users);
      const sums = yield* rounds.gather(none, requests.parts, function* weigh(into, part) {
        yield* eachSlice(part, (pane, own) => into.add(pane, own));
      });
      // The model was served all of them itself.
      if (sums.served === 0) continue;
      const own = judge ? [...reasons, ...reasonsOfTarget(sums, options, theta, covariance)] : [];
      for (const [unit, of] of sums.units) {
        const finish = { requests: sums.requests, shrinkage: options.shrinkage };
        const isPredicted = target.predicted !== undefined;
        const given = {
          ...finish,
          isPredicted,
          theta,
          covariance,
          slopes: sums.slopes,
          ...(served.length === 1 && { rewardRate: served[0].ess / served[0].requests }),
        };
        const found = judged(names[column], unit, of, given, own, judge);
        values.push(...(judge ? found.map((each) => ofClicks(each, clickPairs)) : found));
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

function judged(
  model: string,
  unit: LoggedUnit,
  sums: LoggedSums,
  finish: LoggedFinish & { readonly rewardRate?: number },
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
  return judgeLists(estimates, sums, given).map((each) =>
    judgedValue(each, [...reasons, ...each.reasons]),
  );
}

/** With a caution where users stop at a click: lists and prefixes hold then, places on their own do not. */
function ofClicks(judged: JudgedValue, clickPairs: ClickPairs): JudgedValue {
  if (!/^logged_(slot|item)_/.test(judged.estimator)) return judged;
  return judgedValue(judged, [...judged.reasons, ...stopping(clickPairs, judged)]);
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
  rounds: Rounds,
): Generator<void, { readonly served: JudgedValue[]; readonly clickPairs: ClickPairs }> {
  const { log } = yield* logOf(requests, names, [], users, rounds);
  // What was served counts wherever it stood.
  const theta = new Array<number>(Math.max(1, requests.places)).fill(1);
  const { values, clickPairs } = yield* slicedValues(log, { theta, isJudged: false }, rounds);
  return { served: values.filter(({ estimator }) => estimator === 'on_policy'), clickPairs };
}

/** Columns of the models that have lists, ascending, and what propensities are logged of. */
function* listsOf(
  { parts }: UsableRequests,
  models: number,
  rounds: Rounds,
): Generator<void, { readonly models: number[]; readonly kinds: readonly PropensityOf[] }> {
  const none = new NumberSums(models + PROPENSITY_KINDS.length);
  const { values } = yield* rounds.gather(none, parts, function* look({ values: found }, part) {
    for (const [p, { kinds, kind, logged }] of part.panes.entries()) {
      const runs = new Set<KindRun>();
      for (const q of part.kept[p]) {
        runs.add(runOf(kinds, kind[q]));
        found[models + logged!.kind[q] - 1] = 1;
      }
      for (const run of runs) for (const model of run.models) found[model] = 1;
      yield;
    }
  });
  return {
    models: [...Array(models).keys()].filter((model) => values[model] > 0),
    kinds: PROPENSITY_KINDS.filter((_, code) => values[models + code] > 0),
  };
}

function* eachSlice(
  { panes, kept }: PartRequests,
  add: (pane: WindowRequests, requests: Int32Array) => void,
): Generator<void, void> {
  for (const [p, pane] of panes.entries()) {
    const own = kept[p];
    yield* inSlices(own.length, (from, to) => add(pane, own.subarray(from, to)), SLICE);
  }
}
