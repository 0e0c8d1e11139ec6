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

  it('prefers the higher value where more is better', () => {
    const metric = { metric: 'accuracy', k: null } as const;
    const estimates = [estimate('a', metric), estimate('b', metric)];
    const found = looked({ differences: [difference(metric)], estimates }, { metric });
    expect(found[0]).toMatchObject({ state: 'prefer', better: 'b' });
  });

  it('does not know where the interval holds 0, and says nothing of few users', () => {
    expect(looked({ differences: [difference({ upper: 0 })] })[0]!.state).toBe('undecided');
    const few = looked({ differences: [difference({ ess: 29 })] })[0];
    expect(few).toMatchObject({ state: 'none', reason: 'few_users', better: null });
  });

  it('says where plain errors say the opposite, and never decides by them', () => {
    const plain = difference({ estimator: 'naive', value: 0.1, lower: 0.06, upper: 0.14 });
    expect(looked({ differences: [difference(), plain] })[0]).toMatchObject({
      ...{ better: 'a', saysOpposite: true, uncorrected: 0.1 },
    });
    expect(looked({ differences: [plain] })[0]).toMatchObject({
      ...{ state: 'none', reason: 'not_corrected', better: null, uncorrected: 0.1 },
    });
  });

  it('has no verdict on errors of different pairs, but on what lists hold of the same ones', () => {
    const models = [
      { model: 'b', predicted: 900, unpredicted: 0 },
      { model: 'a', predicted: 899, unpredicted: 1 },
    ];
    expect(looked({ models })[0]).toMatchObject({ state: 'none', reason: 'unpredicted' });
    const metric = { metric: 'cg', k: 10 } as const;
    const estimates = [estimate('a', metric), estimate('b', metric)];
    const differences = [difference(metric)];
    expect(looked({ models, estimates, differences }, { metric })[0]).toMatchObject({
      ...{ state: 'prefer', better: 'b', k: 10 },
    });
  });

  it('leaves out models without an estimate, and says nothing without a reference', () => {
    expect(looked({ estimates: [estimate('b')] })).toEqual([]);
    expect(looked({}, { reference: 'gone' })).toEqual([]);
  });
});
