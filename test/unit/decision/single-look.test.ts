import { describe, expect, it } from 'vitest';
import { type LookedAt, singleLook } from '../../../src/decision/single-look.js';
import type { EstimateDifference } from '../../../src/estimators/results/estimate.js';
import type { ValueDifferenceRow } from '../../../src/estimators/value/comparison/value-differences.js';

const METRIC = { metric: 'recall', k: 10 };

function row(overrides: Partial<EstimateDifference> = {}): EstimateDifference {
  return {
    ...{ model: 'b', reference: 'a', metric: 'recall', k: 10, estimator: 'snips' },
    ...{ aggregation: 'pooled', value: 0.02, stdErr: 0.01, lower: 0.001, upper: 0.039 },
    ...{ users: 500, ess: 300, gammaStdErr: 0, ...overrides },
  };
}

function looked(overrides: Partial<LookedAt>) {
  const nothing = { from: 5, to: 9, differences: [], uncaused: [], valueDifferences: [] };
  return singleLook({ ...nothing, ...overrides }, METRIC);
}

describe('one look at one window', () => {
  it('prefers what is clear of 0, by the corrected metric over all events', () => {
    const others = [row({ k: 5 }), row({ aggregation: 'user' }), row({ estimator: 'gs' })];
    const found = looked({ differences: [...others, row()] });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ state: 'prefer', better: 'b', rule: 'single_look' });
    expect(found[0]).toMatchObject({ since: 5, at: 9, lower: 0.001, upper: 0.039 });
    const worse = row({ value: -0.02, lower: -0.039, upper: -0.001 });
    expect(looked({ differences: [worse] })[0]).toMatchObject({ state: 'prefer', better: 'a' });
  });

  it('does not know where the interval holds 0, and says nothing of few users', () => {
    expect(looked({ differences: [row({ lower: 0 })] })[0]!.state).toBe('undecided');
    const same = row({ value: 0, stdErr: 0, lower: 0, upper: 0 });
    expect(looked({ differences: [same] })[0]!.state).toBe('same');
    const few = looked({ differences: [row({ ess: 29 })] })[0];
    expect(few).toMatchObject({ state: 'none', reason: 'few_users', better: null });
  });

  it('says where uncorrected numbers say the opposite', () => {
    const naive = (lower: number, upper: number) =>
      row({ estimator: 'naive', value: -0.02, lower, upper });
    const opposite = (plain: EstimateDifference) =>
      looked({ differences: [row(), plain] })[0]!.saysOpposite;
    expect(opposite(naive(-0.03, -0.01))).toBe(true);
    expect(opposite(naive(-0.05, 0.01))).toBe(false);
  });

  it('goes by what users found by themselves where the whole is withheld', () => {
    const withheld = row({ value: Number.NaN, withheld: 'caused_by_lists' });
    const uncaused = [row({ value: -0.05, lower: -0.08, upper: -0.02 })];
    expect(looked({ differences: [withheld], uncaused })[0]).toMatchObject({ better: 'a' });
    expect(looked({ differences: [withheld] })[0]).toMatchObject({
      ...{ state: 'none', reason: 'withheld' },
    });
  });

  it('goes by what lists are worth where something may be decided on it', () => {
    const value = (decides: boolean) =>
      ({
        ...row({ value: -1, lower: -2, upper: -0.5 }),
        ...{ metric: 'value', k: null, decides, referenceEstimator: 'on_policy' },
      }) as unknown as ValueDifferenceRow;
    const by = (decides: boolean) =>
      looked({ differences: [row()], valueDifferences: [value(decides)] })[0];
    expect(by(true)).toMatchObject({ metric: 'value', better: 'a' });
    expect(by(false)).toMatchObject({ metric: 'recall', better: 'b' });
  });
});
