import { describe, expect, it } from 'vitest';
import { learnedPropensities } from '../../../../src/estimators/propensity/learned-propensities.js';
import type { LogisticFile } from '../../../../src/estimators/propensity/propensity-file.js';

const LOGISTIC: LogisticFile = {
  kind: 'lr',
  l2: 1,
  offsets: 'both',
  rate: 1,
  seed: 0,
  intercept: -1,
  weights: [
    [0.5, 2],
    [-1, 0],
  ],
  users: {
    ids: ['ann', 'bob'],
    names: ['a', 'b'],
    features: [
      [1, 0],
      [0, 3],
    ],
    offsets: [0.25, -0.5],
  },
  items: {
    ids: ['book', 'film'],
    names: ['y', 'z'],
    features: [
      [1, 1],
      [2, 0],
    ],
    offsets: [0.1, 0],
  },
};
const sigma = (logit: number) => 1 / (1 + Math.exp(-logit));

describe('learned propensities', () => {
  it('by logistic regression follow its equation for each pair, regardless of the rating', () => {
    const learned = learnedPropensities(LOGISTIC);
    const p = (user: string, item: string, rating = 3) =>
      learned.propensity(learned.userOf(user), learned.itemOf(item), rating);
    expect(p('ann', 'book')).toBeCloseTo(sigma(-1 + 0.25 + 0.1 + 0.5 + 2), 14);
    expect(p('bob', 'film')).toBeCloseTo(sigma(-1 - 0.5 + 3 * 2 * -1), 14);
    expect(p('bob', 'film', 1)).toBe(p('bob', 'film', 5));
  });

  it('by Naive Bayes depend on the rating alone, and are NaN for unchosen ratings', () => {
    const learned = learnedPropensities({
      kind: 'nb',
      smoothing: 1,
      values: [
        { rating: 1, chosen: 2, random: 3, propensity: 0.03 },
        { rating: 2, chosen: 0, random: 1, propensity: 0 },
        { rating: 5, chosen: 6, random: 1, propensity: 0.18 },
      ],
    });
    const p = (rating: number) =>
      learned.propensity(learned.userOf('x'), learned.itemOf('y'), rating);
    expect(p(1)).toBe(0.03);
    expect(p(5)).toBe(0.18);
    expect(p(2)).toBeNaN();
    expect(p(4)).toBeNaN();
  });
});
