import { describe, expect, it } from 'vitest';
import type { ExponentTest } from '../../../../src/estimators/diagnostics/exponent-test.js';
import { knownGamma } from '../../../../src/rows/findings/gamma.js';
import type { PropensityReport } from '../../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';

const { propensity } = makeSnapshot();

function test(changes: Partial<ExponentTest> = {}): ExponentTest {
  return {
    beta: 0.7,
    stdErr: 0.05,
    lower: 0.6,
    upper: 0.8,
    used: 0.75,
    deviation: 1,
    items: 100,
    organic: 900,
    randomized: 300,
    ...changes,
  };
}

const of = (changes: Partial<PropensityReport>, tested: ExponentTest | null = null) =>
  knownGamma({ ...propensity, gamma: 0.5, beta: 0.75, gammaStdErr: 0.1, ...changes }, tested);

describe('whether the data determine γ', () => {
  it.each([
    ['calibrated', true],
    ['fit', true],
    ['assumed', false],
    ['last_good', false],
    ['fixed', false],
  ] as const)('with the source %s is %s', (source, isKnown) => {
    const found = of({ source });
    expect(found.isKnown).toBe(isKnown);
    expect(found.lower).toBeCloseTo(0.304, 12);
    expect(found.upper).toBeCloseTo(0.696, 12);
  });

  it('is true for a fixed γ that randomised traffic confirms, with that test’s error', () => {
    const fixed = { source: 'fixed', gammaStdErr: 0 } as const;
    expect(of(fixed)).toMatchObject({ isKnown: false, lower: 0.5, upper: 0.5 });
    const found = of(fixed, test());
    expect(found.isKnown).toBe(true);
    // β from .6 to .8 is γ to ± .2.
    expect(found.upper - 0.5).toBeCloseTo(0.2, 12);
    expect(of(fixed, test({ stdErr: 0.16 })).isKnown).toBe(false);
    expect(of(fixed, test({ deviation: 2.1 })).isKnown).toBe(false);
    expect(of(fixed, test({ deviation: Number.NaN })).isKnown).toBe(false);
  });
});

describe('sources that contradict each other', () => {
  it('are randomised traffic and the γ in use beyond two standard errors', () => {
    expect(of({ source: 'fit' }, test({ deviation: 2 })).apart).toBeUndefined();
    expect(of({ source: 'fit' }, test({ deviation: 2.1 })).apart).toEqual({
      randomized: 0.7,
      other: 0.75,
      deviation: 2.1,
    });
  });

  it('are randomised traffic and exposures that differ by more than both errors allow', () => {
    const auto = (gamma: number, half: number, status: 'ok' | 'noisy_counts' = 'ok') => {
      const fit = { gamma, stdErr: half / 1.96, lower: gamma - half, upper: gamma + half };
      return {
        exposures: { ...fit, status, split: { ...fit, effectiveItems: 9 }, poisson: fit },
      } as unknown as PropensityReport['auto'];
    };
    const calibrated = (own: PropensityReport['auto']) =>
      of({ source: 'calibrated', auto: own! }, test({ deviation: 0 })).apart;
    // β of the exposures .85 ± .0125, randomised .7 ± .05.
    expect(calibrated(auto(0.7, 0.049))?.deviation).toBeCloseTo(0.15 / Math.hypot(0.05, 0.0125), 6);
    expect(calibrated(auto(0.7, 0.049))).toMatchObject({ randomized: 0.7, other: 0.85 });
    expect(calibrated(auto(0.58, 0.049))).toBeUndefined();
    // As far apart, but the error of the exposures is larger.
    expect(calibrated(auto(0.7, 0.4))).toBeUndefined();
    expect(calibrated(auto(0.7, 0.049, 'noisy_counts'))).toBeUndefined();
  });
});
