import type { PropensityFigures } from '../../estimators/propensity/propensity-figures.js';
import type { OtherKind, PropensityStamp } from '../../estimators/propensity/used-propensities.js';
import { compact, decimal, percent } from '../figures.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import { HEAVY_ROW, OFF_MARGIN, OFF_PAIRS } from './thresholds.js';

const KINDS = {
  nb: 'Naive Bayes',
  lr: 'logistic regression',
};

/** A file of propensities in words: which it is, and of when. */
export function fileWords({
  kind,
  version,
  date,
}: Pick<PropensityStamp, 'kind' | 'version' | 'date'>): string {
  return `${KINDS[kind]}, version ${version}, from ratings through ${date}`;
}

/** What was learned from, in numbers. */
interface LearnedFrom {
  readonly users: number;
  readonly items: number;
  readonly pairs: number;
  readonly chosen: number;
}

/** What to know of learned propensities before they weigh anything, cautions first. */
export function propensityFindings(figures: PropensityFigures, from: LearnedFrom): Finding[] {
  const found = [
    ...fitCautions(figures, from),
    ...heavyRating(figures, from),
    ...comparisonFindings(figures.comparison),
  ];
  if (figures.fit === null) {
    found.push({
      code: 'propensities_by_construction',
      severity: 'note',
      subject: {},
      figures: {},
    });
  }
  const rank = (finding: Finding) =>
    ['problem', 'caution', 'note', 'good'].indexOf(finding.severity);
  return found.sort((a, b) => rank(a) - rank(b));
}

function fitCautions({ fit, weights }: PropensityFigures, from: LearnedFrom): Finding[] {
  if (fit === null) return [];
  const found: Finding[] = [];
  const common = {
    severity: 'caution',
    subject: {},
  } as const;
  const { margins, validation } = fit;
  const { scores, constant, isAtEdge } = validation;
  const best = scores.reduce((a, b) => (b.logLikelihood > a.logLikelihood ? b : a));
  if (best.logLikelihood <= constant) {
    found.push({
      code: 'propensities_no_better',
      ...common,
      figures: {},
    });
  }
  if (Math.abs(weights.inversePropensity - 1) > OFF_PAIRS) {
    const ratio = weights.inversePropensity;
    found.push({
      code: 'propensities_off_pairs',
      ...common,
      figures: { ratio },
    });
  }
  const off = margins.users > (OFF_MARGIN * from.chosen) / from.users;
  if (off || margins.items > (OFF_MARGIN * from.chosen) / from.items) {
    const { users, items } = margins;
    found.push({
      code: 'propensities_off_margins',
      ...common,
      figures: { users, items },
    });
  }
  if (isAtEdge) {
    found.push({
      code: 'ridge_at_edge',
      subject: {},
      severity: 'note',
      figures: { l2: best.l2 },
    });
  }
  return found;
}

function heavyRating({ weights }: PropensityFigures, { pairs }: LearnedFrom): Finding[] {
  const share = weights.largest / (weights.inversePropensity * pairs);
  if (share <= HEAVY_ROW) return [];
  const figures = {
    share,
    weight: weights.largest,
  };
  return [
    {
      code: 'heavy_rating',
      severity: 'caution',
      subject: {},
      figures,
    },
  ];
}

/** Whether the two kinds agree, where both could be learned. */
export function comparisonFindings(comparison: OtherKind | null): Finding[] {
  if (comparison === null) return [];
  const { largestRatio: ratio, means, doDisagree } = comparison;
  const figures = {
    ratio,
    own: means[0],
    other: means[1],
  };
  return doDisagree
    ? [
        {
          code: 'propensities_disagree',
          severity: 'caution',
          subject: {},
          figures,
        },
      ]
    : [
        {
          code: 'propensities_agree',
          severity: 'good',
          subject: {},
          figures,
        },
      ];
}

export const PROPENSITY_WORDS = {
  propensities_by_construction: () =>
    say`Naive Bayes adds up to all pairs by construction: that it does says nothing for it.`,
  propensities_off_pairs: ({ figures }) =>
    say`Σ 1/P of the ratings is ${decimal(figures.ratio, 3)} of all pairs, so IPS is off by that factor; SNIPS is not.`,
  propensities_off_margins: ({ figures }) =>
    say`ΣP is up to ${decimal(figures.items, 1)} off an item’s number of ratings, up to ${decimal(figures.users, 1)} off a user’s: features alone do not explain it. Add offsets.`,
  propensities_no_better: () =>
    say`Pairs that were not fitted are predicted no better than by one P for all: features and offsets say nothing about what is rated.`,
  ridge_at_edge: ({ figures }) =>
    say`The best ridge, l2 = ${compact(figures.l2)}, is at the edge of those that were tried.`,
  heavy_rating: ({ figures }) =>
    say`One rating weighs ${compact(figures.weight)}, ${percent(figures.share, 1)} of all weight: clip the weights.`,
  propensities_agree: ({ figures }) =>
    say`Naive Bayes and logistic regression give mean ratings that agree (${decimal(figures.own, 3)} here, ${decimal(figures.other, 3)} by the other), though single weights differ by up to ${compact(figures.ratio)} times.`,
  propensities_disagree: ({ figures }) =>
    say`Naive Bayes and logistic regression disagree: a mean rating of ${decimal(figures.own, 3)} here, ${decimal(figures.other, 3)} by the other, weights up to ${compact(figures.ratio)} times apart. At least one of the two is wrong.`,
} satisfies Words;
