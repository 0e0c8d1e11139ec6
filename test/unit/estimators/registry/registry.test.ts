import { describe, expect, it } from 'vitest';
import { ABSOLUTE, UNCORRECTED } from '../../../../src/estimators/names.js';
import { needsScale, restsOnGamma } from '../../../../src/estimators/rules/needs.js';
import { DEFAULT_ESTIMATORS } from '../../../../src/estimators/rules/registry.js';

describe('what estimators need', () => {
  const asked = { estimators: DEFAULT_ESTIMATORS, guarantees: [] };

  it('is an absolute scale for those that divide by it, and for a bound that does', () => {
    expect(needsScale(asked)).toBe(false);
    expect(needsScale({ ...asked, estimators: [ABSOLUTE] })).toBe(true);
    expect(needsScale({ estimators: [UNCORRECTED], guarantees: ['gs-bernstein'] })).toBe(true);
    expect(needsScale({ ...asked, guarantees: ['ips-hoeffding', 'hoeffding'] })).toBe(false);
  });

  it('is a good fit of gamma where weights are powers of popularity', () => {
    const others = ['naive', 'ips', 'skew', 'wtd', 'ure'] as const;
    expect((['snips', 'gs'] as const).every(restsOnGamma)).toBe(true);
    expect(others.some(restsOnGamma)).toBe(false);
  });
});
