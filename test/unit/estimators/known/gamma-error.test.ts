import { describe, expect, it } from 'vitest';
import type { ExponentTest } from '../../../../src/estimators/diagnostics/exponent-test.js';
import {
  isGivenByData,
  plausibleGamma,
} from '../../../../src/estimators/propensity/gamma-error.js';

/** Randomised traffic gives β as .75 ± .05, a standard error off the one in use. */
const CONFIRMS = {
  beta: 0.75,
  used: 0.7,
  stdErr: 0.05,
  lower: 0.65,
  upper: 0.85,
  deviation: 1,
} as ExponentTest;
const CONTRADICTS = { ...CONFIRMS, deviation: 2.5 };
const VAGUE = { ...CONFIRMS, stdErr: 0.2 };

describe('the plausible range of γ', () => {
  it.each([
    ['assumed', null],
    ['fixed', null],
    ['fixed', CONTRADICTS],
    ['fixed', VAGUE],
    ['last_good', CONFIRMS],
  ] as const)('is −1 to 1, extended to γ, if data do not determine it: %s', (source, test) => {
    expect(isGivenByData(source, test)).toBe(false);
    const inUse = { source, gammaStdErr: 0 };
    expect(plausibleGamma({ ...inUse, gamma: 0.5 }, test)).toEqual({ lower: -1, upper: 1 });
    expect(plausibleGamma({ ...inUse, gamma: 1.4 }, test)).toEqual({ lower: -1, upper: 1.4 });
  });
});

it('is at most ± 5, extended to γ, if its error is huge', () => {
  const unknown = { source: 'fit', gamma: 0.5, gammaStdErr: 1e9 };
  expect(plausibleGamma(unknown, null)).toEqual({ lower: -5, upper: 5 });
  expect(plausibleGamma({ ...unknown, gamma: 7 }, null)).toEqual({ lower: -7, upper: 7 });
});
