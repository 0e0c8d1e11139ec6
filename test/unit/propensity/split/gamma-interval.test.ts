import { describe, expect, it } from 'vitest';
import {
  type GammaInterval,
  gammaInterval,
} from '../../../../src/estimators/propensity/gamma-interval.js';
import { normals } from '../../../oracle/normal.js';
import { poisson } from '../../../oracle/poisson.js';
import { seeded } from '../../../oracle/random.js';
import { IS_LONG, repetitions } from '../../../support/repetitions.js';

const ITEMS = 2000;
const EXPOSURES = 100_000;
// 10 runs still tell a coverage of .9 from the .28 of one fit alone.
const RUNS = repetitions(10, 250);

interface World {
  readonly zipf: number;
  readonly gamma: number;
  /** Sum of the counts. */
  readonly total: number;
  /** Exposures follow the rates behind the counts, with noise of their own, or the counts. */
  readonly follows: 'rates' | 'counts';
}

function runs({ zipf, gamma, total, follows }: World): GammaInterval[] {
  const random = seeded(total + 10 * gamma);
  const normal = normals(total + 10 * zipf);
  const shape = Array.from({ length: ITEMS }, (_, i) => (i + 1) ** -zipf);
  const sum = shape.reduce((a, b) => a + b, 0);
  const rates = shape.map((value) => (value * total) / sum);
  return Array.from({ length: RUNS }, () => {
    const counts = Float64Array.from(rates, (rate) => poisson(rate, random));
    const chances = rates.map((rate, i) =>
      follows === 'rates' ? rate ** gamma * Math.exp(0.5 * normal()) : counts[i] ** gamma,
    );
    const all = chances.reduce((a, b) => a + b, 0);
    const exposures = chances.map((chance) => poisson((chance * EXPOSURES) / all, random));
    return gammaInterval(counts, Float64Array.from(exposures), ITEMS);
  });
}

function share<T>(values: readonly T[], holds: (value: T) => boolean): number {
  return values.filter(holds).length / values.length;
}

const covers = (gamma: number) => (of: { lower: number; upper: number }) =>
  of.lower <= gamma && gamma <= of.upper;

const CELLS = [5000, 30_000, 270_000].flatMap((total) =>
  [0.5, 1, 1.5].flatMap((gamma) => [0.7, 1].map((zipf) => ({ zipf, gamma, total }))),
);
/** In the short form every fifth cell: all totals, exponents and laws are among them. */
const USED = CELLS.filter((_, n) => IS_LONG || n % 5 === 0);

describe('the interval of γ', () => {
  for (const follows of ['rates', 'counts'] as const) {
    for (const cell of USED) {
      const { zipf, gamma, total } = cell;
      it(`covers ${gamma} where exposures follow the ${follows}: Zipf ${zipf}, ${total} counts`, () => {
        const covered = share(runs({ ...cell, follows }), covers(gamma));
        expect(covered).toBeGreaterThanOrEqual(IS_LONG ? 0.9 : 0.7);
      });
    }
  }

  it('covers γ if popularity is log-normal and a tenth of the items is promoted', () => {
    const random = seeded(12);
    const normal = normals(12);
    const covered = share(
      Array.from({ length: RUNS }, () => {
        const rates = Array.from({ length: ITEMS }, () => 15 * Math.exp(0.8 * normal()));
        const counts = Float64Array.from(rates, (rate) => poisson(rate, random));
        const shown = rates.map((rate) => {
          const promotion = random() < 0.1 ? 5 : 1;
          return poisson(2 * rate ** 0.8 * promotion, random);
        });
        return gammaInterval(counts, Float64Array.from(shown), ITEMS);
      }),
      covers(0.8),
    );
    expect(covered).toBeGreaterThanOrEqual(IS_LONG ? 0.9 : 0.7);
  });

  it('needs both fits, as neither covers γ in both worlds', () => {
    const rates = runs({ zipf: 0.7, gamma: 0.5, total: 30_000, follows: 'rates' });
    expect(share(rates, ({ split }) => covers(0.5)(split))).toBeGreaterThanOrEqual(0.8);
    expect(share(rates, ({ poisson }) => covers(0.5)(poisson))).toBeLessThan(0.6);
    const counts = runs({ zipf: 0.7, gamma: 0.5, total: 30_000, follows: 'counts' });
    expect(share(counts, ({ split }) => covers(0.5)(split))).toBeLessThan(0.6);
    expect(share(counts, ({ poisson }) => covers(0.5)(poisson))).toBeGreaterThanOrEqual(0.8);
  });

  it('is wide, with status few_items, if a few items have most exposures', () => {
    const few = runs({ zipf: 1, gamma: 1.5, total: 30_000, follows: 'rates' });
    expect(share(few, ({ status }) => status === 'few_items')).toBeGreaterThan(0.5);
    for (const { status, split } of few) {
      expect(status === 'few_items').toBe(split.effectiveItems < 3);
    }
    const width = few.reduce((sum, { lower, upper }) => sum + upper - lower, 0) / few.length;
    expect(width).toBeGreaterThan(1);
  });

  it('is that of the Poisson fit for sparse counts, and undefined without exposures', () => {
    const counts = Float64Array.from({ length: 30 }, (_, i) => (i < 28 ? 1 : 2));
    const sparse = gammaInterval(
      counts,
      counts.map((n) => (n > 1 ? 90 : 2)),
      30,
    );
    expect(sparse.status).toBe('too_sparse');
    expect(sparse.split.gamma).toBeNaN();
    expect(sparse.lower).toBe(sparse.poisson.lower);
    expect(sparse.upper).toBe(sparse.poisson.upper);
    const none = gammaInterval(counts, new Float64Array(30), 30);
    expect(none).toMatchObject({ status: 'too_sparse', lower: Number.NaN, upper: Number.NaN });
  });
});
