import { describe, expect, it } from 'vitest';
import {
  ABSOLUTE,
  LEADING,
  RANDOMISED,
  STRATEGIES,
  UNCORRECTED,
  UNWEIGHTED,
} from '../../../../src/estimators/names.js';
import { needsScale, restsOnGamma } from '../../../../src/estimators/rules/needs.js';
import {
  DEFAULT_ESTIMATORS,
  ESTIMATORS,
  estimatorOf,
  isIntervention,
} from '../../../../src/estimators/rules/registry.js';

/** As label values and JSON have them; names may be added, and none may change its place among these. */
const NAMES = 'naive ips snips gs full reg skew wtd wtd_h wtd_ipf ure'.split(' ');

describe('the registry of estimators', () => {
  it('keeps names and their order, and what is computed by default', () => {
    expect(ESTIMATORS.filter((name) => NAMES.includes(name))).toEqual(NAMES);
    expect(DEFAULT_ESTIMATORS).toEqual(['naive', 'snips', 'gs', 'skew', 'wtd_h']);
  });

  it('has the roles that page and reports build on', () => {
    expect(estimatorOf(UNCORRECTED).kind).toBe('observed');
    expect(estimatorOf(LEADING).kind).toBe('weighted');
    expect(estimatorOf(RANDOMISED).kind).toBe('randomised');
    expect(estimatorOf(ABSOLUTE).needs.scale).toBeDefined();
    const unweighted = ESTIMATORS.filter((name) => {
      const entry = estimatorOf(name);
      if (entry.kind !== 'intervention') return entry.kind === 'observed';
      const { weights } = entry;
      return weights !== 'raked' && weights.user === null && weights.item === null;
    });
    expect([...UNWEIGHTED].sort()).toEqual(unweighted.sort());
  });

  it('offers every intervention as a strategy of export', () => {
    expect([...STRATEGIES].sort()).toEqual(ESTIMATORS.filter(isIntervention).sort());
  });
});

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
