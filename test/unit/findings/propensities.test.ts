import { describe, expect, it } from 'vitest';
import type {
  LogisticFigures,
  PropensityFigures,
} from '../../../src/estimators/propensity/propensity-figures.js';
import { propensityFindings } from '../../../src/rows/findings/propensities.js';
import { textOf } from '../../../src/rows/findings/words.js';

/** 50 users × 100 items with 1,000 ratings: 20 a user, 10 an item. */
const FROM = { users: 50, items: 100, pairs: 5000, chosen: 1000 };

function regression(more: Partial<LogisticFigures> = {}): LogisticFigures {
  return {
    margins: { total: 0, users: 4, items: 2 },
    reliability: [],
    validation: {
      folds: 5,
      scores: [
        { l2: 1, logLikelihood: -0.4 },
        { l2: 10, logLikelihood: -0.3 },
      ],
      constant: -0.35,
      isAtEdge: false,
    },
    ...more,
  };
}

function figures(more: Partial<PropensityFigures> = {}): PropensityFigures {
  return {
    weights: { inversePropensity: 1.049, largest: 50, ess: 600 },
    meanRating: { plain: 3, weighted: 2.5, overPairs: 2.6, random: null },
    fit: regression(),
    comparison: null,
    ...more,
  };
}

const codes = (given: PropensityFigures) => propensityFindings(given, FROM).map(({ code }) => code);

describe('findings on learned propensities', () => {
  it('are none where all figures are within their limits', () => {
    expect(codes(figures())).toEqual([]);
  });

  it('say that propensities of Naive Bayes add up by construction', () => {
    expect(codes(figures({ fit: null }))).toEqual(['propensities_by_construction']);
  });

  it('report Σ 1/P that is more than 5 % off the number of pairs', () => {
    const weights = { inversePropensity: 1.051, largest: 50, ess: 600 };
    expect(codes(figures({ weights }))).toEqual(['propensities_off_pairs']);
  });

  it('report ΣP of users or items that is off by over 20 % of their mean count', () => {
    const off = (users: number, items: number) =>
      codes(figures({ fit: regression({ margins: { total: 0, users, items } }) }));
    expect(off(4.1, 0)).toEqual(['propensities_off_margins']);
    expect(off(0, 2.1)).toEqual(['propensities_off_margins']);
  });

  it('report a fit no better than a constant, and a best ridge at the edge', () => {
    const { validation } = regression();
    const worse = { ...validation, constant: -0.3 };
    expect(codes(figures({ fit: regression({ validation: worse }) }))).toEqual([
      'propensities_no_better',
    ]);
    const atEdge = { ...validation, isAtEdge: true };
    expect(codes(figures({ fit: regression({ validation: atEdge }) }))).toEqual(['ridge_at_edge']);
  });

  it('say that one rating has much of the weight', () => {
    const heavy = (largest: number) =>
      codes(figures({ weights: { inversePropensity: 1, largest, ess: 600 } }));
    expect(heavy(50)).toEqual([]);
    expect(heavy(60)).toEqual(['heavy_rating']);
  });

  it('say whether Naive Bayes and regression agree, and put a disagreement first', () => {
    const beside = {
      with: 'lr' as const,
      largestRatio: 8,
      means: [2.2, 2.4] as const,
      margin: 0.1,
    };
    const compared = (doDisagree: boolean) =>
      figures({ fit: null, comparison: { ...beside, doDisagree } });
    const [disagree] = propensityFindings(compared(true), FROM);
    expect(disagree.code).toBe('propensities_disagree');
    expect(textOf(disagree)).toContain('the mean rating: 2.200 by this one, 2.400 by the other');
    expect(codes(compared(false))).toEqual(['propensities_by_construction', 'propensities_agree']);
  });
});
