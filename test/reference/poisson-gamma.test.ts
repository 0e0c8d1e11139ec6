import { describe, expect, it } from 'vitest';
import { fitGamma } from '../../src/estimators/propensity/gamma-fit.js';
import { seeded } from '../oracle/random.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

const ITEMS = 20_000;
/** The mean of 60 is sure to .003, and an interval that covers 80 % of the time or less is noticed. */
const RUNS = repetitions(60, 500);

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

function poisson(mean: number, random: () => number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * gaussian(random)));
  let count = 0;
  for (let p = random(); p > Math.exp(-mean); p *= random()) count++;
  return count;
}

/** Counts with a power-law tail; exposures n^γ apart from the items' own, log-normal liking. */
function simulate(gamma: number, spread: number, random: () => number) {
  const counts = new Float64Array(ITEMS);
  const exposures = new Float64Array(ITEMS);
  for (let i = 0; i < ITEMS; i++) {
    counts[i] = Math.min(3000, Math.floor((1 - random()) ** (-1 / 1.1)));
    const liking = Math.exp(spread * gaussian(random) - (spread * spread) / 2);
    exposures[i] = poisson(0.3 * counts[i] ** gamma * liking, random);
  }
  return fitGamma(counts, exposures, ITEMS);
}

describe('the Poisson fit of γ on 20,000 heterogeneous items', () => {
  it.each([
    { gamma: 1.5, spread: 0.5, olsIsBelow: 1.48 },
    { gamma: 0.7, spread: 0.5, olsIsBelow: 0.67 },
    { gamma: 1.5, spread: 0, olsIsBelow: 1.5 },
    { gamma: 0.7, spread: 0, olsIsBelow: 0.7 },
  ])(
    'recovers γ = $gamma at spread $spread, unlike least squares, and its interval covers',
    ({ gamma, spread, olsIsBelow }) => {
      const random = seeded(31);
      const runs = Array.from({ length: RUNS }, () => simulate(gamma, spread, random));
      const mean = (of: (run: (typeof runs)[number]) => number) =>
        runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
      expect(Math.abs(mean(({ poisson }) => poisson.gamma) - gamma)).toBeLessThan(0.005);
      expect(runs.filter((run) => Math.abs(run.poisson.gamma - gamma) > 0.06)).toEqual([]);
      expect(mean(({ ols }) => ols.gamma)).toBeLessThan(olsIsBelow);
      const covered = mean(({ poisson }) =>
        Number(Math.abs(poisson.gamma - gamma) < 1.96 * poisson.stdErr),
      );
      const chance = IS_LONG ? 0 : 2 * Math.sqrt((0.95 * 0.05) / RUNS);
      expect(covered).toBeGreaterThan(0.93 - chance);
      expect(covered).toBeLessThan(Math.min(1, 0.97 + chance));
    },
    180_000,
  );
});
