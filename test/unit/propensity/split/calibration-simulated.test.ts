import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/estimators/mathematics/random.js';
import { calibration } from '../../../../src/estimators/propensity/calibration.js';
import { DEFAULT_OPTIONS } from '../../../../src/simulation/options.js';
import { createWorld } from '../../../../src/simulation/world.js';
import { poisson } from '../../../oracle/poisson.js';
import { seeded } from '../../../oracle/random.js';
import { repetitions } from '../../../support/repetitions.js';

const ITEMS = 2000;
/** γ = 2. */
const TRUE_BETA = 1.5;
const CYCLES = 10;

interface Simulated {
  /** Expected organic positives per item, given who finds what relevant. */
  readonly organic: readonly number[];
  /** To how many users each item is relevant. */
  readonly relevance: readonly number[];
}

/**
 * What the simulator's sessions come to in expectation, without playing them event by event: an
 * item is relevant to about a Poisson number of users, and each session shows a pair with P_i.
 */
function simulated(users: number, seed: number, random: () => number): Simulated {
  const options = { ...DEFAULT_OPTIONS, users: 1, items: ITEMS, seed };
  const { targetPopularity, propensity } = createWorld(options, new Random(seed, 'world'));
  const shares = [...targetPopularity.map((n) => n ** (1 - TRUE_BETA))];
  const scale = (users * options.relevantPerUser) / shares.reduce((a, b) => a + b, 0);
  const relevance = shares.map((share) => poisson(scale * share, random));
  const organic = relevance.map((pairs, item) => CYCLES * pairs * propensity[item]);
  return { organic, relevance };
}

/** β that the organic rates themselves, free of noise, call for. */
function calledFor({ organic, relevance }: Simulated): number {
  const log = (value: number) => Math.log(value);
  const seen = organic.map((_, item) => item).filter((item) => organic[item] > 0);
  const total = (weight: (item: number) => number, of: (item: number) => number) =>
    seen.reduce((sum, item) => sum + weight(item) * of(item), 0);
  const mean = (weight: (item: number) => number) =>
    total(weight, (item) => log(organic[item])) / total(weight, () => 1);
  const wanted = mean((item) => relevance[item]);
  let [low, high] = [-3, 2.5];
  while (high - low > 1e-9) {
    const alpha = (low + high) / 2;
    if (mean((item) => organic[item] ** alpha) < wanted) low = alpha;
    else high = alpha;
  }
  return 1 - low;
}

/** How often each β was accepted, over the runs that gave an answer. */
function accepted(users: number, runs: number, randomized: number) {
  const random = seeded(users);
  const counts = { truth: 0, calledFor: 0, answered: 0, mean: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const world = simulated(users, seed, random);
    const pairs = world.relevance.reduce((a, b) => a + b, 0);
    const found = calibration(
      world.organic.map((mean) => poisson(mean, random)),
      world.relevance.map((value) => poisson((value * randomized) / pairs, random)),
      ITEMS,
    );
    if (found.status !== 'ok') continue;
    counts.answered++;
    counts.mean += found.beta;
    const holds = (beta: number) => found.lower <= beta && beta <= found.upper;
    if (holds(TRUE_BETA)) counts.truth++;
    if (holds(calledFor(world))) counts.calledFor++;
  }
  const share = (count: number) => count / counts.answered;
  return {
    answered: counts.answered / runs,
    truth: share(counts.truth),
    calledFor: share(counts.calledFor),
    mean: share(counts.mean),
  };
}

/** Mean β̂ where every find of a user is followed by others of the same user and item. */
function meanWithRepeats(perPair: number, runs: number): number {
  const random = seeded(perPair * 100);
  const shares = Array.from({ length: ITEMS }, (_, i) => (i + 1) ** -0.7);
  const total = shares.reduce((a, b) => a + b, 0);
  const relevance = shares.map((share) => share ** (1 - TRUE_BETA));
  const ofRelevance = relevance.reduce((a, b) => a + b, 0);
  const organic = () =>
    shares.map((share) => {
      const finds = poisson((30_000 / perPair) * (share / total), random);
      return finds + poisson(finds * (perPair - 1), random);
    });
  let sum = 0;
  for (let run = 0; run < runs; run++) {
    const randomized = relevance.map((own) => poisson((3000 * own) / ofRelevance, random));
    sum += calibration(organic(), randomized, ITEMS).beta;
  }
  return sum / runs;
}

describe('the exponent where users come back to their items', () => {
  it('is as far off as the threshold of its finding says', () => {
    const runs = repetitions(8, 200);
    expect(Math.abs(meanWithRepeats(1, runs) - TRUE_BETA)).toBeLessThan(0.05);
    expect(meanWithRepeats(1.25, runs) - TRUE_BETA).toBeLessThan(-0.04);
    expect(meanWithRepeats(2, runs) - TRUE_BETA).toBeLessThan(-0.11);
  });
});

describe('the exponent on simulated traffic of γ = 2 and 2,000 items', () => {
  it('accepts the truth where many users make the relevance of items', () => {
    // 8 runs still tell an acceptance of .89 from one of .1.
    const { answered, truth } = accepted(20_000, repetitions(8, 200), 500);
    expect(answered).toBe(1);
    expect(truth).toBeGreaterThanOrEqual(repetitions(0.7, 0.89));
  });

  it('with few users accepts what their realised relevance calls for, which is less', () => {
    // An item is relevant to 30 ± 5 of 1,000 users. That noise is in organic and in randomised
    // positives alike: among items of equal propensity the popular ones are the relevant ones.
    const { calledFor: own, mean } = accepted(1000, repetitions(20, 200), 500);
    expect(own).toBeGreaterThanOrEqual(repetitions(0.7, 0.89));
    expect(mean).toBeLessThan(1.3);
  });
});
