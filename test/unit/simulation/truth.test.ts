import { describe, expect, test } from 'vitest';
import { measures } from '../../../src/estimators/metrics/metric-gain.js';
import {
  ADDITIVE_METRICS,
  DEFAULT_METRICS,
  type Metric,
} from '../../../src/estimators/metrics/registry.js';
import { Simulation } from '../../../src/simulation/simulation.js';
import { METRIC_ORACLES } from '../../oracle/metrics.js';
import { logOf } from './log.js';

const hour = 3_600_000;
const drift = { atMs: Date.UTC(2026, 0, 1) + hour, ranker: 'blend' } as const;
const simulation = new Simulation({
  users: 40,
  items: 30,
  relevantPerUser: 9,
  listLength: 30,
  shownLength: 4,
  rankers: ['personal', 'blend', 'popular', 'random'],
  durationMs: 2 * hour,
  drift,
});
const { exposures } = logOf(simulation.events());
const { userIds, itemIds, relevant } = simulation.world;

/** λ of rank Z by its definition: outside the cut nothing is gained. */
function gain(metric: Metric, k: number | null, z: number): number {
  if (k !== null && z >= k) return 0;
  const oracle = METRIC_ORACLES[metric]!;
  if (!('gain' in oracle)) throw new Error(`${metric} has no true value`);
  return oracle.gain(z, 30);
}

describe.each([
  ['before', simulation.options.startMs],
  ['after', drift.atMs],
])('%s the drift', (_, from) => {
  const values = simulation.truth(from, [3, 10]);

  test('every ranker has each metric once in both aggregations', () => {
    const names = values.map((v) => `${v.model} ${v.metric}@${v.k} ${v.aggregation}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBe(4 * 2 * measures(ADDITIVE_METRICS, [3, 10]).length);
    const byDefault = values.filter(({ metric }) => DEFAULT_METRICS.includes(metric));
    expect(byDefault.length).toBe(4 * 2 * (2 + 2 + 1 + 1 + 1));
  });

  test('true values are the means over all relevant pairs of the lists in the log', () => {
    for (const { model, metric, k, aggregation, value } of values) {
      const perUser: number[][] = [];
      for (const { user, model: by, items, ts } of exposures) {
        if (by !== model || ts < from || ts >= from + hour) continue;
        const own = [...relevant[userIds.indexOf(user)]].map((item) => itemIds[item]);
        perUser.push(own.map((item) => gain(metric, k, items.indexOf(item))));
      }
      const mean = (xs: number[]) => xs.reduce((a, b) => a + b) / xs.length;
      expect(perUser.length).toBe(40);
      expect(value).toBeCloseTo(
        aggregation === 'user' ? mean(perUser.map(mean)) : mean(perUser.flat()),
        12,
      );
    }
  });
});

test('auc has a true value only where lists rank the whole catalogue', () => {
  const cut = new Simulation({ users: 5 });
  expect(cut.truth(cut.options.startMs).some(({ metric }) => metric === 'auc')).toBe(false);
});

test('the truth changes at the drift and nowhere else', () => {
  expect(simulation.truthChanges()).toEqual([simulation.options.startMs, drift.atMs]);
  expect(new Simulation({ users: 5 }).truthChanges()).toEqual([simulation.options.startMs]);
});
