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

describe('drawn test sets', () => {
  it('depend on the seed, but not on how users are partitioned', () => {
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
});
