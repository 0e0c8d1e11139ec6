import { describe, expect, it } from 'vitest';
import type { ExponentTest } from '../../../../src/estimators/results/exponent-test.js';
import {
  gammaHalfWidth,
  isGivenByData,
  plausibleGamma,
} from '../../../../src/estimators/window/gamma-error.js';

/** Randomised traffic gives β as .75 ± .05, a standard error off the one in use. */
const CONFIRMS = {
  ...{ beta: 0.75, used: 0.7, stdErr: 0.05, lower: 0.65, upper: 0.85, deviation: 1 },
} as ExponentTest;
const CONTRADICTS = { ...CONFIRMS, deviation: 2.5 };
const VAGUE = { ...CONFIRMS, stdErr: 0.2 };

describe('what γ may be', () => {
  it.each(['fit', 'calibrated'])('is its 95 %% interval where the data give it: %s', (source) => {
    expect(isGivenByData(source, null)).toBe(true);
    const { lower, upper } = plausibleGamma({ gamma: 0.5, source, gammaStdErr: 0.1 }, null);
    expect(lower).toBeCloseTo(0.304, 12);
    expect(upper).toBeCloseTo(0.696, 12);
  });

  it.each([
    ['assumed', null],
    ['fixed', null],
    ['fixed', CONTRADICTS],
    ['fixed', VAGUE],
    ['last_good', CONFIRMS],
  ] as const)('is all that traffic may have where it is only assumed: %s', (source, test) => {
    expect(isGivenByData(source, test)).toBe(false);
    const inUse = { source, gammaStdErr: 0 };
    expect(plausibleGamma({ ...inUse, gamma: 0.5 }, test)).toEqual({ lower: -1, upper: 1 });
    expect(plausibleGamma({ ...inUse, gamma: 1.4 }, test)).toEqual({ lower: -1, upper: 1.4 });
  });

  it('is what randomised traffic gives of a fixed one that it confirms', () => {
    const inUse = { gamma: 0.4, source: 'fixed', gammaStdErr: 0 };
    expect(isGivenByData('fixed', CONFIRMS)).toBe(true);
    // γ = 2β − 1: half of γ's interval is the whole of β's.
    expect(gammaHalfWidth(inUse, CONFIRMS)).toBeCloseTo(0.2, 12);
    expect(plausibleGamma(inUse, CONFIRMS).lower).toBeCloseTo(0.2, 12);
    expect(plausibleGamma(inUse, CONFIRMS).upper).toBeCloseTo(0.6, 12);
  });
});
