import type { DecisionOptions } from '../../src/features/verdicts/decision-options.js';

/** Verdicts by recall@1 every two panes of 10 ms, with days of 40 ms. */
export function decisionOptions(overrides: Partial<DecisionOptions> = {}): DecisionOptions {
  return {
    metric: { metric: 'recall', k: 1 },
    margin: 0.05,
    dayMs: 40,
    lookMs: 20,
    settings: '',
    ...overrides,
  };
}
