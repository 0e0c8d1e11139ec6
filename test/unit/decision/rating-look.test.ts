import { describe, expect, it } from 'vitest';
import type {
  RatingDifference,
  RatingRow,
  RatingsReport,
} from '../../../src/features/ratings/rating-report.js';
import { type RatingLook, ratingLook } from '../../../src/features/ratings/work.js';
import { ratingsReportOf } from '../../support/ratings-report.js';
import { ratingDifferenceOf } from '../../support/rows.js';

const LOOK: RatingLook = {
  ...{ from: 5, to: 9, reference: 'b' },
  metric: { metric: 'mse', k: null },
};
const SIZES = { users: 500, ess: 300 };

function difference(own: object = {}): RatingDifference {
  return ratingDifferenceOf({
    ...{ ...SIZES, model: 'a', reference: 'b', metric: 'mse', k: null, aggregation: 'pooled' },
    ...{ estimator: 'snips', value: -0.1, stdErr: 0.02, lower: -0.14, upper: -0.06, ...own },
  });
}

function estimate(model: string, own: Partial<RatingRow> = {}): RatingRow {
  const { reference: _, counts, ...numbers } = difference();
  const of = { ...counts, pairs: 900 };
  return {
    ...numbers,
    model,
    value: 1,
    lower: 0.9,
    upper: 1.1,
    counts: of,
    more: { clippingBias: 0 },
    ...own,
  };
}

function looked(own: Partial<RatingsReport>, look: Partial<RatingLook> = {}) {
  const models = ['b', 'a'].map((model) => ({ model, predicted: 900, unpredicted: 0 }));
  const estimates = [estimate('a'), estimate('b')];
  const report = ratingsReportOf({ differences: [difference()], estimates, models, ...own });
  return ratingLook(report, { ...LOOK, ...look });
}

describe('one look at the ratings of a window', () => {
  it('prefers the model with the lower error, by snips over all events', () => {
    const others = [difference({ aggregation: 'user' }), difference({ metric: 'mae' })];
    const found = looked({ differences: [...others, difference()] });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ state: 'prefer', better: 'a', metric: 'mse', value: -0.1 });
    expect(found[0]).toMatchObject({ rule: 'single_look', since: 5, at: 9, saysOpposite: false });
    const worse = difference({ value: 0.1, lower: 0.06, upper: 0.14 });
    expect(looked({ differences: [worse] })[0]).toMatchObject({ state: 'prefer', better: 'b' });
  });
});
