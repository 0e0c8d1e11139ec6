import { describe, expect, it } from 'vitest';
import { concentration, levelsOf } from '../../src/state/counts/levels.js';
import { estimate, type PlainWindow } from '../oracle/window.js';
import { needsData } from '../support/published-data.js';
import { coatRatings, ratingsPerItem } from './coat.js';

/** Items by train ratings of at least 4, ties by item id; a user's own train items left out. */
function popularityRanker(train: number[][]): (user: number, item: number) => number {
  const liked = ratingsPerItem(train, (rating) => rating >= 4);
  const order = liked.map((_, item) => item).sort((a, b) => liked[b] - liked[a] || a - b);
  const lists = train.map((row) => order.filter((item) => row[item] === 0));
  return (user, item) => lists[user].indexOf(item);
}

function coatWindow(train: number[][], test: number[][]): PlainWindow {
  const rank = popularityRanker(train);
  const counts = ratingsPerItem(train, (rating) => rating > 0);
  return {
    models: ['popularity'],
    popularity: counts,
    interactions: counts,
    ids: counts.map((_, item) => String(item).padStart(3, '0')),
    users: test.map((row, user) => ({
      count: train[user].filter((rating) => rating > 0).length,
      rows: row.flatMap((rating, item) =>
        rating === 0 || train[user][item] > 0
          ? []
          : [
              {
                item,
                positive: rating >= 4,
                ranks: [rank(user, item)],
                lists: [{ length: 300, candidates: 0 }],
              },
            ],
      ),
    })),
  };
}

describe('the popularity ranker on Coat', needsData('coat'), () => {
  it('has the known recall@10 by naive and SNIPS at γ = 2 over 225 users', () => {
    const { results } = estimate(coatWindow(coatRatings('train'), coatRatings('test')), {
      metrics: ['recall'],
      ks: [10],
      gamma: 2,
      catalogueSize: 300,
    });
    const find = (estimator: string, aggregation: string) =>
      results.find((r) => r.estimator === estimator && r.form === aggregation)!;
    expect(find('naive', 'user').counts.users).toBe(225);
    expect(Math.abs(find('naive', 'user').value - 0.0699101)).toBeLessThan(1e-6);
    expect(Math.abs(find('snips', 'user').value - 0.0358372)).toBeLessThan(1e-6);
    expect(Math.abs(find('naive', 'pooled').value - 0.0650195)).toBeLessThan(1e-6);
  });

  it('is trained on ratings of the known concentration', () => {
    const counts = Float64Array.from(ratingsPerItem(coatRatings('train'), (r) => r > 0));
    const { gini, hhi } = concentration(counts, 300, 300);
    expect(Math.abs(gini - 0.2930364)).toBeLessThan(1e-6);
    expect(Math.abs(hhi - 0.00449081)).toBeLessThan(1e-8);
    expect(levelsOf(counts, 300).count.length).toBe(53);
  });
});
