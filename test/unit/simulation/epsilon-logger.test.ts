import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { epsilonList } from '../../../src/simulation/rankers.js';

const RANKERS = new Map([
  ['followed', [Int32Array.of(5, 2, 9, 1)]],
  ['other', [Int32Array.of(7, 5, 3, 0)]],
]);
const PLACES = 3;
/** What either ranker has on its first three places. */
const POOL = [2, 3, 5, 7, 9];

describe('a logger that explores', () => {
  it.each([0.1, 0.5, 1])('shows items as often as their propensities say: ε = %d', (epsilon) => {
    const random = new Random(3, 'logger');
    const draws = 20_000;
    const shown = new Map<string, number>();
    const stated = new Map<string, number>();
    let repeating = 0;
    let otherwise = 0;
    for (let n = 0; n < draws; n++) {
      const { list, propensities } = epsilonList(random, RANKERS, 0, { epsilon, places: PLACES });
      if (new Set(list).size !== PLACES) repeating++;
      for (const [k, item] of list.entries()) {
        const at = `${item} at ${k}`;
        shown.set(at, (shown.get(at) ?? 0) + 1);
        // It says the same of an item at a place each time.
        if ((stated.get(at) ?? propensities[k]) !== propensities[k]) otherwise++;
        stated.set(at, propensities[k]);
      }
    }
    expect({ repeating, otherwise }).toEqual({ repeating: 0, otherwise: 0 });
    expect([...shown.keys()].sort()).toEqual(
      POOL.flatMap((item) => [0, 1, 2].map((k) => `${item} at ${k}`)).sort(),
    );
    for (const [at, propensity] of stated) {
      const stdErr = Math.sqrt((propensity * (1 - propensity)) / draws);
      expect(Math.abs(shown.get(at)! / draws - propensity)).toBeLessThan(4.5 * stdErr);
    }
    const sum = [...stated.values()].reduce((all, one) => all + one, 0);
    expect(sum).toBeCloseTo(PLACES, 9);
  });

  it('shows only the list of the first ranker if it never explores', () => {
    const random = new Random(3, 'logger');
    for (let n = 0; n < 50; n++) {
      const drawn = epsilonList(random, RANKERS, 0, { epsilon: 0, places: PLACES });
      expect(drawn).toEqual({ list: [5, 2, 9], propensities: [1, 1, 1] });
    }
  });
});
