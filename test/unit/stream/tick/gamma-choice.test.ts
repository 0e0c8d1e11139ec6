import { describe, expect, it } from 'vitest';
import type { GammaFit, GammaStatus } from '../../../../src/estimators/propensity/gamma.js';
import { GammaChoice } from '../../../../src/stream/tick/gamma-choice.js';
import type { GammaEvidence } from '../../../../src/stream/tick/snapshot.js';

const fitted = (
  gamma: number,
  status: GammaStatus,
  levels = 9,
  poisson = gamma + 0.1,
): Record<string, GammaFit> => ({
  '*': {
    ols: { gamma, stdErr: 0.1, r2: 0.9, intercept: 0 },
    poisson: { gamma: poisson, stdErr: 0.05, dispersion: 2, intercept: 0 },
    levels,
    zeroLevels: 0,
    status,
    curve: [],
  },
});

describe('the γ that estimators use', () => {
  it('is the default until a fit is ok, then the last good fit', () => {
    const choice = new GammaChoice('fit', 2, 'ols');
    expect(choice.report(fitted(9, 'poor_fit'))).toMatchObject({
      gamma: 2,
      gammaStdErr: 0,
      source: 'assumed',
    });
    expect(choice.report(fitted(1.4, 'ok'))).toMatchObject({
      gamma: 1.4,
      gammaStdErr: 0.1,
      source: 'fit',
    });
    expect(choice.report(fitted(7, 'too_few_levels'))).toMatchObject({
      gamma: 1.4,
      gammaStdErr: 0.1,
      beta: 1.2,
      source: 'last_good',
    });
  });
});

describe('γ set to auto', () => {
  const none = Number.NaN;
  const unknown = { gamma: none, stdErr: none, lower: none, upper: none };
  const evidence = (beta: number): GammaEvidence => ({
    calibration: {
      status: Number.isNaN(beta) ? 'too_sparse' : 'ok',
      beta,
      stdErr: 0.05,
      lower: beta - 0.098,
      upper: beta + 0.098,
      df: 50,
      effectiveItems: 51,
      unsizedShare: 0,
      items: 100,
      organic: 1000,
      randomized: 100,
    },
    exposures: {
      status: 'too_sparse',
      poisson: unknown,
      lower: none,
      upper: none,
      split: { ...unknown, effectiveItems: none },
    },
  });
  const tick = (choice: GammaChoice, beta: number, paneEnd: number) =>
    choice.report(fitted(3, 'ok'), evidence(beta), paneEnd);

  it('is calibrated, and assumed after three ticks without evidence', () => {
    const choice = new GammaChoice('auto', 0.5, 'ols');
    const found = tick(choice, 0.7, 10);
    expect(found.source).toBe('calibrated');
    expect(found.gammaStdErr).toBeCloseTo(0.1, 12);
    expect(choice.report(fitted(3, 'ok'), evidence(0.7), 20).gamma).toBeCloseTo(0.4, 12);
    const asked = tick(choice, none, 30);
    expect(asked).toMatchObject({
      source: 'calibrated',
      auto: { asking: { source: 'assumed', ticks: 1 } },
    });
    expect(asked.gamma).toBeCloseTo(0.4, 12);
    expect(tick(choice, none, 40).auto!.asking!.ticks).toBe(2);
    const changed = tick(choice, none, 50);
    expect(changed).toMatchObject({ source: 'assumed', gamma: 0.5, beta: 0.75, gammaStdErr: 0 });
    expect(changed.auto!.asking).toBeUndefined();
  });
});
