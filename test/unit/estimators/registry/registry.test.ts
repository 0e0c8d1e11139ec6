import { describe, expect, it } from 'vitest';
import { ABSOLUTE, UNCORRECTED } from '../../../../src/estimators/names.js';
import { needsScale, restsOnGamma } from '../../../../src/estimators/rules/needs.js';
import { DEFAULT_ESTIMATORS } from '../../../../src/estimators/rules/registry.js';

describe('what estimators need', () => {
  const asked = { estimators: DEFAULT_ESTIMATORS, guarantees: [] };

  it('includes an absolute scale if an estimator or a bound divides by it', () => {
    expect(needsScale(asked)).toBe(false);
    expect(needsScale({ ...asked, estimators: [ABSOLUTE] })).toBe(true);
    expect(needsScale({ estimators: [UNCORRECTED], guarantees: ['gs-bernstein'] })).toBe(true);
    expect(needsScale({ ...asked, guarantees: ['ips-hoeffding', 'hoeffding'] })).toBe(false);
  });

  it('includes γ for snips and gs, but not for the others', () => {
    const others = ['naive', 'ips', 'skew', 'wtd', 'ure'] as const;
    expect((['snips', 'gs'] as const).every(restsOnGamma)).toBe(true);
    expect(others.some(restsOnGamma)).toBe(false);
  });
});
