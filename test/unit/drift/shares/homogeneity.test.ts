import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DivergenceName,
  homogeneity,
  newHomogeneity,
} from '../../../../src/features/drift/homogeneity.js';
import { jensenShannon } from '../../../../src/features/drift/jensen-shannon.js';
import {
  binned,
  POPULARITY_BINS,
  popularityBins,
} from '../../../../src/features/drift/popularity-bins.js';
import { populationStabilityIndex } from '../../../../src/features/drift/psi.js';
import { seeded } from '../../../oracle/random.js';

const counts = fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 });
const share = (values: readonly number[], b: number) =>
  (values[b] + 0.5) / (values.reduce((sum, n) => sum + n, 0) + 0.5 * values.length);

describe('a divergence between binned samples', () => {
  it('of PSI is the sum of both Kullback–Leibler divergences', () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const kl = (p: number[], q: number[]) =>
          p.reduce((sum, _, i) => sum + share(p, i) * Math.log(share(p, i) / share(q, i)), 0);
        expect(populationStabilityIndex(a, b)).toBeCloseTo(kl(a, b) + kl(b, a), 10);
      }),
    );
  });

  it('of JS is what the mixture’s entropy exceeds the mean entropy by, at most ln 2', () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const entropy = (of: (i: number) => number) =>
          a.reduce((sum, _, i) => sum - of(i) * Math.log(of(i)), 0);
        const mixture = entropy((i) => (share(a, i) + share(b, i)) / 2);
        const mean = (entropy((i) => share(a, i)) + entropy((i) => share(b, i))) / 2;
        const found = jensenShannon(a, b);
        expect(found).toBeCloseTo(mixture - mean, 10);
        expect(found).toBeLessThanOrEqual(Math.LN2);
      }),
    );
  });
});

/** Panes of events in clusters that share a bin, as one user's events do. */
function paneOf(random: () => number, probabilities: readonly number[], clusters: number) {
  const bins = probabilities.map(() => 0);
  for (let c = 0; c < clusters; c++) {
    let u = random();
    let bin = 0;
    while (u > probabilities[bin]) u -= probabilities[bin++];
    bins[bin] += 1 + Math.floor(4 * random());
  }
  return bins;
}

const FLAT = Array.from({ length: 10 }, () => 0.1);

describe('without a change a pane’s score is beyond its threshold as often as it should be', () => {
  for (const divergence of ['psi', 'js'] as const satisfies readonly DivergenceName[]) {
    it(`of ${divergence}, though events of a user hang together`, () => {
      const random = seeded(31);
      let panes = 0;
      let beyond = 0;
      for (let run = 0; run < 60; run++) {
        const state = newHomogeneity();
        for (let t = 0; t < 60; t++) {
          const score = homogeneity(state, paneOf(random, FLAT, 200), divergence, 1, 10);
          if (score === null) continue;
          panes++;
          if (score >= 2) beyond++;
        }
      }
      expect(panes).toBe(60 * 50);
      const error = Math.sqrt((0.01 * 0.99) / panes);
      expect(Math.abs(beyond / panes - 0.01)).toBeLessThan(3 * error);
    });
  }

  it('while independence taken for granted gives far more, unless the design effect is given', () => {
    const rate = (designEffect: number) => {
      const random = seeded(32);
      let beyond = 0;
      for (let run = 0; run < 1000; run++) {
        const state = newHomogeneity();
        // One earlier pane only, so that nothing is learned of how the statistic varies.
        homogeneity(state, paneOf(random, FLAT, 200), 'psi', designEffect, 2);
        const known = { ...state, panes: 2, statistic: 1e6, df: 1e6 };
        const score = homogeneity(known, paneOf(random, FLAT, 200), 'psi', designEffect, 2);
        if (score! >= 2) beyond++;
      }
      return beyond / 1000;
    };
    expect(rate(1)).toBeGreaterThan(0.2);
    // Σ c² / Σ c of cluster sizes 1 to 4.
    expect(rate(3)).toBeLessThan(0.025);
  });
});

it('a shift of a tenth of the events to the most popular bin is found, and learning is silent', () => {
  const random = seeded(33);
  const state = newHomogeneity();
  for (let t = 0; t < 20; t++) {
    const score = homogeneity(state, paneOf(random, FLAT, 500), 'psi', 1, 12);
    expect(score === null).toBe(t < 12);
  }
  const shifted = [...FLAT.slice(1).map((p) => p - 0.1 / 9), 0.2];
  expect(homogeneity(state, paneOf(random, shifted, 500), 'psi', 1, 12)).toBeGreaterThan(3);
  expect(
    homogeneity(
      state,
      FLAT.map(() => 0),
      'psi',
      1,
      12,
    ),
  ).toBeNull();
});

describe('popularity bins', () => {
  it('hold about equal shares of the interactions, rarest first, ties together', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 300 }), (n) => {
        const popularity = Float64Array.from(n);
        const bins = popularityBins(popularity, n.length);
        const total = n.reduce((sum, value) => sum + value, 0);
        n.forEach((value, item) => {
          if (value === 0) {
            expect(bins[item]).toBe(10);
            return;
          }
          const below = n.filter((other) => other < value).reduce((sum, x) => sum + x, 0);
          const upTo = n.filter((other) => other <= value).reduce((sum, x) => sum + x, 0);
          expect(bins[item]).toBe(Math.min(9, Math.floor((5 * (below + upTo)) / total)));
        });
      }),
    );
  });

  it('sum up to what was counted, new items among those never picked before', () => {
    const bins = popularityBins(Float64Array.of(0, 1, 9), 3);
    const sums = binned([4, 2, 1, 7], 4, bins);
    expect(sums).toHaveLength(POPULARITY_BINS);
    expect(sums[10]).toBe(11);
    expect(sums.reduce((sum, n) => sum + n, 0)).toBe(14);
  });
});
