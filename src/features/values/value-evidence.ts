import type { Measured } from '../../estimators/evidence/anchored-rule.js';
import { isBalanced } from '../../estimators/evidence/balance.js';
import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { valueFreedom } from '../../estimators/uncertainty/log-t-interval.js';
import type { Objection, PairEvidence } from '../evidence.js';
import type { NoVerdictReason } from '../verdict.js';
import type { ArmPair } from './arm-pairs.js';
import type { DrawOfArms } from './draw-of-arms.js';
import type { HeldOut } from './held-out.js';
import type { JudgedValue } from './judged-value.js';
import { LEAST_COMPLETE, LEAST_PAIR_RATIO, LEAST_PAIRS, LEAST_RATIO_P } from './limits.js';
import type { ValueReason, ValueReasonCode } from './reasons.js';
import type { SampleRatioTest } from './sample-ratio.js';
import { valueDifference } from './value-difference.js';

/** Effective number of users, and of rewards, that each arm needs for a verdict. */
const FEW = 30;
/**
 * |z| above which the rewards of two arms count as different where their lists are equal. A
 * difference over requests with equal lists is an objection. With a difference above the first
 * position at which lists differ, the sharper form is not used.
 */
const MOST_PLACEBO_Z = 3.5;
/**
 * |z| of the difference between an arm's reward and its estimate from other arms' requests, above
 * which models that were not served have no verdict.
 */
const MOST_HELD_OUT_Z = 2;

/** Facts about the experiment beside the values. */
export interface ExperimentFacts {
  readonly draw: DrawOfArms;
  readonly ratio: SampleRatioTest;
  readonly complete: number;
  /** By arm: observed share of the requests or users, and declared share. */
  readonly shares: readonly {
    readonly model: string;
    readonly served: number;
    readonly stated: number;
  }[];
  readonly pairs: readonly ArmPair[];
  readonly heldOut: readonly HeldOut[];
}

/**
 * Pairs of clicks within requests: the observed number, and the number expected if users examine
 * each position independently.
 */
export interface ClickPairs {
  readonly observed: number;
  readonly expected: number;
}

export interface ValueFacts {
  /** Names of the models served with stated shares. */
  readonly arms: readonly string[];
  /** Models with randomised lists, which are never recommended. */
  readonly random: readonly string[];
  readonly control: string;
  /** Undefined if shares are not logged. */
  readonly experiment?: ExperimentFacts;
  readonly clickPairs: ClickPairs;
  readonly covariance?: SquareMatrix | undefined;
  /** Largest reward of an item. */
  readonly mostReward: number;
  /** δ as a share of the control's reward. */
  readonly margin: number;
  /**
   * If some requests lack a list of the model: share of the requests with its list, and the upper
   * limit of the control's reward in the others.
   */
  readonly listed?: {
    readonly share: number;
    readonly lost: number;
  };
}

/** Evidence on each model compared with the control, from reward per request. */
export function valueEvidence(judged: readonly JudgedValue[], facts: ValueFacts): PairEvidence[] {
  const models = [...new Set(judged.map(({ model }) => model))];
  const others = models.filter((model) => model !== facts.control && !facts.random.includes(model));
  return others.flatMap((model) => {
    const found = evidenceOn(model, judged, facts);
    return found === undefined ? [] : [found];
  });
}

function evidenceOn(
  model: string,
  judged: readonly JudgedValue[],
  facts: ValueFacts,
): PairEvidence | undefined {
  const { arms, control, experiment } = facts;
  if (experiment === undefined) return observed(model, judged, facts);
  const areServed = [model, control].every((each) => arms.includes(each));
  return areServed
    ? ofArms(model, experiment, facts)
    : ofChallenger(model, judged, experiment, facts);
}

const common = (model: string, reference: string) => ({
  model,
  reference,
  measure: {
    metric: 'value',
    k: null,
  },
});

function ofArms(
  model: string,
  experiment: ExperimentFacts,
  facts: ValueFacts,
): PairEvidence | undefined {
  const pair = experiment.pairs.find((each) => each.model === model);
  if (pair === undefined) return undefined;
  const isUser = experiment.draw.test.unit !== 'request';
  const isCut = Math.abs(pair.above.value) > MOST_PLACEBO_Z * pair.above.stdErr;
  return {
    ...common(model, facts.control),
    rung: 'experiment',
    anchor: pair.all,
    ess: pair.leastUsers,
    objection: objectionToDraw(experiment, [pair]) ?? objectionToPair(pair),
    ...(!isUser &&
      !isCut && {
        sharper: {
          form: pair.below,
          apart: pair.above,
        },
      }),
    ...(isCut && !isUser && { above: pair.above.value }),
    segments: pair.segments
      .filter(({ leastUsers }) => leastUsers >= FEW)
      .map(({ of, all }) => ({
        of,
        anchor: all,
      })),
    margin: facts.margin * Math.abs(pair.reference),
    isAlike: pair.isAlike,
  };
}

/** Objection if the log does not look randomised as stated. */
function objectionToDraw(experiment: ExperimentFacts, pairs: readonly ArmPair[]): Objection | null {
  const { draw, ratio, complete } = experiment;
  const { test } = draw;
  if (complete < LEAST_COMPLETE) {
    return {
      reason: 'requests_lost',
      figures: { complete },
    };
  }
  if (test.unit === 'neither') {
    return {
      reason: 'draw_mixed',
      figures: {
        same: test.share,
        expected: test.expected,
      },
    };
  }
  if (draw.turns.p < LEAST_RATIO_P) {
    const { share: same, expected } = draw.turns;
    return {
      reason: 'draw_turns',
      figures: { same, expected },
    };
  }
  if (ratio.p < LEAST_RATIO_P) return offShares(experiment);
  for (const { imbalance } of pairs) {
    if (imbalance === undefined || isBalanced(imbalance.score)) continue;
    const { model, covariate, own, all } = imbalance;
    const { kind, of } = covariate;
    if (kind === 'segment') {
      return {
        reason: 'mixed_users',
        figures: { own, all },
        of: [model, ...of],
      };
    }
    const figures = { more: kind === 'history' ? Math.expm1(own - all) : own / all - 1 };
    const reason = kind === 'history' ? 'unlike_before' : 'unbalanced';
    return {
      reason,
      figures,
      of: [model],
    };
  }
  for (const { alike, model, reference } of pairs) {
    if (!(Math.abs(alike.value) > MOST_PLACEBO_Z * alike.stdErr)) continue;
    return {
      reason: 'placebo_off',
      figures: {
        more: alike.value,
        reference,
      },
      of: [model],
    };
  }
  return null;
}

/** Objection that names the arm whose served share deviates most from its stated share. */
function offShares({ shares }: ExperimentFacts): Objection {
  const off = ({ served, stated }: (typeof shares)[number]) => Math.abs(served - stated);
  const [{ model, served, stated }] = [...shares].sort((a, b) => off(b) - off(a));
  return {
    reason: 'shares_off',
    figures: { served, stated },
    of: [model],
  };
}

function objectionToPair({ leastUsers, rewards, all }: ArmPair): Objection | null {
  if (!(leastUsers >= FEW)) {
    return {
      reason: 'few_users',
      figures: { users: leastUsers },
    };
  }
  if (all.value === 0 && !(all.stdErr > 0)) return null;
  return rewards >= FEW
    ? null
    : {
        reason: 'few_rewards',
        figures: { rewards },
      };
}

/**
 * Evidence on a shadow model, from IPS. IPS counts only the part of the model's lists that served
 * lists overlap with, so it bounds the model's reward from below. The largest reward of an item
 * gives the upper bound.
 */
function ofChallenger(
  model: string,
  judged: readonly JudgedValue[],
  experiment: ExperimentFacts,
  facts: ValueFacts,
): PairEvidence | undefined {
  const formOf = (of: string) =>
    judged.find(
      (own) =>
        own.model === of &&
        (facts.arms.includes(of) ? own.estimator === 'on_policy' : own.estimator.endsWith('_ips')),
    );
  const own = formOf(model);
  const other = formOf(facts.control);
  if (own === undefined || other === undefined) return undefined;
  const { covariance, mostReward } = facts;
  const { value, stdErr, ess } = valueDifference(own, other, covariance);
  const freedom = valueFreedom(ess);
  const [most, least] = [own, other].map(({ unseen }) => mostReward * unseen);
  const sigma = largestError(covariance);
  const moved = (by: number): Measured => ({
    value: value + by,
    freedom,
    // The uncertainty of θ changes the unseen part at most by this.
    stdErr: Math.hypot(stdErr, by * sigma),
  });
  const { share, lost } = facts.listed ?? {
    share: 1,
    lost: 0,
  };
  return {
    ...common(model, facts.control),
    rung: 'arms',
    ess,
    objection: objectionToPlaces(own, other, experiment, facts),
    anchor: moved(-least),
    most: moved(most),
    covered: own.coverage,
    ...(share < 1 && {
      listed: share,
      lost,
    }),
  };
}

function largestError(covariance: SquareMatrix | undefined): number {
  if (covariance === undefined) return 0;
  const { size, values } = covariance;
  const variances = Array.from({ length: size }, (_, k) => values[k * size + k]);
  return Math.sqrt(Math.max(0, ...variances.filter(Number.isFinite)));
}

function objectionToPlaces(
  own: JudgedValue,
  other: JudgedValue,
  experiment: ExperimentFacts,
  { clickPairs }: ValueFacts,
): Objection | null {
  const hasNone = own.reasons.some(({ code }) => code === 'no_lists');
  if (hasNone) {
    return {
      reason: 'no_lists',
      figures: {},
      of: [own.model],
    };
  }
  const ofDraw = objectionToDraw(experiment, experiment.pairs);
  if (ofDraw !== null) return ofDraw;
  const off = [...experiment.heldOut].sort((a, b) => Math.abs(b.score) - Math.abs(a.score))[0];
  if (off !== undefined && Math.abs(off.score) > MOST_HELD_OUT_Z) {
    return {
      reason: 'arm_off',
      figures: { off: off.off },
      of: [off.model],
    };
  }
  return objectionToClicks(clickPairs) ?? objectionToValues(own, other, experiment);
}

function objectionToClicks({ observed, expected }: ClickPairs): Objection | null {
  if (expected < LEAST_PAIRS || observed >= LEAST_PAIR_RATIO * expected) return null;
  return {
    reason: 'clicks_stop',
    figures: { ratio: observed / expected },
  };
}

/** Reasons that concern the lists of one model. */
const OF_LISTS: readonly NoVerdictReason[] = [
  'no_lists',
  'lists_lack',
  'lists_follow_arm',
  'few_rewards',
];

/**
 * Objection to a pair of values: one of them is refused or supports no verdict, or an arm's value
 * from the requests of all arms differs from its value from its own requests.
 */
function objectionToValues(
  own: JudgedValue,
  other: JudgedValue,
  experiment?: ExperimentFacts,
): Objection | null {
  for (const { model, reasons } of [own, other]) {
    for (const each of reasons) {
      const counts = each.consequence === 'refused' || each.consequence === 'undecided';
      const found = counts || each.code === 'arms_disagree' ? objectionOf(each, other) : undefined;
      if (found?.reason === 'shares_off' && experiment !== undefined) return offShares(experiment);
      if (found === undefined) continue;
      return OF_LISTS.includes(found.reason)
        ? {
            ...found,
            of: [model],
          }
        : found;
    }
  }
  return null;
}

/** By objection to a value: the reason for no verdict. */
const REASONS: Readonly<Partial<Record<ValueReasonCode, NoVerdictReason>>> = {
  no_lists: 'no_lists',
  target_unknown: 'no_lists',
  incomplete_requests: 'lists_lack',
  lists_sampled_out: 'sampled_out',
  sample_ratio_mismatch: 'shares_off',
  lists_follow_arm: 'lists_follow_arm',
  arms_disagree: 'arms_disagree',
  examination_unknown: 'examination_unsure',
  examination_uncertain: 'examination_unsure',
  heavy_row: 'one_row',
  mean_weight_off: 'weights_off',
  several_loggers: 'loggers_differ',
  few_rewards: 'few_rewards',
};

/**
 * Convert an objection to a value into an objection to a verdict, with its figures.
 * @param other value of the other model of the pair.
 */
function objectionOf(found: ValueReason, other: JudgedValue): Objection | undefined {
  const { code, figures } = found;
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  if (code === 'few_rewards') {
    return {
      reason,
      figures: {
        ...figures,
        rewards: figures.ess,
      },
    };
  }
  const areLost = other.reasons.some((each) => each.code === code);
  if (code !== 'incomplete_requests' || !areLost) return { reason, figures };
  return {
    reason: 'requests_lost',
    figures: {
      ...figures,
      complete: figures.share,
    },
  };
}

/** Evidence on two served models whose randomisation is not known, from their mean rewards. */
function observed(
  model: string,
  judged: readonly JudgedValue[],
  { control, covariance }: ValueFacts,
): PairEvidence | undefined {
  const formOf = (of: string) =>
    judged.find((own) => own.model === of && own.estimator === 'on_policy');
  const own = formOf(model);
  const other = formOf(control);
  if (own === undefined || other === undefined) return undefined;
  const { value, stdErr, ess } = valueDifference(own, other, covariance);
  return {
    ...common(model, control),
    rung: 'observed',
    ess,
    anchor: {
      value,
      stdErr,
      freedom: valueFreedom(ess),
    },
    objection: objectionToValues(own, other),
  };
}

/**
 * Evidence from logged propensities on each model against the logger.
 *
 * If there is a value by list, it is the anchor, and the value by prefix is the sharper form.
 * Otherwise the evidence is the value by slot or by item, which can favour a model but never count
 * against it. If lists have one position only, the value by slot or by item counts like a value by
 * list.
 */
export function loggedEvidence(
  judged: readonly JudgedValue[],
  loggers: readonly string[],
  clickPairs: ClickPairs,
  places: number,
): PairEvidence[] {
  const models = [...new Set(judged.map(({ model }) => model))];
  return loggers.slice(0, 1).flatMap((logger) => {
    const shown = judged.find(
      ({ model, estimator }) => model === logger && estimator === 'on_policy',
    );
    if (shown === undefined) return [];
    return models
      .filter((model) => model !== logger)
      .flatMap((model): PairEvidence[] => {
        const formOf = (name: string) =>
          judged.find((own) => own.model === model && own.estimator === `logged_${name}_snips`);
        const list = formOf('list');
        const prefix = formOf('prefix');
        const none = judged.find((each) => each.model === model && each.requests === 0);
        const own = list ?? formOf('slot') ?? formOf('item') ?? none;
        if (own === undefined) return [];
        const measured = (of: JudgedValue, from: JudgedValue): Measured => {
          const { value, stdErr, ess } = valueDifference(of, from);
          return {
            value,
            stdErr,
            freedom: valueFreedom(ess),
          };
        };
        const pair = {
          ...common(model, logger),
          anchor: measured(own, shown),
          ess: own.ess,
          objection: objectionToValues(own, shown),
        };
        if (list === undefined && places > 1) {
          const tooFew = {
            reason: 'few_pairs',
            figures: { pairs: clickPairs.expected },
          } as const;
          const few = clickPairs.expected < LEAST_PAIRS ? tooFew : objectionToClicks(clickPairs);
          return [
            {
              ...pair,
              rung: 'slots',
              objection: pair.objection ?? few,
            },
          ];
        }
        const sharper = prefix && {
          sharper: {
            form: measured(prefix, shown),
            apart: measured(own, prefix),
          },
        };
        return [
          {
            ...pair,
            rung: 'propensities',
            ...sharper,
          },
        ];
      });
  });
}
