import { describe, expect, it } from 'vitest';
import type { GammaFit, GammaStatus } from '../../../../src/propensity/gamma.js';
import { GammaChoice } from '../../../../src/stream/tick/gamma-choice.js';

const fitted = (
  gamma: number,
  status: GammaStatus,
  levels = 9,
  poisson = gamma + 0.1,
): Record<string, GammaFit> => ({
  '*': {
    ols: { gamma, stdErr: 0.1, r2: 0.9, intercept: 0 },
    poisson: { gamma: poisson, stdErr: 0.05, dispersion: 2, intercept: 0 },
    ...{ levels, zeroLevels: 0, status, curve: [] },
  },
});

describe('the γ that estimators use', () => {
  it('is the configured one without error, whatever the fits say', () => {
    const choice = new GammaChoice(1.2, 2, 'ols');
    const expected = { gamma: 1.2, gammaStdErr: 0, beta: 1.1, source: 'fixed' };
    expect(choice.report(fitted(3, 'ok'))).toMatchObject(expected);
  });

  it('is the default until a fit is ok, then this fit, then the last that was ok', () => {
    const choice = new GammaChoice('fit', 2, 'ols');
    expect(choice.report(fitted(9, 'poor_fit'))).toMatchObject({
      ...{ gamma: 2, gammaStdErr: 0, source: 'default' },
    });
    expect(choice.report(fitted(1.4, 'ok'))).toMatchObject({
      ...{ gamma: 1.4, gammaStdErr: 0.1, source: 'fit' },
    });
    expect(choice.report(fitted(7, 'too_few_levels'))).toMatchObject({
      ...{ gamma: 1.4, gammaStdErr: 0.1, beta: 1.2, source: 'last_good' },
    });
  });

  it('is that of the Poisson fit with its error where this is asked for and has a maximum', () => {
    const choice = new GammaChoice('fit', 2, 'poisson');
    const expected = { gamma: 1.5, gammaStdErr: 0.05, source: 'fit', fit: 'poisson' };
    expect(choice.report(fitted(1.4, 'ok', 9, 1.5))).toMatchObject(expected);
    const none = choice.report(fitted(1.7, 'ok', 9, Number.NaN));
    expect(none).toMatchObject({ ...expected, source: 'last_good' });
  });

  it('calls a fit stale when there is nothing left to fit and an earlier one is used', () => {
    const choice = new GammaChoice('fit', 2, 'ols');
    expect(choice.report(fitted(Number.NaN, 'too_few_levels', 0)).fits['*']!.status).toBe(
      'too_few_levels',
    );
    choice.report(fitted(1.4, 'ok'));
    expect(choice.report(fitted(Number.NaN, 'too_few_levels', 0)).fits['*']!.status).toBe('stale');
  });
});
