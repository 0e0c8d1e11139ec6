import {
  type Measured,
  normalScoreOf,
  scoreBars,
} from '../../estimators/evidence/anchored-rule.js';
import { LEADING, RANDOMISED, UNCORRECTED } from '../../estimators/names.js';
import { isContradicted, plausibleGamma } from '../../estimators/propensity/gamma-error.js';
import type { EstimateDifference, EstimateRow } from '../../estimators/results/estimate.js';
import type { SegmentNumbers } from '../../estimators/results/segment-report.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import { isGiven } from '../../rows/reading.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Objection, PairEvidence } from '../evidence.js';
import { compareVariants, type Variant } from '../segments/simpson.js';
import type { DecisionOptions } from './decision-options.js';
import { gammaFlip } from './gamma-flip.js';

/** The γ at which nothing is corrected. */
const NO_CORRECTION = -1;

/** Parts of a snapshot from which evidence is derived. */
type LookedAt = Pick<Snapshot, 'propensity' | 'windows' | 'baseline' | 'popularity'>;

/**
 * Evidence from corrected metrics on each model against the reference. A pair has evidence from
 * interactions, or from organic interactions if the estimate over all interactions is withheld. If
 * randomised traffic evaluates the pair too, it gives evidence of its own, with the weighted
 * estimate as the sharper form. The built-in model is only a reference, and models whose lists were
 * all randomised are left out.
 *
 * @param asked the metric that decides. @returns none if the metric was not estimated.
 */
export function metricEvidence(
  { propensity, windows: [window], baseline, popularity }: LookedAt,
  asked: DecisionOptions['metric'],
): PairEvidence[] {
  const isAsked = (row: EstimateDifference) =>
    row.metric === asked.metric &&
    row.k === asked.k &&
    row.form === 'pooled' &&
    row.model !== baseline &&
    ![row.model, row.reference].some((name) => window.drawnModels?.includes(name));
  const given = window.differences.filter(isAsked);
  const uncaused = (window.feedback?.uncaused?.differences ?? []).filter(isAsked);
  const leading = given.filter(({ estimator }) => estimator === LEADING);
  // If all traffic is randomised, there are no weighted estimates.
  const unweighed = given.filter(
    ({ estimator, model, ess }) =>
      estimator === RANDOMISED && ess > 0 && !leading.some((row) => row.model === model),
  );
  return [
    ...unweighed.map((row) => ofRandomised(row, undefined, asked)),
    ...leading.flatMap((row) => {
      const ofPair = (rows: readonly EstimateDifference[], name: string) =>
        rows.find(
          (own) =>
            own.model === row.model && own.reference === row.reference && own.estimator === name,
        );
      const isWithheld = !isGiven(row);
      const rows = isWithheld ? uncaused : given;
      const found = ofPair(rows, LEADING);
      const plain = ofPair(rows, UNCORRECTED);
      const randomised = ofPair(given, RANDOMISED);
      const own = found ?? row;
      const metric: PairEvidence = {
        ...common(own, asked),
        rung: 'metric',
        objection: ofServed(
          objectionTo(found, window) ?? lackOf(row, window) ?? mixOf(own, isWithheld, window),
          {
            served: servedModels({ popularity }),
            isOfBaseline: row.reference === baseline,
          },
        ),
        flip: flipOf(own, plain, isWithheld, {
          propensity,
          windows: [window],
          baseline,
        }),
        ...(plain && { uncorrected: measured(plain) }),
        ...repeatedIn(window),
        ...(isWithheld && { isOfUncaused: true as const }),
      };
      if (randomised === undefined || !(randomised.ess > 0)) return [metric];
      return [ofRandomised(randomised, found, asked), metric];
    }),
  ];
}

const common = (
  { model, reference, ess, ...row }: EstimateDifference,
  measure: PairEvidence['measure'],
) => ({
  model,
  reference,
  measure,
  ess,
  anchor: measured({
    ess,
    ...row,
  }),
});

function measured({
  value,
  stdErr,
  ess,
}: Pick<EstimateDifference, 'value' | 'stdErr' | 'ess'>): Measured {
  return {
    value,
    stdErr,
    freedom: Math.max(1, ess - 1),
  };
}

function ofRandomised(
  row: EstimateDifference,
  weighted: EstimateDifference | undefined,
  measure: PairEvidence['measure'],
): PairEvidence {
  const anchor = measured(row);
  const few: Objection = {
    reason: 'few_users',
    figures: { users: row.ess },
  };
  return {
    ...common(row, measure),
    rung: 'randomized',
    objection: row.ess >= FEW_USERS ? null : few,
    ...(weighted && {
      sharper: {
        form: measured(weighted),
        // Randomised and organic interactions are different rows, so the errors are independent.
        apart: {
          value: anchor.value - weighted.value,
          stdErr: Math.hypot(anchor.stdErr, weighted.stdErr),
          freedom: anchor.freedom,
        },
      },
    }),
  };
}

function objectionTo(
  found: EstimateDifference | undefined,
  window: LookedAt['windows'][0],
): Objection | null {
  const { feedback, exponentTest } = window;
  if (found === undefined || !isGiven(found)) {
    const { caused, source, named } = feedback!;
    return source === 'named'
      ? {
          reason: 'all_caused',
          figures: { caused },
        }
      : {
          reason: 'unnamed',
          figures: { named },
        };
  }
  if (!(found.ess >= FEW_USERS)) {
    return {
      reason: 'few_users',
      figures: { users: found.ess },
    };
  }
  if (!isContradicted(exponentTest)) return null;
  return {
    reason: 'not_trusted',
    figures: { deviation: exponentTest!.deviation },
  };
}

/** Names of the models that served lists to users. */
export function servedModels({ popularity }: Pick<Snapshot, 'popularity'>): string[] {
  const exposures = Object.entries(popularity.exposures);
  return exposures.filter(([, { total }]) => total > 0).map(([model]) => model);
}

/**
 * Replace an objection by `one_served`, with the name of the model, if only one model served lists
 * and the objection results from that. `all_caused` results from it, and randomised traffic cannot
 * resolve it then. Every objection to a pair with the built-in model results from it, since clicks
 * on one model's lists cannot be compared with the built-in model.
 */
function ofServed(
  objection: Objection | null,
  {
    served,
    isOfBaseline,
  }: {
    readonly served: readonly string[];
    readonly isOfBaseline: boolean;
  },
): Objection | null {
  if (objection === null || served.length !== 1) return objection;
  const isAlone = objection.reason === 'all_caused' || isOfBaseline;
  return isAlone
    ? {
        reason: 'one_served',
        figures: {},
        of: served,
      }
    : objection;
}

/**
 * Largest mean number of positive interactions per pair of user and item; above it, a difference
 * may be wrong by more than a tenth. Estimates count each pair once, so popular items saturate. The
 * popularity correction is then too strong, by a factor λ / (1 − e^−λ) for an item with λ
 * interactions per user.
 */
const MOST_PER_PAIR = 1.15;

/**
 * Share of positive interactions that repeat an earlier one of the same user and item, if it is
 * large enough to distort estimates.
 */
export function repeatedIn({ counts }: LookedAt['windows'][0]): Pick<PairEvidence, 'repeated'> {
  const { positives, repeatedPositives } = counts;
  const all = positives + repeatedPositives;
  return all > MOST_PER_PAIR * positives ? { repeated: repeatedPositives / all } : {};
}

/**
 * Largest difference between two models in the fraction of rows that have a list of the model.
 * Above it, there is an objection to the pair, see `lackOf`.
 */
const MOST_LACKING = 0.05;

/**
 * Objection to a pair if one model has lists for clearly fewer of the rows than the other, since
 * the times or users with its lists may not be typical. If the two shares add up to 1.05 or less,
 * each user may have lists of only one model, and there is no objection.
 */
function lackOf(
  { model, reference }: Pick<EstimateDifference, 'model' | 'reference'>,
  { models }: LookedAt['windows'][0],
): Objection | null {
  const [low, high] = models
    .filter((own) => own.model === model || own.model === reference)
    .map((own) => ({
      name: own.model,
      share: own.events / (own.events + own.unranked),
    }))
    .sort((a, b) => a.share - b.share);
  if (high === undefined || !(high.share - low.share > MOST_LACKING)) return null;
  if (!(low.share + high.share - 1 > MOST_LACKING)) return null;
  const figures = {
    share: low.share,
    other: high.share,
  };
  return {
    reason: 'rows_lack',
    figures,
    of: [low.name, high.name],
  };
}

/** Absolute difference of shares that is rounding error only. */
const ROUNDING = 1e-6;

/**
 * Objection to a pair whose models are evaluated on different rows. It applies if the difference
 * within the values of some dimension has another sign than the whole difference, has an interval
 * that includes 0, or cannot be computed.
 */
function mixOf(
  difference: EstimateDifference,
  isOfUncaused: boolean,
  { segments: axes, feedback, results }: LookedAt['windows'][0],
): Objection | null {
  const { model, reference, metric, k } = difference;
  if (axes === undefined) return null;
  const uncaused = feedback?.uncaused;
  const numbers = (isOfUncaused ? uncaused?.segments : axes.numbers) ?? [];
  const rows = (isOfUncaused ? uncaused?.results : results) ?? [];
  const variants = [model, reference].map((name) => {
    const isOwn = (own: SegmentNumbers | EstimateRow) =>
      own.model === name &&
      own.metric === metric &&
      own.k === k &&
      own.estimator === LEADING &&
      own.form === 'pooled';
    return {
      numbers: numbers.find(isOwn),
      row: rows.find(isOwn),
    };
  });
  const [a, b] = variants;
  if (variants.some((own) => own.numbers === undefined || own.row === undefined)) return null;
  if (a.numbers!.share.every((own, s) => !(Math.abs(own - b.numbers!.share[s]) > ROUNDING))) {
    return null;
  }
  let from = 0;
  for (const [d, dimension] of axes.dimensions.entries()) {
    const to = from + axes.names[d].length;
    const [own, other] = variants.map(({ numbers: of, row }): Variant => {
      const segments = of!.share.slice(from, to).map((weight, n) => ({
        weight,
        value: of!.value[from + n],
        users: of!.ess[from + n],
        variance: of!.stdErr[from + n] ** 2,
      }));
      return {
        segments,
        variance: row!.stdErr ** 2,
        users: row!.ess,
      };
    });
    const axis = {
      dimension,
      names: axes.names[d],
    };
    const objection = mixIn(axis, compareVariants(own, other), difference);
    if (objection !== null) return objection;
    from = to;
  }
  return null;
}

function mixIn(
  {
    dimension,
    names,
  }: {
    readonly dimension: string;
    readonly names: readonly string[];
  },
  found: ReturnType<typeof compareVariants>,
  { model, reference, value: total }: EstimateDifference,
): Objection | null {
  if (typeof found === 'string') {
    return {
      reason: 'rows_differ',
      figures: {},
      of: [dimension],
    };
  }
  const { within, withinStdErr, users, agreesEverywhere, largestMix, moreOfIt, values } = found;
  const score = normalScoreOf({
    value: within,
    stdErr: withinStdErr,
    freedom: Math.max(1, users - 1),
  });
  const isClear = Math.abs(score) >= scoreBars(1).whole;
  if (isClear && within * total > 0) return null;
  const winner = within > 0 ? model : reference;
  const loser = within > 0 ? reference : model;
  const value = largestMix < 0 ? '' : (names[largestMix] ?? '');
  // Whether the loser has the larger share of traffic with this value.
  const hasMore = Number(within > 0 ? moreOfIt < 0 : moreOfIt > 0);
  const isEverywhere = Number(agreesEverywhere);
  const figures = {
    within: Math.abs(within),
    values,
    isEverywhere,
    hasMore,
  };
  return {
    reason: isClear ? 'mix_turns' : 'mix_unclear',
    figures,
    of: [winner, loser, dimension, value],
  };
}

/** The plausible γ at which the order of the two models changes. */
function flipOf(
  { model, reference, value, metric, k }: EstimateDifference,
  plain: EstimateDifference | undefined,
  isOfUncaused: boolean,
  { propensity, windows: [{ exponentTest, sensitivity }] }: Omit<LookedAt, 'popularity'>,
): PairEvidence['flip'] {
  const { lower, upper } = plausibleGamma(propensity, exponentTest);
  if (!isOfUncaused) {
    const flips = sensitivity.find((own) => own.metric === metric && own.k === k)?.flips ?? [];
    const found = flips.find(({ below, above, gamma }) => {
      const isOfPair = [below, above].every((own) => own === model || own === reference);
      return isOfPair && gamma >= lower && gamma <= upper;
    });
    return found === undefined
      ? null
      : {
          gamma: found.gamma,
          winsBelow: found.below,
        };
  }
  const { gamma } = propensity;
  if (plain === undefined || lower > NO_CORRECTION || gamma <= NO_CORRECTION) return null;
  // Interpolate between the estimates at the γ in use and at −1, where nothing is corrected.
  const slope = (value - plain.value) / (gamma - NO_CORRECTION);
  const at = gammaFlip([
    {
      gamma: NO_CORRECTION,
      value: plain.value,
    },
    { gamma, value },
    {
      gamma: upper,
      value: value + slope * (upper - gamma),
    },
  ]);
  return at === undefined
    ? null
    : {
        gamma: at,
        winsBelow: plain.value > 0 ? model : reference,
      };
}
