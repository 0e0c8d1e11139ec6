import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { armPairs } from './arm-pairs.js';
import type { ServedLog } from './arms/served-log.js';
import { subLog } from './arms/sub-log.js';
import { type ValueByArmsOptions, valuesOfLog } from './arms/value-by-arms.js';
import { historyOf, promised, segmentsOf } from './covariates.js';
import { type DrawOfArms, drawnRatio, drawOfArms } from './draw-of-arms.js';
import { heldOutArms } from './held-out.js';
import { type JudgedValue, judgedValue, refusedValue } from './judged-value.js';
import type { KeptExamination } from './kept-examination.js';
import { LEAST_COMPLETE, MOST_PENDING } from './limits.js';
import { reason, type ValueReason } from './reasons.js';
import { pendingShare } from './request-shares.js';
import type { SampleRatioTest } from './sample-ratio.js';
import { valueDifferences } from './value-differences.js';
import { type ExperimentFacts, valueEvidence } from './value-evidence.js';
import type { ValueOptions } from './value-options.js';
import { valueRow } from './value-row.js';
import { isTarget, type WindowLog } from './window-log.js';
import { NO_VALUES, type WindowValues } from './window-values.js';

/**
 * A model is compared with the control only if at least this share of the requests has the model's
 * list.
 */
const LEAST_LISTED = 0.5;
/**
 * The control's rewards in requests with and without a model's list count as different if their
 * difference has a |z| above this.
 */
const MOST_LACKING_Z = 3;
/** Decimals to which the declared shares of arms are rounded before they are compared. */
const SHARE_DIGITS = 6;

/** Inputs beside the requests of a window. */
interface WindowKnowledge {
  /**
   * End of the window, event time in ms. The rewards of a request are pending if its horizon ends
   * later.
   */
  readonly until: number;
  /** Examination from all stored requests; without it, and without a configured θ, there are no values. */
  readonly examination: KeptExamination | undefined;
}

/**
 * Estimate each model's reward per request from the requests of a window.
 *
 * Requests are complete if the shares of their lists sum to 1. A model whose lists are missing in
 * more than 5 % of the requests has no value, for example if it started within the window. See
 * `valueByArms` for the estimates, `judgeArms` for refusals, `valueDifferences` for the comparison
 * with the control.
 *
 * @param found log of the window's requests with arms; undefined if there are none.
 * @param names of the models, by column.
 * @returns by model in the order of the columns; empty without requests. O(rows · models).
 */
export function valueOfWindow(
  found: WindowLog | undefined,
  names: readonly string[],
  options: ValueOptions,
  { until, examination }: WindowKnowledge,
): WindowValues {
  const theta = options.theta ?? examination?.theta;
  if (found === undefined) return NO_VALUES;
  if (found.complete === 0 || theta === undefined) {
    const lost = reason('incomplete_requests', 'refused', {
      share: 0,
      least: LEAST_COMPLETE,
    });
    return allRefused(found, names, options, lost);
  }
  const { log, complete } = found;
  const { isStated } = found.requests;
  const { mostReward, isJudged = true, targets } = options;
  const covariance = options.theta === undefined ? examination!.covariance : undefined;
  const draw = isStated ? drawOfArms(log) : undefined;
  const drawn = draw?.test.unit;
  const stated = options.unit === 'user' ? ('user' as const) : ('request' as const);
  const keepsArms = drawn === 'user' && log.requests.share === undefined;
  const given = {
    theta,
    complete,
    isJudged,
    unit: drawn === 'request' || drawn === 'user' ? drawn : stated,
    ...(keepsArms && { ratio: drawnRatio(draw!, log.shares) }),
    ...(covariance !== undefined && { covariance }),
    ...(mostReward !== undefined && { mostReward }),
  };
  const byArms = valuesOfLog(log, given);
  const { sampleRatio, clickPairs } = byArms;
  const models = [...new Set(byArms.values.map(({ model }) => model))];
  const control = controlOf(models, armsByShare(log), options.control);
  const lacking = control === undefined ? [] : withOwnLists(found, control, targets, given);
  const byOwn = byArms.values.map((each) => ofLacking(each, lacking));
  const judged = isJudged ? ofWindow(byOwn, found, options.horizonMs, until) : byOwn;
  const valued = ofTargets(compared(judged, control, options.control, covariance), targets);
  const unlisted = withoutLists(targets ?? [], found, judged);
  const values = {
    ...valued,
    values: [...valued.values, ...unlisted.map(valueRow)],
    ...(isStated && { sampleRatio }),
  };
  if (control === undefined || !isJudged) {
    return {
      ...values,
      evidence: [],
    };
  }
  const arms = log.arms.map(({ list }) => log.models[list]);
  const experiment =
    draw &&
    experimentOf(
      found,
      draw,
      {
        ...given,
        control,
        sampleRatio,
        models,
      },
      options,
    );
  const facts = {
    random: log.arms.flatMap(({ isUniform }, a) => (isUniform ? [arms[a]] : [])),
    arms: draw === undefined ? [] : arms,
    control,
    clickPairs,
    covariance,
    mostReward: mostReward ?? 1,
    margin: options.margin ?? 0,
    ...(experiment && { experiment }),
  };
  const isLacking = (model: string) => lacking.some((own) => own.model === model);
  const evidence = [
    ...valueEvidence(
      [...judged, ...unlisted].filter(({ model }) => !isLacking(model)),
      facts,
    ),
    ...lacking.flatMap((own) =>
      valueEvidence(own.values, {
        ...facts,
        clickPairs: own.clickPairs,
        listed: own,
      }),
    ),
  ];
  return {
    ...values,
    evidence: evidence.filter(({ model }) => isTarget(model, targets)),
  };
}

/** Analyse the randomisation of arms, and compare their own requests. */
function experimentOf(
  { log, complete }: WindowLog,
  draw: DrawOfArms,
  { theta, covariance, control, sampleRatio, models }: ExperimentGiven,
  { isWholeLog = false }: ValueOptions,
): ExperimentFacts {
  // If users keep their arm, events before a later request may be an effect of the arm.
  const isBefore = draw.test.unit === 'request' || isWholeLog;
  const covariates = [
    ...(log.items.predicted ? [promised(log, theta)] : []),
    ...(isBefore ? [historyOf(log)] : []),
    ...segmentsOf(log),
  ];
  const pairs = armPairs(log, draw, control, {
    places: theta.length,
    covariates,
  });
  const arms = new Set(log.arms.map(({ list }) => log.models[list]));
  const hasChallenger = models.some((model) => !arms.has(model));
  const heldOut = hasChallenger ? heldOutArms(log, Float64Array.from(theta), covariance) : [];
  return {
    draw,
    complete,
    pairs,
    heldOut,
    shares: servedShares(log, draw),
    ratio: log.requests.share === undefined ? drawnRatio(draw, log.shares) : sampleRatio,
  };
}

/** Inputs of the experiment's analysis. */
interface ExperimentGiven extends Pick<ValueByArmsOptions, 'theta' | 'covariance'> {
  readonly control: string;
  readonly sampleRatio: SampleRatioTest;
  /** Names of the models with a value. */
  readonly models: readonly string[];
}

/** By arm: observed share of requests or users, and expected share. */
function servedShares(
  { arms, shares, models }: ServedLog,
  { test, served, firstServed, own: ofRequests }: DrawOfArms,
): ExperimentFacts['shares'] {
  if (ofRequests !== undefined) {
    const requests = ofRequests.served.reduce((sum, each) => sum + each, 0);
    return arms.map(({ list }, a) => ({
      model: models[list],
      served: ofRequests.served[a] / requests,
      stated: ofRequests.stated[a] / requests,
    }));
  }
  const counts = test.unit === 'request' ? served : firstServed;
  const all = counts.reduce((sum, each) => sum + each, 0);
  return arms.map(({ list }, a) => {
    let own = 0;
    let stated = 0;
    for (const [t, each] of shares.entries()) {
      const of = counts.subarray(t * arms.length, (t + 1) * arms.length);
      own += of[a];
      stated += each[a] * of.reduce((sum, count) => sum + count, 0);
    }
    return {
      model: models[list],
      served: own / all,
      stated: stated / all,
    };
  });
}

/**
 * Values of a model and of the control over the requests that have the model's list, if other
 * requests lack it.
 */
interface OwnLists {
  readonly model: string;
  /** Share of the requests that have the model's list. */
  readonly share: number;
  /**
   * Upper limit of the control's reward in the requests without the model's list, see `lostThere`.
   */
  readonly lost: number;
  readonly values: readonly JudgedValue[];
  readonly clickPairs: {
    readonly observed: number;
    readonly expected: number;
  };
}

/**
 * Evaluate models whose list is missing in some requests, over the requests with the list, for
 * comparisons with the control.
 */
function withOwnLists(
  { log, listed }: WindowLog,
  control: string,
  targets: readonly string[] | undefined,
  given: ValueByArmsOptions,
): OwnLists[] {
  const found: OwnLists[] = [];
  const armColumns = log.arms.map(({ list }) => list);
  for (const [column, model] of log.models.entries()) {
    const share = listed[column];
    const isLacking = share < 1 && share >= LEAST_LISTED && !armColumns.includes(column);
    if (!isLacking || !isTarget(model, targets)) continue;
    const columns = [...new Set([...armColumns, log.models.indexOf(control), column])];
    columns.sort((a, b) => a - b);
    const hasList = log.requests.hasList!.get(column)!;
    const own = subLog(log, {
      keeps: (q) => hasList[q] === 1,
      columns,
    });
    const others = subLog(log, {
      keeps: (q) => hasList[q] !== 1,
      columns,
    });
    const { values: here, clickPairs } = valuesOfLog(own, given);
    const { values: elsewhere } = valuesOfLog(others, {
      ...given,
      isJudged: false,
    });
    const onPolicy = (values: readonly JudgedValue[]) =>
      values.find((each) => each.model === control && each.estimator === 'on_policy');
    const values = here.filter((each) => each.model === model || each.model === control);
    const lost = lostThere(onPolicy(here), onPolicy(elsewhere), 1 - share);
    found.push({
      model,
      share,
      lost,
      values,
      clickPairs,
    });
  }
  return found;
}

/**
 * Upper limit of the control's total reward in the requests without the model's list, divided by
 * the number of all requests. 0 if few requests lack the list and the control's mean reward in them
 * does not differ; Infinity if it is unknown.
 *
 * @param share of requests that lack the list.
 */
function lostThere(
  here: JudgedValue | undefined,
  there: JudgedValue | undefined,
  share: number,
): number {
  if (share <= 1 - LEAST_COMPLETE) {
    if (here === undefined || there === undefined) return 0;
    const stdErr = Math.hypot(here.stdErr, there.stdErr);
    if (!(Math.abs(here.value - there.value) > MOST_LACKING_Z * stdErr)) return 0;
  }
  if (there === undefined) return Number.POSITIVE_INFINITY;
  return share * (there.value + 2 * there.stdErr);
}

/**
 * If only a few requests lack the model's list, replace its value by the value over the requests
 * with the list, with a caution.
 */
function ofLacking(judged: JudgedValue, lacking: readonly OwnLists[]): JudgedValue {
  const own = lacking.find(({ model, share }) => model === judged.model && share >= LEAST_COMPLETE);
  const found = own?.values.find(
    ({ model, estimator }) => model === judged.model && estimator === judged.estimator,
  );
  if (own === undefined || found === undefined) return judged;
  const figures = {
    share: own.share,
    least: LEAST_COMPLETE,
  };
  return withReason(found, reason('incomplete_requests', 'caution', figures));
}

/** Values and differences of the configured target models only. */
export function ofTargets(all: WindowValues, targets: readonly string[] | undefined): WindowValues {
  const values = all.values.filter(({ model }) => isTarget(model, targets));
  return {
    ...all,
    values,
    differences: all.differences.filter(({ model }) => isTarget(model, targets)),
  };
}

/**
 * Add the objections that follow from the requests of the window: pending rewards, unknown
 * candidates, and missing lists.
 */
function ofWindow(
  values: readonly JudgedValue[],
  found: WindowLog,
  horizonMs: number,
  until: number,
): JudgedValue[] {
  const pending = pendingShare(found.requests, horizonMs, until);
  return values.map((each) => ofPending(ofDrawn(ofListed(each, found), found), pending));
}

/**
 * Convert values to rows, with their differences from the control if there is one. @param
 * configured name of the configured control, which is reported as away if `control` is undefined.
 */
export function compared(
  judged: readonly JudgedValue[],
  control: string | undefined,
  configured: string | undefined,
  covariance?: SquareMatrix,
): WindowValues {
  const values = judged.map(valueRow);
  if (control !== undefined) {
    return {
      values,
      differences: valueDifferences(judged, control, covariance),
      evidence: [],
    };
  }
  const away = configured !== undefined && { controlAway: configured };
  return {
    values,
    differences: [],
    evidence: [],
    ...away,
  };
}

/** Add a caution if the rewards of many requests are pending. */
function ofPending(judged: JudgedValue, share: number): JudgedValue {
  if (share <= MOST_PENDING) return judged;
  return withReason(
    judged,
    reason('rewards_pending', 'caution', {
      share,
      most: MOST_PENDING,
    }),
  );
}

/**
 * Add a caution if the number of candidates of some randomised lists is unknown; on-policy values
 * do not need it.
 */
function ofDrawn(judged: JudgedValue, { drawnFromUnknown: share }: WindowLog): JudgedValue {
  if (share === 0 || judged.estimator === 'on_policy') return judged;
  return withReason(judged, reason('candidates_unknown', 'caution', { share }));
}

function withReason(judged: JudgedValue, found: ValueReason): JudgedValue {
  const others = judged.reasons.filter(({ code }) => code !== found.code);
  return judgedValue(judged, [found, ...others]);
}

/** Refuse the value if too many requests lack a list of the model; on-policy values need no lists. */
function ofListed(judged: JudgedValue, { log, listed }: WindowLog): JudgedValue {
  if (judged.estimator === 'on_policy') return judged;
  const share = listed[log.models.indexOf(judged.model)];
  if (share >= LEAST_COMPLETE) return judged;
  const lost = reason('incomplete_requests', 'refused', {
    share,
    least: LEAST_COMPLETE,
  });
  return withReason(judged, lost);
}

/** Refused values of targets without a list in any request, since the name may be wrong. */
function withoutLists(
  targets: readonly string[],
  { log }: WindowLog,
  judged: readonly JudgedValue[],
): JudgedValue[] {
  const known = new Set([...log.models, ...judged.map(({ model }) => model)]);
  const none = targets.filter((model) => !known.has(model));
  return none.map((model) => refusedValue(model, 'arms_ips', reason('no_lists', 'refused', {})));
}

/** Refused values of all models with lists, if no request can be used. */
function allRefused(
  { requests }: WindowLog,
  names: readonly string[],
  { control, targets }: Pick<ValueOptions, 'control' | 'targets'>,
  why: ValueReason,
): WindowValues {
  const listed = new Set<number>();
  for (const { pane } of requests.panes) {
    for (const { models } of pane.kinds.runs) {
      for (const model of models) {
        listed.add(model);
      }
    }
  }
  const refused = names
    .filter((_, column) => listed.has(column))
    .map((name) => refusedValue(name, 'arms_ips', why));
  const models = refused.map(({ model }) => model);
  return ofTargets(compared(refused, controlOf(models, [], control), control), targets);
}

/**
 * Choose the control of a window.
 *
 * The configured one; otherwise the arm with the largest share, ties by name; otherwise the first
 * model.
 *
 * @param models with a value, by name. @param arms in the order of `armsByShare`.
 * @returns undefined if the configured control has no value.
 */
export function controlOf(
  models: readonly string[],
  arms: readonly string[],
  configured: string | undefined,
): string | undefined {
  const control = configured ?? arms[0] ?? models[0];
  return models.includes(control) ? control : undefined;
}

/** Arms by declared share, largest first, then by name. */
function armsByShare({ arms, models, shares }: ServedLog): string[] {
  const found = arms.flatMap(({ list, isUniform }, a) => {
    const share = shares.reduce((sum, own) => sum + (own[a] || 0), 0);
    return isUniform
      ? []
      : [
          {
            list,
            share: Number(share.toFixed(SHARE_DIGITS)),
          },
        ];
  });
  found.sort((a, b) => b.share - a.share || a.list - b.list);
  return found.map(({ list }) => models[list]);
}
