import { describe, expect, it } from 'vitest';
import { seeded } from '../../../oracle/random.js';
import { estimate, type PlainWindow, windowOf } from '../../../oracle/window.js';

/** 150 users with some of 40 items, ranked the better the more popular they are. */
function window(): PlainWindow {
  const random = seeded(11);
  const popularity = Array.from({ length: 40 }, (_, i) => 1 + i);
  const users = Array.from({ length: 150 }, () =>
    popularity.flatMap((n, item): [number, number][] =>
      random() < n / 160 ? [[item, Math.floor((40 - n) / 2)]] : [],
    ),
  );
  const plain = windowOf(popularity, users);
  plain.users.forEach((user, u) => {
    user.key = Math.imul(u + 1, 0x27d4eb2f);
  });
  return plain;
}

const asked = {
  metrics: ['recall', 'ndcg'] as const,
  ks: [10],
  estimators: ['naive', 'full', 'skew', 'wtd_h'] as const,
  draws: 300,
};

describe('test sets that are drawn', () => {
  it('have on average what is to be expected', () => {
    const { results, drawn } = estimate(window(), asked);
    // Nothing but interventions draws; ndcg has no pooled form.
    expect(drawn).toHaveLength(3 * 3);
    for (const { metric, estimator, form: aggregation, mean, stdDev, draws } of drawn) {
      const expected = results.find(
        (r) => r.metric === metric && r.estimator === estimator && r.form === aggregation,
      )!;
      const what = `${estimator} ${metric} ${aggregation}: ${mean} for ${expected.value}`;
      expect(draws).toBe(300);
      // Sets of a fixed size are drawn, rows independently expected: the same except for O(1/k).
      const tolerance = 4 * (stdDev / Math.sqrt(draws)) + 0.01 * expected.value;
      expect(Math.abs(mean - expected.value), what).toBeLessThan(tolerance + 1e-12);
      if (estimator === 'full') expect(stdDev).toBeLessThan(1e-12);
      else expect(stdDev).toBeGreaterThan(0);
    }
  });

  it('vary as the sampling error of the pooled estimate says', () => {
    const { results, drawn } = estimate(window(), asked);
    for (const estimator of ['skew', 'wtd_h']) {
      const isOwn = (row: { metric: string; estimator: string; form: string }) =>
        row.metric === 'recall' && row.estimator === estimator && row.form === 'pooled';
      const ratio = drawn.find(isOwn)!.stdDev / results.find(isOwn)!.more.samplingStdErr!;
      expect(ratio, estimator).toBeGreaterThan(0.8);
      expect(ratio, estimator).toBeLessThan(1.25);
    }
  });

  it('are the same for a seed, however users are divided, and others for another seed', () => {
    const few = { ...asked, draws: 3, seed: 7 };
    const whole = estimate(window(), few).drawn;
    const split = estimate(window(), few, (user) => user % 3).drawn;
    expect(split.length).toBe(whole.length);
    split.forEach(({ mean, stdDev }, i) => {
      expect(mean).toBeCloseTo(whole[i].mean, 12);
      expect(stdDev).toBeCloseTo(whole[i].stdDev, 12);
    });
    const other = estimate(window(), { ...few, seed: 70 }).drawn;
    expect(other.map(({ mean }) => mean)).not.toEqual(whole.map(({ mean }) => mean));
  });

  it('are not drawn where none are asked for', () => {
    expect(estimate(window(), { ...asked, draws: 0 }).drawn).toEqual([]);
  });
});
