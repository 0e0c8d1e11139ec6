import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import { GUARANTEES } from '../../src/estimators/uncertainty/guarantees.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { estimate, type PlainWindow } from '../oracle/window.js';
import { differences } from '../support/compare.js';
import { repetitions } from '../support/repetitions.js';

const options = fc.record({
  gamma: fc.constantFrom(-1, 0, 2),
  gammaStdErr: fc.constantFrom(0, 0.3),
  interval: fc.constantFrom('t-logit' as const, 'korn-graubard' as const, 'bootstrap' as const),
  feedback: fc.constantFrom('ignore' as const, 'withhold' as const),
  userForm: fc.constantFrom('plain' as const, 'corrected' as const),
  smoothing: fc.constantFrom(0.5, 1),
  sampleShare: fc.constantFrom(0.3, 0.5, 0.999),
});

const ASKED = {
  metrics: ['recall', 'mrr', 'ndcg'] as const,
  ks: [2],
  estimators: ESTIMATORS.filter((name) => name !== 'wtd_ipf'),
  guarantees: GUARANTEES,
};

/** Users' values differ by rounding only: no error, one effective user, a plain mean. */
function alike(window: PlainWindow): PlainWindow {
  const user = window.users.find(({ rows }) => rows.length > 1) ?? window.users[0];
  if (user === undefined) return window;
  const isDropped = (key: number, item: number) => item % 4 === key % 4;
  const users = Array.from({ length: 9 }, (_, key) => ({
    ...user,
    key,
    rows: key < 5 ? user.rows : user.rows.filter(({ item }) => !isDropped(key, item)),
  }));
  return { ...window, users };
}

const windows = fc.oneof(
  plainWindow(),
  plainWindow().map(alike),
  plainWindow().map((window) => ({ ...alike(window), users: alike(window).users.slice(0, 5) })),
);

it('partitioning users differently flips no branch of an estimate', () => {
  const parts = fc.array(fc.nat(5), { minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(windows, options, parts, (window, own, part) => {
      const asked = { ...ASKED, ...own };
      const whole = estimate(window, asked);
      const split = estimate(window, asked, (user) => part[user]);
      expect(differences(whole, split, 1e-9)).toEqual([]);
    }),
    { numRuns: repetitions(60, 2000) },
  );
});
