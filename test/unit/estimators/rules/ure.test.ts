import { describe, expect, it } from 'vitest';
import { seeded } from '../../../oracle/random.js';
import { estimate, type PlainRow, type PlainWindow } from '../../../oracle/window.js';

const ITEMS = 60;
const SHOWN = 12;
const USERS = 60;

/**
 * Users of whom everything is known: their relevant items, and a ranker that puts a share of them
 * into the top 10 which falls with how many there are.
 */
function population() {
  const random = seeded(17);
  return Array.from({ length: USERS }, (_, u) => {
    const size = u % 3 === 0 ? 2 : u % 3 === 1 ? 6 : 20;
    const items = Array.from({ length: ITEMS }, (_, i) => i);
    for (let i = 0; i < ITEMS; i++) {
      const j = i + Math.floor(random() * (ITEMS - i));
      [items[i], items[j]] = [items[j], items[i]];
    }
    const relevant = items.slice(0, size);
    const inTop = size === 2 ? 2 : size === 6 ? 3 : 4;
    const rankOf = new Map(items.map((item, place) => [item, 10 + place]));
    relevant.slice(0, inTop).forEach((item, z) => {
      rankOf.set(item, z);
    });
    return { relevant, recall: inTop / size, rankOf };
  });
}

/** One uniform list for every user, all that is relevant in it picked, beside organic traffic. */
function shownAtRandom(users: ReturnType<typeof population>, random: () => number): PlainWindow {
  return {
    models: ['m'],
    popularity: new Array<number>(ITEMS).fill(3),
    interactions: new Array<number>(ITEMS).fill(3),
    randomized: new Array<number>(ITEMS).fill(1),
    ids: Array.from({ length: ITEMS }, (_, i) => String(i)),
    users: users.map(({ relevant, rankOf }) => {
      const row = (item: number, traffic: NonNullable<PlainRow['traffic']>): PlainRow => ({
        item,
        positive: true,
        traffic,
        ranks: [rankOf.get(item)!],
        lists: [{ length: ITEMS + 10, candidates: 0x4000 }],
      });
      const items = Array.from({ length: ITEMS }, (_, i) => i);
      for (let i = 0; i < SHOWN; i++) {
        const j = i + Math.floor(random() * (ITEMS - i));
        [items[i], items[j]] = [items[j], items[i]];
      }
      const shown = new Set(items.slice(0, SHOWN));
      // The first relevant item is found organically, always.
      const rows = relevant.flatMap((item, place) => {
        const organic = place === 0 ? (['organic'] as const) : [];
        const randomized = shown.has(item) ? (['randomized'] as const) : [];
        return organic.length + randomized.length === 0
          ? []
          : [row(item, [...organic, ...randomized])];
      });
      return { count: rows.length, randomized: 1, rows };
    }),
  };
}

const options = { metrics: ['recall' as const], ks: [10], estimators: ['ure' as const] };

describe('URE on traffic of which everything is known', () => {
  const users = population();
  const truth = users.reduce((sum, { recall }) => sum + recall, 0) / USERS;
  const pairs = users.reduce((sum, { relevant }) => sum + relevant.length, 0);
  const pooledTruth =
    users.reduce((sum, { recall, relevant }) => sum + recall * relevant.length, 0) / pairs;
  const random = seeded(23);
  const runs = Array.from({ length: 300 }, () => estimate(shownAtRandom(users, random), options));
  const meanOf = (aggregation: string) => {
    const values = runs.map(({ results }) => results.find((r) => r.form === aggregation)!.value);
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
  };

  it('is unbiased for each user who has a positive: the claim of the paper', () => {
    const byUser = [0, 1, 2, 3, 4, 5].map((u) => {
      const own = Array.from({ length: 100 }, () => {
        const window = shownAtRandom([users[u]], random);
        return estimate(window, options).results.find((r) => r.form === 'user')?.value;
      }).filter((value) => value !== undefined);
      const mean = own.reduce((a, b) => a + b, 0) / own.length;
      const recall = users[u].recall;
      return (mean - recall) / Math.sqrt(Math.max(recall * (1 - recall), 1e-12) / own.length);
    });
    // A mean of several rows varies less than one row, by which z is scaled.
    for (const z of byUser) expect(Math.abs(z)).toBeLessThan(4);
  });

  it('is not unbiased as a mean over users, where recall falls with what is relevant', () => {
    const { mean, error } = meanOf('user');
    expect(truth - mean).toBeGreaterThan(20 * error);
  });

  it('is unbiased for the pooled recall, pooled', () => {
    const { mean, error } = meanOf('pooled');
    expect(Math.abs(mean - pooledTruth)).toBeLessThan(4 * error);
  });

  it('counts its own rows, not the organic ones', () => {
    const { results, randomized } = runs[0];
    for (const row of results) expect(row.counts.rows).toBe(randomized.positives);
    expect(results[0].counts.users).toBe(randomized.usersWithPositive);
    expect(randomized.usersWithPositive).toBeLessThan(USERS);
  });
});

describe('what rests on randomised traffic', () => {
  const organic = (): PlainWindow => {
    const window = shownAtRandom(population(), seeded(3));
    for (const user of window.users) {
      user.randomized = 0;
      for (const row of user.rows) row.traffic = ['organic'];
    }
    return { ...window, randomized: new Array<number>(ITEMS).fill(0) };
  };

  it('is refused with the reason where there is none, and the others stay', () => {
    const { results, refusals } = estimate(organic(), {
      ...options,
      estimators: ['wtd', 'naive', 'ure'],
    });
    expect(new Set(results.map(({ estimator }) => estimator))).toEqual(new Set(['naive']));
    expect(refusals.map(({ estimator }) => estimator)).toEqual(['wtd', 'ure']);
    for (const { reason } of refusals) expect(reason).toMatch(/randomised traffic/);
  });

  it('leaves recall on sampled candidate sets out, and gives auc', () => {
    const window = shownAtRandom(population(), seeded(3));
    for (const user of window.users) {
      for (const row of user.rows) row.lists = [{ length: ITEMS + 10, candidates: 0xc000 }];
    }
    const { results } = estimate(window, { ...options, metrics: ['recall', 'auc'] });
    expect(new Set(results.map(({ metric }) => metric))).toEqual(new Set(['auc']));
  });
});
