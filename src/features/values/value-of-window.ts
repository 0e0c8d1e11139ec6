import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { slicedValues } from './arms/value-by-arms.js';
import { type JudgedValue, judgedValue, refusedValue } from './judged-value.js';
import type { KeptExamination } from './kept-examination.js';
import { LEAST_COMPLETE, MOST_PENDING } from './limits.js';
import { reason, type ValueReason } from './reasons.js';
import { pendingShare } from './request-shares.js';
import { valueDifferences } from './value-differences.js';
import type { ValueOptions } from './value-options.js';
import { valueRow } from './value-row.js';
import { isTarget, type WindowLog } from './window-log.js';
import { NO_VALUES, type WindowValues } from './window-values.js';

/**
 * What the lists of each model are worth, by the requests of a window.
 *
 * Requests are complete if the shares of their lists sum to 1: those of arms are all there. A model
 * whose lists lack in more than one request of twenty is refused by itself, as one is that came in
 * the middle of the window. See `valueByArms` for the estimates, `judgeArms` for what is refused,
 * `valueDifferences` for the comparison with the control.
 *
 * @param found its requests with arms, of all partitions; undefined where there are none. @param names
 * of the models, by column. @param examination from all that is kept; without it, and without a θ in the options, nothing is.
 * @param until end of the window: rewards of requests that are younger than the horizon are to come.
 * @param rounds bring all partitions together: four rounds at most.
 * @returns by model in the order of the columns; nothing where there are no requests. O(rows · models).
 */
export function* valueOfWindow(
  found: WindowLog | undefined,
  names: readonly string[],
  options: ValueOptions,
  examination: KeptExamination | undefined,
  until: number,
  rounds: Rounds,
): Generator<void, WindowValues> {
  const theta = options.theta ?? examination?.theta;
  if (found === undefined) return NO_VALUES;
  if (found.complete === 0 || theta === undefined) {
    const lost = reason('incomplete_requests', 'refused', { share: 0, least: LEAST_COMPLETE });
    return yield* allRefused(found, names, options, lost, rounds);
  }
  const { unit, mostReward, isJudged = true } = options;
  const covariance = options.theta === undefined ? examination!.covariance : undefined;
  const given = {
    ...{ theta, unit, complete: found.complete, isJudged },
    ...(covariance !== undefined && { covariance }),
    ...(mostReward !== undefined && { mostReward }),
  };
  const { values, sampleRatio } = yield* slicedValues(found.log, given, rounds);
  yield;
  const judged = isJudged ? yield* ofWindow(values, found, options, until, rounds) : values;
  const { targets } = options;
  const arms = found.log.arms.map(({ list }) => found.log.models[list]);
  const valued = ofTargets(compared(judged, arms, options.control, covariance), targets);
  return {
    ...valued,
    values: [...valued.values, ...withoutLists(targets ?? [], found, judged).map(valueRow)],
    ...(found.requests.isStated && { sampleRatio }),
  };
}

/** Those of the models that are valued; of the others it is known what they are compared with. */
export function ofTargets(all: WindowValues, targets: readonly string[] | undefined): WindowValues {
  const values = all.values.filter(({ model }) => isTarget(model, targets));
  return {
    ...all,
    values,
    differences: all.differences.filter(({ model }) => isTarget(model, targets)),
  };
}

/** With what a window adds that speaks against them. */
function* ofWindow(
  values: readonly JudgedValue[],
  found: WindowLog,
  { horizonMs }: ValueOptions,
  until: number,
  rounds: Rounds,
): Generator<void, JudgedValue[]> {
  const pending = yield* pendingShare(found.requests, horizonMs, until, rounds);
  return values.map((each) => ofPending(ofDrawn(ofListed(each, found), found), pending));
}

/** With the differences to the control. @param arms by name. */
export function compared(
  judged: readonly JudgedValue[],
  arms: readonly string[],
  configured: string | undefined,
  covariance?: SquareMatrix,
): WindowValues {
  const values = judged.map(valueRow);
  const models = judged.map(({ model }) => model);
  const control = controlOf(models, arms, configured);
  if (control !== undefined) {
    return { values, differences: valueDifferences(judged, control, covariance) };
  }
  return { values, differences: [], ...(configured !== undefined && { controlAway: configured }) };
}

/** With a caution if the rewards of many requests are still to come. */
function ofPending(judged: JudgedValue, share: number): JudgedValue {
  if (share <= MOST_PENDING) return judged;
  return withReason(judged, reason('rewards_pending', 'caution', { share, most: MOST_PENDING }));
}

/** With a caution where random lists show less than they could. */
function ofDrawn(judged: JudgedValue, { drawnFromUnknown: share }: WindowLog): JudgedValue {
  if (share === 0 || judged.estimator === 'on_policy') return judged;
  return withReason(judged, reason('candidates_unknown', 'caution', { share }));
}

function withReason(judged: JudgedValue, found: ValueReason): JudgedValue {
  const others = judged.reasons.filter(({ code }) => code !== 'few_rewards' && code !== found.code);
  return judgedValue(judged, [found, ...others]);
}

/** Refused where too many requests lack a list of the model; what was served is known without them. */
function ofListed(judged: JudgedValue, { log, listed }: WindowLog): JudgedValue {
  if (judged.estimator === 'on_policy') return judged;
  const share = listed[log.models.indexOf(judged.model)];
  if (share >= LEAST_COMPLETE) return judged;
  const lost = reason('incomplete_requests', 'refused', { share, least: LEAST_COMPLETE });
  return withReason(judged, lost);
}

/** A refusal for each target that has no list in any request: its name may be wrong. */
function withoutLists(
  targets: readonly string[],
  { log }: WindowLog,
  judged: readonly JudgedValue[],
): JudgedValue[] {
  const known = new Set([...log.models, ...judged.map(({ model }) => model)]);
  const none = targets.filter((model) => !known.has(model));
  return none.map((model) => refusedValue(model, 'arms_ips', reason('no_lists', 'refused', {})));
}

/** A refusal for each model that has lists, where nothing can be valued. */
function* allRefused(
  { requests: { parts } }: WindowLog,
  names: readonly string[],
  { control, targets }: Pick<ValueOptions, 'control' | 'targets'>,
  why: ValueReason,
  rounds: Rounds,
): Generator<void, WindowValues> {
  const none = new NumberSums(names.length);
  const found = yield* rounds.gather(none, parts, function* look(own, { panes }) {
    for (const { kinds } of panes) {
      for (const { models } of kinds.runs) for (const model of models) own.values[model] = 1;
      yield;
    }
  });
  const refused = names
    .filter((_, column) => found.values[column] > 0)
    .map((name) => refusedValue(name, 'arms_ips', why));
  return ofTargets(compared(refused, [], control), targets);
}

/**
 * The model that the others are compared with in a window.
 *
 * Without a configured one: the first arm by name, or the first model if there are no arms. The arm
 * that is served most often would be another one from tick to tick where shares are even, and in the
 * middle of a ramp-up, and each time all differences would change their sign.
 *
 * @param models that have a value, and the arms among them, both by name.
 * @returns undefined if the configured one has none.
 * @example
 * controlOf(['a', 'b', 'c'], ['b', 'c'], undefined); // 'b'
 */
export function controlOf(
  models: readonly string[],
  arms: readonly string[],
  configured: string | undefined,
): string | undefined {
  const control = configured ?? arms[0] ?? models[0];
  return models.includes(control) ? control : undefined;
}
