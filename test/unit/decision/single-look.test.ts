import { describe, expect, it } from 'vitest';
import type { EstimateDifference } from '../../../src/estimators/results/estimate.js';
import { reason } from '../../../src/features/values/reasons.js';
import type { ValueDifferenceRow } from '../../../src/features/values/value-differences.js';
import { type LookedAt, singleLook } from '../../../src/features/verdicts/single-look.js';
import { differenceOf } from '../../support/rows.js';

const METRIC = { metric: 'recall', k: 10 };

function row(overrides: object = {}): EstimateDifference {
  return differenceOf({
    ...{ model: 'b', reference: 'a', metric: 'recall', k: 10, estimator: 'snips' },
    ...{ aggregation: 'pooled', value: 0.02, stdErr: 0.01, lower: 0.001, upper: 0.039 },
    ...{ users: 500, ess: 300, gammaStdErr: 0, ...overrides },
  });
}

function looked(overrides: Partial<LookedAt>) {
  const rows = { differences: [], uncaused: [], valueDifferences: [], flips: [] };
  const gammas = { gamma: 0.5, plausibleGamma: { lower: 0.4, upper: 0.6 } };
  return singleLook({ from: 5, to: 9, ...rows, ...gammas, ...overrides }, METRIC);
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
    expect(looked({ differences: [withheld], uncaused })[0]).toMatchObject({
      ...{ better: 'a', isOfUncaused: true },
    });
    expect(looked({ differences: [row()], uncaused })[0]).not.toHaveProperty('isOfUncaused');
    expect(looked({ differences: [withheld] })[0]).toMatchObject({
      ...{ state: 'none', reason: 'withheld' },
    });
  });

  it('goes by what lists are worth where something may be decided on it', () => {
    const value = (decides: boolean) =>
      ({
        ...row({ value: -1, lower: -2, upper: -0.5 }),
        ...{ metric: 'value', k: null, referenceEstimator: 'on_policy' },
        reasons: decides ? [] : [reason('few_rewards', 'undecided', { ess: 12, least: 30 })],
      }) as unknown as ValueDifferenceRow;
    const by = (decides: boolean) =>
      looked({ differences: [row()], valueDifferences: [value(decides)] })[0];
    expect(by(true)).toMatchObject({ metric: 'value', better: 'a' });
    expect(by(false)).toMatchObject({ metric: 'recall', better: 'b' });
  });

  describe('where γ is not known exactly', () => {
    const flips = [{ below: 'a', above: 'b', gamma: -0.2, isOfLeaders: true }];
    const assumed = { lower: -1, upper: 1 };

    it('does not know who is better if they change places at a plausible γ', () => {
      const found = looked({ differences: [row()], flips, plausibleGamma: assumed })[0];
      expect(found).toMatchObject({ state: 'undecided', better: null });
      expect(found!.flip).toEqual({ gamma: -0.2, winsBelow: 'a' });
    });

    it('prefers where they change places at a γ that the data exclude, or others do', () => {
      expect(looked({ differences: [row()], flips })[0]).toMatchObject({ state: 'prefer' });
      const others = [{ ...flips[0], below: 'c' }];
      const found = looked({ differences: [row()], flips: others, plausibleGamma: assumed })[0];
      expect(found).toMatchObject({ state: 'prefer', flip: null });
    });

    it('goes from no correction to γ by what users found by themselves', () => {
      const withheld = row({ value: Number.NaN, withheld: 'caused_by_lists' });
      const uncaused = [row({ value: 0.02 }), row({ estimator: 'naive', value: -0.01 })];
      const of = { differences: [withheld], uncaused };
      const found = looked({ ...of, plausibleGamma: assumed })[0];
      expect(found).toMatchObject({ state: 'undecided', flip: { winsBelow: 'a' } });
      // A third of the way from −1 to .5.
      expect(found!.flip!.gamma).toBeCloseTo(-0.5, 12);
      expect(looked(of)[0]).toMatchObject({ state: 'prefer', better: 'b', flip: null });
    });

    it('goes on along that line, as far as γ may be', () => {
      const withheld = row({ value: Number.NaN, withheld: 'caused_by_lists' });
      const naive = (value: number) => [row({ value: 0.02 }), row({ estimator: 'naive', value })];
      const of = (value: number) =>
        looked({ differences: [withheld], uncaused: naive(value), plausibleGamma: assumed })[0]!;
      expect(of(0.05)).toMatchObject({ state: 'prefer', better: 'b' });
      const found = of(0.1);
      expect(found).toMatchObject({ state: 'undecided', better: null, flip: { winsBelow: 'b' } });
      // .02 at γ = .5, and .08 less in each 1.5 of γ.
      expect(found.flip!.gamma).toBeCloseTo(0.875, 12);
    });

    it('does not touch what lists are worth, which rests on no γ', () => {
      const value = {
        ...row({ value: 1, lower: 0.5, upper: 2 }),
        ...{ metric: 'value', k: null, decides: true, referenceEstimator: 'on_policy' },
      } as unknown as ValueDifferenceRow;
      const rows = { differences: [row()], valueDifferences: [value] };
      const found = looked({ ...rows, flips, plausibleGamma: assumed })[0];
      expect(found).toMatchObject({ metric: 'value', state: 'prefer', better: 'b' });
    });
  });
});
