import { describe, expect, it } from 'vitest';
import { evaluatedRows, sum, summary, weightOf } from '../../../oracle/evaluated.js';
import { gsPooled, gsUser } from '../../../oracle/gs.js';
import { chances, intervenedPooled } from '../../../oracle/intervened.js';
import { naivePooled, naiveUser } from '../../../oracle/naive.js';
import { expectedShare, successes } from '../../../oracle/poisson-binomial.js';
import { seeded } from '../../../oracle/random.js';
import { snipsPooled, snipsUser } from '../../../oracle/snips.js';
import { stratumOf } from '../../../oracle/strata.js';
import { DEFAULTS, estimate, type PlainWindow, windowOf } from '../../../oracle/window.js';

const find = (
  { results }: ReturnType<typeof estimate>,
  estimator: string,
  aggregation: string,
  metric = 'recall',
) =>
  results.find((r) => r.estimator === estimator && r.form === aggregation && r.metric === metric);

/** Thousands of rows, users from 1 row to thousands, so that every chunk boundary is met. */
function largeWindow(): PlainWindow {
  const random = seeded(21);
  const popularity = Array.from({ length: 3500 }, (_, i) => Math.floor(400 / (i + 1)));
  const sizes = [3000, 1, 1, 2500, 2047, ...Array.from({ length: 150 }, (_, u) => 1 + (u % 37))];
  const users = sizes.map((size, u) => {
    const from = Math.floor(random() * 400);
    return Array.from({ length: size }, (_, r): [number, number | 'absent'] => [
      (from + r * (u === 0 ? 1 : 1 + (u % 3))) % 3500,
      random() < 0.3 ? Math.floor(random() * 20) : 'absent',
    ]);
  });
  // A stride that shares a factor with 3500 may meet an item twice: once each.
  return windowOf(
    popularity,
    users.map((rows) => [...new Map(rows)]),
  );
}

describe('a window of more than one chunk', () => {
  const window = largeWindow();
  const options = { ...DEFAULTS, metrics: ['recall' as const], ks: [10], strata: 5 };
  const rows = evaluatedRows(window, 0, 'recall', 10, options);
  const weight = (item: number) => weightOf(window, item, options);
  const cache = new Map<number, number>();
  const stratum = (item: number) => {
    const n = window.popularity[item];
    if (!cache.has(n)) cache.set(n, stratumOf(window, item, options));
    return cache.get(n)!;
  };
  const whole = estimate(window, options);

  it('agrees with the definitions of naive, SNIPS and GS', () => {
    const expected = [
      ['naive', 'user', naiveUser(rows)],
      ['naive', 'pooled', naivePooled(rows)],
      ['snips', 'user', snipsUser(rows, weight)],
      ['snips', 'pooled', snipsPooled(rows, weight)],
      ['gs', 'user', gsUser(rows, weight, stratum)],
      ['gs', 'pooled', gsPooled(rows, weight, stratum)],
    ] as const;
    for (const [estimator, aggregation, sums] of expected) {
      const actual = find(whole, estimator, aggregation)!;
      const wanted = summary(sums);
      expect(actual.value, `${estimator} ${aggregation}`).toBeCloseTo(wanted.value, 12);
      expect(actual.stdErr).toBeCloseTo(wanted.stdErr, 12);
      expect(actual.counts.users).toBe(wanted.users);
    }
  });

  it('agrees with the exact recursion for the interventions', () => {
    for (const name of ['skew', 'wtd_h'] as const) {
      const chance = chances(window, name, options);
      const pooled = summary(intervenedPooled(rows, chance));
      expect(find(whole, name, 'pooled')!.value).toBeCloseTo(pooled.value, 12);
      const small = rows.filter((own) => own.length < 40);
      const sums = small.map((own) => {
        const pi = own.map((row) => chance(row.user, row.item));
        return {
          numerator: sum(own.map((row, i) => row.gain * (row.gain && expectedShare(pi, i)))),
          denominator: 1 - successes(pi)[0],
        };
      });
      // The sampling time rests on all rows; the user form is additive in users.
      const heavy = new Set(rows.filter((own) => own.length >= 40).map((own) => own[0].user));
      const silenced = {
        ...window,
        users: window.users.map((user, u) => ({
          ...user,
          rows: heavy.has(u) ? user.rows.map((row) => ({ ...row, positive: false })) : user.rows,
        })),
      };
      const actual = find(estimate(silenced, options), name, 'user')!;
      expect(actual.value).toBeCloseTo(summary(sums).value, 12);
      expect(actual.stdErr).toBeCloseTo(summary(sums).stdErr, 12);
    }
  });

  it('gives the same estimates however it is partitioned', () => {
    const split = estimate(window, options, (user) => (user * 7) % 4);
    split.results.forEach((own, r) => {
      expect(Math.abs(own.value - whole.results[r].value)).toBeLessThan(1e-12);
      expect(Math.abs(own.stdErr - whole.results[r].stdErr)).toBeLessThan(1e-12);
    });
  });

  it('expects for WTD_H the mean over many drawn samples', () => {
    const random = seeded(8);
    const small = windowOf(
      Array.from({ length: 60 }, (_, i) => 1 + (i % 12)),
      Array.from({ length: 60 }, (_, u) =>
        Array.from({ length: 1 + (u % 8) }, (_, r): [number, number] => [
          (u + 7 * r) % 60,
          (u * r) % 9,
        ]),
      ),
    );
    const own = { ...options, ks: [3] };
    const all = evaluatedRows(small, 0, 'recall', 3, own).flat();
    const keep = Math.round(own.sampleShare * all.length);
    const userMeans: number[] = [];
    for (let draw = 0; draw < 3000; draw++) {
      const sample = all
        .map((row) => {
          const count = small.interactions[row.item] + 0.5;
          const w = 1 / ((small.users[row.user].count + 0.5) * count ** 2);
          return { row, clock: -Math.log(random()) / w };
        })
        .sort((a, b) => a.clock - b.clock)
        .slice(0, keep)
        .map(({ row }) => row);
      const users = [...new Set(sample.map((row) => row.user))].map((u) =>
        sample.filter((row) => row.user === u),
      );
      userMeans.push(summary(naiveUser(users)).value);
    }
    const mean = sum(userMeans) / userMeans.length;
    expect(Math.abs(find(estimate(small, own), 'wtd_h', 'user')!.value - mean)).toBeLessThan(0.005);
  });
});

describe('the effective sample sizes', () => {
  const base = windowOf(
    [4, 4, 0, 2],
    [
      [
        [0, 0],
        [1, 'absent'],
      ],
      [
        [2, 0],
        [3, 3],
      ],
    ],
  );

  it('are Kish’s for the pooled weights, by event and by user', () => {
    const { effectiveSampleSizes } = estimate(base, { estimators: ['naive', 'snips'] });
    expect(effectiveSampleSizes[0]).toEqual({
      model: 'm',
      estimator: 'naive',
      events: 4,
      users: 2,
      largestShare: 0.25,
    });
    const w = [1 / 8, 1 / 8, 0.5 ** -1.5, 2 ** -1.5];
    const snips = effectiveSampleSizes[1];
    expect(snips.events).toBeCloseTo(sum(w) ** 2 / sum(w.map((x) => x * x)), 12);
    const users = [w[0] + w[1], w[2] + w[3]];
    expect(snips.users).toBeCloseTo(sum(w) ** 2 / sum(users.map((x) => x * x)), 12);
    expect(snips.largestShare).toBeCloseTo(w[2] / sum(w), 12);
  });
});
