import { describe, expect, it } from 'vitest';
import type { EstimateDifference } from '../../../src/estimators/results/estimate.js';
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

  describe('where γ is not known exactly', () => {
    const flips = [{ below: 'a', above: 'b', gamma: -0.2, isOfLeaders: true }];
    const assumed = { lower: -1, upper: 1 };

    it('does not know who is better if they change places at a plausible γ', () => {
      const found = looked({ differences: [row()], flips, plausibleGamma: assumed })[0];
      expect(found).toMatchObject({ state: 'undecided', better: null });
      expect(found!.flip).toEqual({ gamma: -0.2, winsBelow: 'a' });
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
  });
});
