import { describe, expect, it } from 'vitest';
import { quantileGroups } from '../../../../src/estimators/diagnostics/control-variate.js';
import type { ControlVariate } from '../../../../src/estimators/results/window-estimates.js';
import { seeded } from '../../../oracle/random.js';
import { estimate, type PlainRow, type PlainWindow } from '../../../oracle/window.js';

const ITEMS = 40;
const USERS = 600;

/** Relevant pairs found organically in proportion to n^β, and at random with one chance for all. */
function windowWith(beta: number, seed: number, randomizedShare = 0.05): PlainWindow {
  const random = seeded(seed);
  const popularity = Array.from({ length: ITEMS }, (_, i) => 1 + i);
  const row = (item: number, traffic: NonNullable<PlainRow['traffic']>): PlainRow => ({
    item,
    traffic,
    positive: true,
    ranks: [item],
    lists: [{ length: ITEMS, candidates: 0x4000 }],
  });
  return {
    models: ['m'],
    popularity,
    interactions: popularity,
    randomized: popularity.map(() => 1),
    ids: popularity.map((_, i) => String(i).padStart(3, '0')),
    users: Array.from({ length: USERS }, (_, u) => ({
      count: 1 + (u % 7),
      randomized: 1,
      rows: popularity.flatMap((n, item) => {
        const organic = random() < 0.1 * (n / ITEMS) ** beta ? (['organic'] as const) : [];
        const randomized = random() < randomizedShare ? (['randomized'] as const) : [];
        const traffic = [...organic, ...randomized];
        return traffic.length === 0 ? [] : [row(item, traffic)];
      }),
    })),
  };
}

function variates(window: PlainWindow, gamma: number): readonly ControlVariate[] {
  return estimate(window, { estimators: ['snips', 'ure'], gamma }).controlVariates;
}

describe('the control variate by popularity and activity', () => {
  it('shows that too large a γ gives unpopular items too much weight', () => {
    const own = variates(windowWith(0.5, 3), 2).filter(({ userGroup }) => userGroup === null);
    expect(own).toHaveLength(10);
    expect(own[0]!.z).toBeGreaterThan(4);
    expect(own.at(-1)!.z).toBeLessThan(-4);
    const sum = (of: (v: ControlVariate) => number) => own.reduce((total, v) => total + of(v), 0);
    expect(sum(({ weightShare }) => weightShare)).toBeCloseTo(1, 12);
    expect(sum(({ randomizedShare }) => randomizedShare)).toBeCloseTo(1, 12);
  });
});

describe('quantile groups', () => {
  it('keep equal counts together', () => {
    const groupOf = quantileGroups(Float64Array.of(5, 1, 1, 1, 2, 9), 3);
    expect([1, 2, 5, 9].map(groupOf)).toEqual([0, 1, 2, 2]);
    expect(quantileGroups(new Float64Array(0), 3)(4)).toBe(0);
  });
});
