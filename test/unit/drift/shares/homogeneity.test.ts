import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DivergenceName,
  homogeneity,
  jensenShannon,
  newHomogeneity,
  populationStabilityIndex,
} from '../../../../src/features/drift/homogeneity.js';
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

  it('of JS is the mixture’s entropy minus the mean entropy, at most ln 2', () => {
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

describe('without a change, a pane’s score', () => {
  for (const divergence of ['psi', 'js'] as const satisfies readonly DivergenceName[]) {
    it(`of ${divergence} exceeds 2 in 1 % of panes even if events are clustered by user`, () => {
      const random = seeded(31);
      let panes = 0;
      let beyond = 0;
      for (let run = 0; run < 60; run++) {
        const state = newHomogeneity();
        for (let t = 0; t < 60; t++) {
          const pane = { counts: paneOf(random, FLAT, 200), designEffect: 1 };
          const score = homogeneity(state, pane, divergence, { learn: 10 });
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
});
