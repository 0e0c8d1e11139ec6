import { describe, expect, it } from 'vitest';
import type { IntervalMethod } from '../../src/estimators/names.js';
import { calibration } from '../../src/estimators/propensity/calibration.js';
import { chosenGamma } from '../../src/estimators/propensity/gamma-source.js';
import { poisson } from '../oracle/poisson.js';
import { seeded } from '../oracle/random.js';
import { estimate, type PlainWindow, windowOf } from '../oracle/window.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

const ITEMS = 80;
/** Those that the ranker puts ahead of all others for everybody. */
const HEAD = 12;
const head = (item: number) => item < HEAD;
const even = (item: number) => item % 2 === 0;
const BETA = 0.6;
const USERS = 250;
const PER_USER = 4;
const NO_FIT = { status: 'too_sparse', lower: Number.NaN, upper: Number.NaN } as const;

/** Relevance of each item; organic counts follow Λ, and relevance is Λ^(1 − β) times a factor. */
interface World {
  readonly lambda: readonly number[];
  readonly relevance: readonly number[];
  /** What the ranker puts first. */
  readonly isHit: (item: number) => boolean;
}

function worldOf(factor: (item: number) => number, isHit = head): World {
  const shares = Array.from({ length: ITEMS }, (_, i) => (i + 1) ** -0.8);
  const sum = shares.reduce((a, b) => a + b, 0);
  const lambda = shares.map((share) => (12_000 * share) / sum);
  const relevance = lambda.map((mean, item) => mean ** (1 - BETA) * factor(item));
  return { lambda, relevance, isHit };
}

/** One draw: counts, randomised positives, and a window of organic rows. */
function draw({ lambda, relevance, isHit }: World, random: () => number) {
  const organic = lambda.map((mean) => poisson(mean, random));
  const all = relevance.reduce((a, b) => a + b, 0);
  const randomized = relevance.map((own) => poisson((400 * own) / all, random));
  const sums: number[] = [];
  for (const mean of lambda) sums.push((sums.at(-1) ?? 0) + mean);
  const item = () => {
    const at = random() * sums[ITEMS - 1];
    return sums.findIndex((upTo) => at < upTo);
  };
  const users = Array.from({ length: USERS }, () => {
    const found = new Set<number>();
    while (found.size < PER_USER) found.add(item());
    return [...found].map((own): [number, number | 'absent'] => [own, isHit(own) ? 0 : 'absent']);
  });
  return { window: windowOf(organic, users), organic, randomized };
}

/** How often intervals cover the truth, with the error of γ and without. */
function coverage(runs: number, interval: IntervalMethod, world: (random: () => number) => World) {
  const random = seeded(31);
  const covered = { with: 0, without: 0 };
  let calibrations = 0;
  for (let run = 0; run < runs; run++) {
    const own = world(random);
    const { window, organic, randomized } = draw(own, random);
    const calibrated = calibration(organic, randomized, ITEMS);
    const split = { ...calibrated, gamma: Number.NaN };
    const exposures = { ...NO_FIT, split, poisson: split };
    const { source, gamma, stdErr } = chosenGamma({ calibration: calibrated, exposures }, 0.5);
    if (source !== 'calibrated') continue;
    calibrations++;
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    const truth = sum(own.relevance.filter((_, i) => own.isHit(i))) / sum(own.relevance);
    for (const [name, gammaStdErr] of [
      ['with', stdErr],
      ['without', 0],
    ] as const) {
      const { lower, upper } = pooled(window, { gamma, gammaStdErr, interval });
      if (lower <= truth && truth <= upper) covered[name]++;
    }
  }
  const share = calibrations / runs;
  return { with: covered.with / calibrations, without: covered.without / calibrations, share };
}

function pooled(
  window: PlainWindow,
  options: { gamma: number; gammaStdErr: number; interval: IntervalMethod },
) {
  const asked = { ...options, metrics: ['recall' as const], ks: [1], catalogueSize: ITEMS };
  const { results } = estimate(window, { ...asked, estimators: ['snips'] });
  return results.find(({ form: aggregation }) => aggregation === 'pooled')!;
}

// 60 runs still notice an interval without the error of γ.
const RUNS = repetitions(60, 400);
const LEAST = IS_LONG ? 0.92 : 0.88;

describe('intervals under a calibrated γ', () => {
  for (const interval of ['t-logit', 'korn-graubard'] as const) {
    it(`cover at their level by ${interval}, and would not without the error of γ`, () => {
      const found = coverage(RUNS, interval, () => worldOf(() => 1));
      expect(found.with).toBeGreaterThanOrEqual(LEAST);
      expect(found.with).toBeLessThanOrEqual(0.995);
      expect(found.without).toBeLessThan(0.88);
      expect(found.share).toBeGreaterThan(0.95);
    });
  }

  it('cover if items of equal popularity differ in relevance by chance', () => {
    const found = coverage(RUNS, 't-logit', (random) => {
      const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
      return worldOf(() => Math.exp(normal() / 2));
    });
    // Few of these leave a calibration that is refused: its error is larger.
    expect(found.share).toBeGreaterThan(0.5);
    expect(found.with).toBeGreaterThanOrEqual(LEAST);
  });

  it('miss the truth if a ranker finds items more relevant than equally popular ones', () => {
    // No power of popularity is right there, and the error of an exponent does not say so.
    const found = coverage(RUNS, 't-logit', () =>
      worldOf((item) => (item % 2 === 0 ? 3 : 1), even),
    );
    expect(found.share).toBeGreaterThan(0.5);
    expect(found.with).toBeLessThan(0.5);
  });
});
