import { type EstimatorName, WEIGHTED_WITHIN_USERS } from '../../estimators/names.js';
import type { EstimateRow, ModelSummary } from '../../estimators/results/estimate.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { decimal, percent, whole } from '../figures.js';
import { listed, metricName } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import {
  EXPECTED_GAIN,
  FAR_FROM_WEIGHTS,
  FEW_OF_USER,
  FEW_USERS,
  HEAVY_EVENT,
  MANY_SINGLE,
  MUCH_COUNTED_ONCE,
  MUCH_UNREACHED,
  NOTABLE_SHARE,
} from './thresholds.js';

/** Whether an effective sample size is too small for a verdict. */
export function isTooFew(ess: number | null): boolean {
  return ess !== null && ess < FEW_USERS;
}

/** Findings about sample size: users with a single event, effective sample sizes, and weights. */
export function sampleFindings(window: WindowSnapshot): Finding[] {
  return [
    ...singleEvents(window.models),
    ...partlyNaive(window.results),
    ...smallSamples(window.results),
    ...heavyEvents(window),
    ...countedOnce(window),
    ...headOnly(window),
    ...samplesOffWeights(window),
    ...compromises(window),
  ];
}

/** Finding that users are sampled because a limit was exceeded; none at a ratio of 1. */
export function userSampleFindings({ ratio }: { readonly ratio: number }): Finding[] {
  if (ratio === 1) return [];
  return [
    {
      code: 'user_sample',
      severity: 'note',
      subject: {},
      figures: { ratio },
    },
  ];
}

/**
 * Report models most of whose users have a single event. Models with the same percentage are in one
 * finding.
 */
function singleEvents(models: readonly ModelSummary[]): Finding[] {
  const groups = new Map<string, ModelSummary[]>();
  for (const model of models) {
    if (!(model.singletonUserRatio >= NOTABLE_SHARE)) continue;
    const written = percent(model.singletonUserRatio);
    groups.set(written, [...(groups.get(written) ?? []), model]);
  }
  return [...groups.values()].map((group) => ({
    code: 'single_event_users',
    severity: group[0].singletonUserRatio >= MANY_SINGLE ? 'caution' : 'note',
    subject: {
      models: group.map(({ model }) => model),
      aggregation: 'user',
    },
    figures: { share: group[0].singletonUserRatio },
  }));
}

/**
 * Report weighted means over users that are only partly corrected, because the median user has too
 * few effective rows. Models with the same number of effective rows share a finding.
 */
function partlyNaive(results: readonly EstimateRow[]): Finding[] {
  const groups = new Map<
    number,
    {
      models: Set<string>;
      estimators: Set<EstimatorName>;
    }
  >();
  const sizes = new Map<string, number>();
  for (const { model, more } of results) {
    const { withinUserEss } = more;
    if (withinUserEss !== undefined) {
      sizes.set(model, withinUserEss);
    }
  }
  for (const { model, estimator, form } of results) {
    const size = sizes.get(model) ?? Number.NaN;
    if (form !== 'user' || !WEIGHTED_WITHIN_USERS.includes(estimator)) continue;
    if (!(size < FEW_OF_USER)) continue;
    const own = groups.get(size) ?? {
      models: new Set(),
      estimators: new Set(),
    };
    groups.set(size, own);
    own.models.add(model);
    own.estimators.add(estimator);
  }
  return [...groups].map(([rows, { models, estimators }]) => ({
    code: 'partly_naive',
    severity: 'caution',
    subject: {
      models: [...models],
      estimators: [...estimators],
      aggregation: 'user',
    },
    figures: {
      rows,
      least: FEW_OF_USER,
    },
  }));
}

function smallSamples(results: readonly EstimateRow[]): Finding[] {
  const least = new Map<
    string,
    {
      ess: number;
      estimators: Set<EstimatorName>;
    }
  >();
  for (const { model, estimator, ess } of results) {
    if (!isTooFew(ess)) continue;
    const own = least.get(model) ?? {
      ess,
      estimators: new Set(),
    };
    least.set(model, {
      ess: Math.min(own.ess, ess),
      estimators: own.estimators.add(estimator),
    });
  }
  return [...least].map(([model, { ess, estimators }]) => ({
    code: 'few_users',
    severity: 'problem',
    subject: {
      models: [model],
      estimators: [...estimators],
    },
    figures: {
      ess,
      least: FEW_USERS,
    },
  }));
}

function heavyEvents({ effectiveSampleSizes }: WindowSnapshot): Finding[] {
  return effectiveSampleSizes
    .filter(({ largestShare }) => largestShare > HEAVY_EVENT)
    .map(({ model, estimator, largestShare }) => ({
      code: 'heavy_event',
      severity: 'caution',
      subject: {
        models: [model],
        estimators: [estimator],
      },
      figures: { share: largestShare },
    }));
}

/**
 * Report if much of the weight is on items with a count of one. Then there are probably similar
 * items that were never seen, which have no weight at all.
 */
function countedOnce({ singleCountShare: share }: WindowSnapshot): Finding[] {
  if (share === undefined || !(share > MUCH_COUNTED_ONCE)) return [];
  const figures = {
    share,
    most: MUCH_COUNTED_ONCE,
  };
  return [
    {
      code: 'counted_once',
      severity: 'caution',
      subject: {},
      figures,
    },
  ];
}

/**
 * Report models that have no gain on less popular items. Each model is judged at the largest
 * cut-off.
 */
function headOnly({ sensitivity }: WindowSnapshot): Finding[] {
  const [deepest] = [...sensitivity].sort((a, b) => (b.k ?? 0) - (a.k ?? 0));
  return (deepest?.tails ?? [])
    .filter(({ weight, expected }) => weight > MUCH_UNREACHED && expected >= EXPECTED_GAIN)
    .map(({ model, below, weight }) => ({
      code: 'head_only',
      severity: 'note',
      subject: {
        models: [model],
        metrics: [metricName(deepest)],
      },
      figures: {
        below,
        share: weight,
      },
    }));
}

function samplesOffWeights({ interventions }: WindowSnapshot): Finding[] {
  return interventions
    .filter(({ distance }) => distance > FAR_FROM_WEIGHTS)
    .map(({ estimator, expected, rows, distance }) => ({
      code: 'sample_off_weights',
      severity: 'note',
      subject: { estimators: [estimator] },
      figures: {
        share: expected / rows,
        distance,
      },
    }));
}

function compromises({ interventions }: WindowSnapshot): Finding[] {
  return interventions.flatMap(({ estimator, raking }): Finding[] => {
    if (raking?.isDamped !== true) return [];
    const { components } = raking;
    const subject = { estimators: [estimator] };
    return [
      {
        code: 'margins_out_of_reach',
        severity: 'caution',
        subject,
        figures: { components },
      },
    ];
  });
}

export const SAMPLE_WORDS = {
  user_sample: ({ figures }) =>
    say`Estimates use 1 user in ${whole(1 / figures.ratio)}, sampled by hash, because a limit was exceeded. The intervals allow for that. Popularity and γ use all events. Raise the limits if the intervals are too wide.`,
  single_event_users: ({ severity, subject, figures }) =>
    say`In the mean over users, snips and gs equal naive for ${percent(figures.share)} of the users of ${listed(named(subject.models))}, because these have only one event.${severity === 'caution' ? ' Read the estimates over all events instead.' : ''}`,
  partly_naive: ({ subject: { models, estimators = [] }, figures }) =>
    say`The mean over users by ${listed(estimators)} is only partly debiased for ${listed(named(models))}: half of the users have at most ${decimal(figures.rows, 1)} effective rows, and ${whole(figures.least)} are needed. Read the estimates over all events instead.`,
  few_users: ({ subject: { models, estimators = [] }, figures }) =>
    say`${listed(estimators)} for ${named(models)} ${estimators.length === 1 ? 'has an effective sample size of' : 'have effective sample sizes down to'} ${decimal(figures.ess, 1)} users. Do not decide on fewer than ${whole(figures.least)}.`,
  heavy_event: ({ subject: { models, estimators = [] }, figures }) =>
    say`A single event carries ${percent(figures.share)} of the weight of ${listed(estimators)} for ${named(models)}. Do not decide on it, because one event can reverse it.`,
  counted_once: ({ figures }) =>
    say`Items with a single interaction carry ${percent(figures.share)} of the weight. Above ${percent(figures.most)}, many similar items were never seen, so corrected estimates lean towards those that were. A longer log helps.`,
  head_only: ({ subject: { models, metrics = [] }, figures }) =>
    say`${listed(named(models))} has no hits at ${metrics.join()} on items with fewer than ${whole(figures.below)} interactions, which carry ${percent(figures.share)} of the weight: it lists only popular items. In simulations, corrected numbers of such models were off by up to a tenth, which the intervals do not show.`,
  sample_off_weights: ({ subject: { estimators = [] }, figures }) =>
    say`The test set of ${listed(estimators)} only partly follows its weights: it keeps ${percent(figures.share)} of the pairs, so its total variation distance from the weights is ${decimal(figures.distance, 2)}. A smaller set would follow them more closely.`,
  margins_out_of_reach: ({ subject: { estimators }, figures }) => {
    const parts =
      figures.components > 1
        ? `, because the rows fall into ${whole(figures.components)} unconnected parts`
        : '';
    const weights =
      estimators === undefined ? 'the weights' : `the weights of ${estimators.join()}`;
    return say`No weights make all users and all items count equally here${parts}, so ${weights} are a compromise.`;
  },
} satisfies Words;

function named(models: readonly string[] = []): { name: string }[] {
  return models.map((name) => ({ name }));
}
