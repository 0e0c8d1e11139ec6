import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/estimators/mathematics/random.js';
import { marginDrift } from '../../../../src/estimators/propensity/margin-drift.js';
import type { LogisticFile } from '../../../../src/estimators/propensity/propensity-file.js';
import { expectedMargins } from '../../../../src/estimators/propensity/used-propensities.js';

/** Counts of n ratings that fall on places with these chances. */
function drawn(random: Random, n: number, chance: readonly number[]): Float64Array {
  const counts = new Float64Array(chance.length);
  for (let r = 0; r < n; r++) {
    let at = random.next();
    let place = 0;
    while (place < chance.length - 1 && at >= chance[place]) at -= chance[place++];
    counts[place]++;
  }
  return counts;
}
const shares = (weights: readonly number[]) => {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
};
const ZIPF = shares(Array.from({ length: 300 }, (_, i) => 1 / (i + 1)));

describe('drift of margins', () => {
  it('matches de Moivre’s mean deviation for coin throws', () => {
    // Heads 0, 1 or 2 of 2 with chances 1/4, 1/2, 1/4: E|O/2 − 1/2| = 1/4 for each side.
    const { byChance } = marginDrift([1, 1], 0, [1, 1]);
    expect(byChance).toBe(1);
    const many = marginDrift([5000, 5000], 0, [1, 1]);
    // E|O − np| → √(2npq/π).
    const mean = Math.sqrt((2 * 10_000 * 0.25) / Math.PI) / 10_000;
    expect(many.byChance).toBeCloseTo(mean + Math.sqrt(Math.log(1000) / 20_000), 6);
  });

  it('stays below the chance level if nothing drifts, for few and many ratings', () => {
    const random = new Random(3, 'drift');
    for (const n of [20, 300, 5000]) {
      let mean = 0;
      for (let repeat = 0; repeat < 200; repeat++) {
        const drift = marginDrift(drawn(random, n, ZIPF), 0, ZIPF);
        expect(drift.distance).toBeLessThanOrEqual(drift.byChance);
        mean += drift.distance / 200;
      }
      // Not by a bound that nothing could reach: beyond the mean it leaves what is rare alone.
      const rare = Math.sqrt(Math.log(1000) / (2 * n));
      const { byChance } = marginDrift(drawn(random, n, ZIPF), 0, ZIPF);
      if (byChance < 1) expect(Math.abs(byChance - rare - mean)).toBeLessThan(0.02);
    }
  });

  it('is detected if other items are rated or the catalogue has grown', () => {
    const random = new Random(4, 'drift');
    const turned = [...ZIPF].reverse();
    const apart = marginDrift(drawn(random, 2000, turned), 0, ZIPF);
    expect(apart.distance - apart.byChance).toBeGreaterThan(0.3);
    const grown = marginDrift(drawn(random, 2000, ZIPF), 1000, ZIPF);
    expect(grown.distance - grown.byChance).toBeGreaterThan(0.1);
  });

  it('is also detected if other users come, although each P is right', () => {
    // Two tastes: the file saw both, the window one. P(u, i) is right for every pair of it.
    const own = ZIPF.map((p, i) => (i % 2 === 0 ? 2 * p : 0));
    const drift = marginDrift(drawn(new Random(5, 'drift'), 2000, shares(own)), 0, ZIPF);
    expect(drift.distance - drift.byChance).toBeGreaterThan(0.1);
  });

  it('is NaN without ratings or expectations', () => {
    expect(marginDrift([0, 0], 0, [1, 1]).distance).toBeNaN();
    expect(marginDrift([1], 0, [0]).byChance).toBeNaN();
  });
});

describe('expected margins', () => {
  it('are the chosen ratings by value for Naive Bayes, in single precision', () => {
    const values = [
      { rating: 0.1, chosen: 7, random: 1, propensity: 0.1 },
      { rating: 0.2, chosen: 3, random: 1, propensity: 0.1 },
    ];
    const margins = expectedMargins({ kind: 'nb', smoothing: 1, values })!;
    expect([...margins.sums]).toEqual([7, 3]);
    expect(margins.placeOf(0, Math.fround(0.2))).toBe(1);
    expect(margins.placeOf(0, 0.3)).toBe(-1);
  });

  it('are unknown for a file without item sums', () => {
    const side = { ids: ['a'], names: [], features: [[]], offsets: null };
    const model: LogisticFile = {
      kind: 'lr',
      l2: 1,
      offsets: 'none',
      rate: 1,
      seed: 0,
      intercept: 0,
      weights: [],
      users: side,
      items: side,
    };
    expect(expectedMargins(model)).toBeNull();
    expect(expectedMargins({ ...model, itemSums: [0.5] })?.sums[0]).toBe(0.5);
  });
});
