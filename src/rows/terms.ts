import {
  ABSOLUTE,
  COUNT_WEIGHTED,
  LEADING,
  RANDOMISED,
  UNCORRECTED,
  WEIGHTED_WITHIN_USERS,
} from '../estimators/names.js';

/** A technical term of page, report and documentation, with its meaning. */
export interface Term {
  /** Spellings of the term in texts; the first one is its usual form. */
  readonly names: readonly [string, ...string[]];
  readonly meaning: string;
}

/** Meanings of all technical terms. The glossary in the documentation is the same list. */
export const TERMS: readonly Term[] = [
  {
    names: ['95 % interval', '95 % intervals'],
    meaning:
      'Contains the true value in 95 of 100 such windows, if users are independent of each other.',
  },
  {
    names: ['corrected'],
    meaning: 'Weighted so that popular items do not count more for having been easier to find.',
  },
  {
    names: ['uncorrected', UNCORRECTED],
    meaning: 'The plain mean over interactions, which favours models that recommend popular items.',
  },
  {
    names: ['effective sample size'],
    meaning:
      'The number of equally weighted users or events that would give the same precision (Kish).',
  },
  {
    names: ['γ'],
    meaning:
      'Exponent of presentation bias: the probability of being shown is proportional to popularity^γ.',
  },
  {
    names: ['β'],
    meaning: 'Exponent of the weights: (γ + 1) / 2.',
  },
  {
    names: [LEADING],
    meaning:
      'Estimator: sum over interactions weighted by 1 / propensity, divided by the sum of the weights.',
  },
  {
    names: [ABSOLUTE],
    meaning:
      'Estimator: sum over interactions weighted by 1 / propensity, divided by the number of all pairs of users and items.',
  },
  {
    names: [WEIGHTED_WITHIN_USERS[1]!],
    meaning: 'Estimator: like snips, but all items of a stratum share their mean weight.',
  },
  {
    names: [COUNT_WEIGHTED[0]],
    meaning: 'Estimator: mean over a test set that keeps fewer rows of popular items.',
  },
  {
    names: [COUNT_WEIGHTED[1]],
    meaning: 'Estimator: mean over a test set drawn so that users and items are spread evenly.',
  },
  {
    names: [RANDOMISED],
    meaning: 'Estimator: mean over interactions with randomised lists.',
  },
  {
    names: ['propensity', 'propensities'],
    meaning: 'The probability that an interaction was observed.',
  },
  {
    names: ['gap'],
    meaning: 'The naive estimate minus the debiased one.',
  },
  {
    names: ['Gini'],
    meaning:
      'How unevenly counts are spread over items: 0 if all have the same count, 1 if one item has all of it.',
  },
  {
    names: ['Lorenz curves'],
    meaning:
      'Curves of the share of all interactions that the least popular x % of the items have, for x from 0 to 100.',
  },
  {
    names: ['importance weights', 'Importance weights'],
    meaning: 'How much each interaction counts: the less likely it was to be observed, the more.',
  },
  {
    names: ['stratum', 'strata'],
    meaning: 'Groups of items of similar popularity that share one weight (`gs`).',
  },
  {
    names: ['recall'],
    meaning: 'Share of the positive interactions whose item is among the first k of the list.',
  },
  {
    names: ['dcg'],
    meaning: 'Mean over the positive interactions of 1 / log₂(rank + 1).',
  },
  {
    names: ['mrr'],
    meaning: 'Mean over the positive interactions of 1 / rank.',
  },
  {
    names: ['auc'],
    meaning: 'Share of the candidates that are not ranked above the item the user interacted with.',
  },
];

const BY_NAME = new Map(TERMS.flatMap((term) => term.names.map((name) => [name, term] as const)));
const LONGEST_FIRST = [...BY_NAME.keys()].sort((a, b) => b.length - a.length);
const PATTERN = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:${LONGEST_FIRST.join('|')})(?![\\p{L}\\p{N}_^])`,
  'gu',
);

/** A piece of text; `term` is set if it is the name of a term. */
export interface Piece {
  readonly text: string;
  readonly term?: Term;
}

/**
 * Split a text so that each term is a piece of its own, at its first occurrence.
 *
 * @example
 * termsIn('Solid: snips.').map(({ text }) => text); // ['Solid: ', 'snips', '.']
 */
export function termsIn(text: string): Piece[] {
  const pieces: Piece[] = [];
  const found = new Set<Term>();
  let from = 0;
  for (const match of text.matchAll(PATTERN)) {
    const term = BY_NAME.get(match[0])!;
    if (found.has(term)) continue;
    found.add(term);
    if (match.index > from) {
      pieces.push({ text: text.slice(from, match.index) });
    }
    pieces.push({
      text: match[0],
      term,
    });
    from = match.index + match[0].length;
  }
  if (from < text.length) {
    pieces.push({ text: text.slice(from) });
  }
  return pieces;
}
