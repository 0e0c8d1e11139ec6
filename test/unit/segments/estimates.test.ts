import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { discoveries } from '../../../src/features/segments/false-discoveries.js';
import { type MeasuredSegment, shrink } from '../../../src/features/segments/shrinkage.js';
import {
  compareVariants,
  type Variant,
  type VariantSegment,
} from '../../../src/features/segments/simpson.js';
import { repetitions } from '../../support/repetitions.js';

/** Binomial segments about a common level, sizes lognormal. */
function binomialWorld(random: Random, segments: number, level: number, spread: number) {
  const truth: number[] = [];
  const measured: MeasuredSegment[] = [];
  while (measured.length < segments) {
    const users = Math.round(Math.exp(5 + 1.3 * random.normal()));
    if (users < 30) continue;
    const p = Math.min(0.9, Math.max(0, level * (1 + spread * random.normal())));
    let hits = 0;
    for (let u = 0; u < users; u++) if (random.next() < p) hits++;
    const value = hits / users;
    truth.push(p);
    measured.push({ value, users, variance: (value * (1 - value)) / (users - 1) });
  }
  return { truth, measured };
}

/** Share of the intervals that hold the truth, and both errors. */
function judged(runs: number, world: () => ReturnType<typeof binomialWorld>) {
  let held = 0;
  let all = 0;
  let raw = 0;
  let shrunken = 0;
  for (let run = 0; run < runs; run++) {
    const { truth, measured } = world();
    const found = shrink(measured);
    if (typeof found === 'string') throw new Error(found);
    for (const [s, { low, high, value }] of found.segments.entries()) {
      all++;
      if (low <= truth[s] && truth[s] <= high) held++;
      raw += (measured[s].value - truth[s]) ** 2;
      shrunken += (value - truth[s]) ** 2;
    }
  }
  return { coverage: held / all, gained: Math.sqrt(raw / shrunken) };
}

describe('shrunken intervals cover .93 to .99 of 200 segments, closer to the truth than raw', () => {
  const runs = repetitions(8, 60);
  it.each([
    [0.1, 0.3],
    [0.03, 0.3],
    [0.1, 0.1],
    [0.3, 0],
  ])('at a level of %s, spread %s', (level, spread) => {
    const random = new Random(21, `${level}/${spread}`);
    const { coverage, gained } = judged(runs, () => binomialWorld(random, 200, level, spread));
    expect(coverage).toBeGreaterThan(0.93);
    // Without any spread τ² is above 0 all the same, and intervals are wider than they need be.
    expect(coverage).toBeLessThanOrEqual(spread === 0 ? 1 : 0.99);
    expect(gained).toBeGreaterThan(1.05);
  });

  it('of two kinds of segments, which are no normal spread', () => {
    const random = new Random(22, 'two kinds');
    const { coverage } = judged(runs, () => {
      const low = binomialWorld(random, 150, 0.05, 0);
      const high = binomialWorld(random, 50, 0.15, 0);
      return {
        truth: [...low.truth, ...high.truth],
        measured: [...low.measured, ...high.measured],
      };
    });
    expect(coverage).toBeGreaterThan(0.9);
  });
});

describe('shrinkage', () => {
  const of = (value: number, users = 100, variance = 1e-3): MeasuredSegment => ({
    value,
    users,
    variance,
  });

  it('is refused below six segments, and without any variance', () => {
    expect(shrink([1, 2, 3, 4, 5].map((v) => of(v / 10)))).toBe('few_segments');
    expect(shrink([1, 2, 3, 4, 5, 6].map((v) => of(v / 10, 100, 0)))).toBe('no_variance');
  });

  it('is not misled by segments without a hit, whose own variance is 0', () => {
    const segments = [of(0, 40, 0), ...[0.1, 0.12, 0.08, 0.11, 0.09].map((v) => of(v))];
    const found = shrink(segments);
    if (typeof found === 'string') throw new Error(found);
    expect(found.segments[0].value).toBeGreaterThan(0.03);
    expect(found.mean).toBeGreaterThan(0.07);
  });

  it('is the largest of its likelihood, by a fine search', () => {
    const values = [0.1, 0.14, 0.3, 0.02, 0.22, 0.18, 0.09];
    const found = shrink(values.map((v, s) => of(v, 50 + 30 * s)));
    if (typeof found === 'string') throw new Error(found);
    const unit = (() => {
      let sum = 0;
      let users = 0;
      for (let s = 0; s < values.length; s++) {
        sum += (50 + 30 * s) ** 2 * 1e-3;
        users += 50 + 30 * s;
      }
      return sum / users;
    })();
    const height = (t: number) => {
      const w = values.map((_, s) => 1 / (unit / (50 + 30 * s) + t));
      const total = w.reduce((a, b) => a + b, 0);
      const mean = values.reduce((a, y, s) => a + w[s] * y, 0) / total;
      const fit = values.reduce((a, y, s) => a + w[s] * (y - mean) ** 2, 0);
      return Math.log(t) + 0.5 * (w.reduce((a, x) => a + Math.log(x), 0) - Math.log(total) - fit);
    };
    const at = height(found.between);
    for (let e = -12; e < 3; e += 0.003) expect(height(Math.exp(e))).toBeLessThan(at + 1e-9);
  });
});

describe('false discoveries', () => {
  it('are held to 5 % of what is found, over many mixed looks', () => {
    const random = new Random(31, 'mixed');
    let share = 0;
    const looks = 2000;
    for (let look = 0; look < looks; look++) {
      const p = Array.from({ length: 60 }, (_, t) =>
        t < 40 ? random.next() : random.next() ** 12,
      );
      const found = discoveries(p, 0.05);
      const all = found.filter(Boolean).length;
      if (all > 0) share += found.slice(0, 40).filter(Boolean).length / all;
    }
    expect(share / looks).toBeLessThan(0.05);
    expect(share / looks).toBeGreaterThan(0.02);
  });

  it('leave out what was not tested', () => {
    expect(discoveries([Number.NaN, 0.04], 0.05)).toEqual([false, true]);
    expect(discoveries([], 0.05)).toEqual([]);
  });
});

const segment = (weight: number, value: number, rows: number): VariantSegment => ({
  weight,
  value,
  variance: (value * (1 - value)) / rows,
  users: rows,
});

describe('Simpson’s paradox', () => {
  it('divides a difference as the golden numbers do', () => {
    const of = (weight: number, value: number) => segment(weight, value, 4000);
    const a: Variant = {
      segments: [of(0.2, 0.31), of(0.8, 0.11)],
      variance: 2e-5,
      users: 20_000,
    };
    const b: Variant = {
      segments: [of(0.8, 0.3), of(0.2, 0.1)],
      variance: 2e-5,
      users: 20_000,
    };
    const found = compareVariants(a, b);
    if (typeof found === 'string') throw new Error(found);
    expect(found.total).toBeCloseTo(-0.11, 12);
    expect(found.within).toBeCloseTo(0.01, 12);
    expect(found.mix).toBeCloseTo(-0.12, 12);
  });

  /** Two variants of 20,000 rows over eight segments. */
  function world(random: Random, planted: number, isMixed: boolean): [Variant, Variant] {
    const levels = Array.from({ length: 8 }, (_, s) => 0.05 + 0.04 * s);
    const shares = levels.map((_, s) => 1 + (isMixed ? 0.22 * s : 0));
    const variant = (towards: readonly number[], lift: number): Variant => {
      const total = towards.reduce((a, b) => a + b, 0);
      let rows = 0;
      let hits = 0;
      const segments = towards.map((share, s) => {
        const size = Math.max(2, Math.round((20_000 * share) / total));
        const p = levels[s] + lift;
        let own = 0;
        for (let r = 0; r < size; r++) if (random.next() < p) own++;
        rows += size;
        hits += own;
        const value = own / size;
        return { weight: size, value, variance: (value * (1 - value)) / (size - 1), users: size };
      });
      const mean = hits / rows;
      return { segments, variance: (mean * (1 - mean)) / rows, users: rows };
    };
    return [variant(shares, 0), variant([...shares].reverse(), planted)];
  }
  const rate = (runs: number, planted: number, isMixed: boolean, name: string) => {
    const random = new Random(41, name);
    let found = 0;
    for (let run = 0; run < runs; run++) {
      const [a, b] = world(random, planted, isMixed);
      const compared = compareVariants(b, a);
      if (typeof compared !== 'string' && compared.isParadox) found++;
    }
    return found / runs;
  };

  it('is found where it is planted', () => {
    expect(rate(repetitions(60, 200), 0.015, true, 'planted')).toBeGreaterThanOrEqual(0.85);
  });

  it('is not found in a mere difference of mix, or where nothing differs', () => {
    expect(rate(repetitions(100, 400), 0, true, 'mix')).toBeLessThanOrEqual(0.04);
    expect(rate(repetitions(100, 400), 0, false, 'none')).toBe(0);
  });

  it('is not said of variants without a common segment', () => {
    const only = (place: number): Variant => ({
      segments: [0, 1].map((s) => segment(s === place ? 1 : 0, 0.1, s === place ? 900 : 0)),
      variance: 1e-4,
      users: 900,
    });
    expect(compareVariants(only(0), only(1))).toBe('segments_not_shared');
  });

  it('puts together segments that are too small in one variant', () => {
    const a: Variant = {
      segments: [segment(96, 0.1, 900), segment(2, 0.2, 1), segment(2, 0.2, 50)],
      variance: 1e-4,
      users: 950,
    };
    const b: Variant = {
      segments: [segment(96, 0.1, 900), segment(2, 0.3, 50), segment(2, 0.3, 1)],
      variance: 1e-4,
      users: 950,
    };
    const found = compareVariants(a, b);
    if (typeof found === 'string') throw new Error(found);
    expect(found.total).toBeCloseTo(-0.004, 12);
    expect(found.within + found.mix).toBeCloseTo(-0.004, 12);
  });
});
