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

/** Describe a propensities file: kind, version and date. */
export function fileWords({
  kind,
  version,
  date,
}: Pick<PropensityStamp, 'kind' | 'version' | 'date'>): string {
  return `${KINDS[kind]}, version ${version}, from ratings through ${date}`;
}

/** Size of the data that propensities were learned from. */
interface LearnedFrom {
  readonly users: number;
  readonly items: number;
  readonly pairs: number;
  readonly chosen: number;
}

/** Findings about learned propensities, to be read before they are used; cautions come first. */
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

/**
 * Finding about whether two kinds of propensities, learned from the same data, agree; none if only
 * one kind could be learned.
 */
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
    say`With naive Bayes, the inverse propensities add up to the number of pairs by construction, so this agreement does not show that they are right.`,
  propensities_off_pairs: ({ figures }) =>
    say`The inverse propensities of the ratings add up to ${decimal(figures.ratio, 3)} times the number of pairs. IPS is off by that factor, SNIPS is not.`,
  propensities_off_margins: ({ figures }) =>
    say`Numbers of ratings that the propensities predict are off by up to ${decimal(figures.items, 1)} for an item and ${decimal(figures.users, 1)} for a user. Features alone do not explain who rates what: add offsets.`,
  propensities_no_better: () =>
    say`In cross-validation, the propensities are no better than a constant at predicting which pairs are rated. Try other features.`,
  ridge_at_edge: ({ figures }) =>
    say`The best ridge penalty, l2 = ${compact(figures.l2)}, is at the edge of the range that was tried. Try values beyond it.`,
  heavy_rating: ({ figures }) =>
    say`A single rating weighs ${compact(figures.weight)}, which is ${percent(figures.share, 1)} of the total weight. Clip the weights.`,
  propensities_agree: ({ figures }) =>
    say`Naive Bayes and logistic regression agree on the mean rating: ${decimal(figures.own, 3)} by this one, ${decimal(figures.other, 3)} by the other. Single weights differ by a factor of up to ${compact(figures.ratio)}.`,
  propensities_disagree: ({ figures }) =>
    say`Naive Bayes and logistic regression disagree on the mean rating: ${decimal(figures.own, 3)} by this one, ${decimal(figures.other, 3)} by the other. Single weights differ by a factor of up to ${compact(figures.ratio)}. At least one of the two is wrong.`,
} satisfies Words;
