import { beforeAll, describe, expect, it } from 'vitest';
import type { Estimate } from '../../src/estimators/estimate.js';
import { seeded } from '../oracle/random.js';
import { estimate, windowOf } from '../oracle/window.js';

// Relevance is uniform over items, but an item is observed in proportion to n^1.5, as gamma 2 says.
// The ranker hits popular items more often, and some users more often than others.
const ITEMS = 80;
const USERS = 80;
const REPEATS = 300;
const popularity = Array.from({ length: ITEMS }, (_, i) => 1 + Math.floor(60 / (i + 1)));
const hitRate = popularity.map((n) => 0.1 + 0.4 * Math.min(1, Math.log(n) / Math.log(61)));
const observed = popularity.map((n) => n ** 1.5);
const observedTotal = observed.reduce((a, b) => a + b, 0);

const truth = hitRate.reduce((a, b) => a + b, 0) / ITEMS;
/** What the naive estimator tends to: the hit rate of observed interactions. */
const naiveLimit = hitRate.reduce((sum, p, i) => sum + (p * observed[i]) / observedTotal, 0);

function simulate(random: () => number): readonly Estimate[] {
  const draw = () => {
    let at = random() * observedTotal;
    let item = 0;
    while (item < ITEMS - 1 && at > observed[item]) at -= observed[item++];
    return item;
  };
  const users = Array.from({ length: USERS }, () => {
    const eagerness = random() < 0.5 ? 0.3 : 1.7;
    const size = 2 + Math.floor(random() * 10);
    return Array.from({ length: size }, (): [number, number | 'absent'] => {
      const item = draw();
      return [item, random() < hitRate[item] * eagerness ? 0 : 'absent'];
    });
  });
  return estimate(windowOf(popularity, users), {
    metrics: ['recall'],
    ks: [1],
    estimators: ['naive', 'snips'],
    gamma: 2,
  }).results;
}

describe('estimates of a simulated log whose truth is known', () => {
  const runs: (readonly Estimate[])[] = [];
  const pick = (estimator: string, aggregation: string) =>
    runs.map((run) => run.find((r) => r.estimator === estimator && r.aggregation === aggregation)!);

  beforeAll(() => {
    const random = seeded(77);
    for (let r = 0; r < REPEATS; r++) runs.push(simulate(random));
  });

  it('brings pooled SNIPS nearer to the truth than naive is', () => {
    const meanOf = (results: Estimate[]) =>
      results.reduce((sum, { value }) => sum + value, 0) / results.length;
    const naive = meanOf(pick('naive', 'pooled'));
    const snips = meanOf(pick('snips', 'pooled'));
    expect(naive - truth).toBeGreaterThan(0.15);
    expect(Math.abs(snips - truth)).toBeLessThan(0.02);
  });

  it('covers the limit of each estimator about as often as its interval says', () => {
    const cases: [Estimate[], number][] = [
      [pick('naive', 'user'), naiveLimit],
      [pick('naive', 'pooled'), naiveLimit],
      [pick('snips', 'pooled'), truth],
    ];
    for (const [results, limit] of cases) {
      const covered = results.filter(({ lower, upper }) => lower <= limit && limit <= upper).length;
      const { estimator, aggregation } = results[0];
      // Three standard errors of 300 repeats around .95, and a bias of the ratio.
      expect(covered / REPEATS, `${estimator} ${aggregation}`).toBeGreaterThan(0.9);
      expect(covered / REPEATS, `${estimator} ${aggregation}`).toBeLessThan(0.99);
    }
  });
});
