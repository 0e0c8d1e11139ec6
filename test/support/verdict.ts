import type { PairVerdict } from '../../src/features/verdict.js';

/** Personal against blend by recall@10, five days in: not known. */
export function aVerdict(overrides: Partial<PairVerdict> = {}): PairVerdict {
  return {
    model: 'personal',
    reference: 'blend',
    metric: 'recall',
    k: 10,
    rule: 'sequence',
    rung: 'metric',
    state: 'undecided',
    reason: null,
    better: null,
    since: Date.UTC(2026, 2, 2),
    at: Date.UTC(2026, 2, 7),
    value: 0.0361,
    stdErr: 0.003,
    lower: 0.027,
    upper: 0.0452,
    margin: 0.01,
    ess: 800,
    comparisons: 1,
    uncorrected: 0.02,
    saysOpposite: false,
    lastDay: 0.03,
    flip: null,
    forecast: null,
    ...overrides,
  };
}
