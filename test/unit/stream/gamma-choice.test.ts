import { describe, expect, it } from 'vitest';
import type { GammaFit, GammaStatus } from '../../../src/propensity/gamma.js';
import { GammaChoice } from '../../../src/stream/gamma-choice.js';

const fit = (gamma: number, status: GammaStatus, levels = 9): Record<string, GammaFit> => ({
  '*': { ols: { gamma, stdErr: 0.1, r2: 0.9 }, levels, zeroLevels: 0, status, curve: [] },
});

describe('the γ that estimators use', () => {
  it('is the configured one, whatever the fits say', () => {
    const choice = new GammaChoice(1.2, 2);
    expect(choice.report(fit(3, 'ok'))).toMatchObject({ gamma: 1.2, beta: 1.1, source: 'fixed' });
  });

  it('is the default until a fit is ok, then this fit, then the last that was ok', () => {
    const choice = new GammaChoice('fit', 2);
    expect(choice.report(fit(9, 'poor_fit'))).toMatchObject({ gamma: 2, source: 'default' });
    expect(choice.report(fit(1.4, 'ok'))).toMatchObject({ gamma: 1.4, source: 'fit' });
    expect(choice.report(fit(7, 'too_few_levels'))).toMatchObject({
      ...{ gamma: 1.4, beta: 1.2, source: 'last_good' },
    });
  });

  it('calls a fit stale when there is nothing left to fit and an earlier one is used', () => {
    const choice = new GammaChoice('fit', 2);
    expect(choice.report(fit(Number.NaN, 'too_few_levels', 0)).fits['*']!.status).toBe(
      'too_few_levels',
    );
    choice.report(fit(1.4, 'ok'));
    expect(choice.report(fit(Number.NaN, 'too_few_levels', 0)).fits['*']!.status).toBe('stale');
  });
});
