import { hash53 } from '../../src/estimators/interventions/sampling-key.js';
import type { PlainWindow } from '../oracle/window.js';

/** The two rankers of the paper that need no training. */
export type Ranker = 'posPop' | 'avgRating';

/** Ratings as users × items, split into shares by a hash of the cell; 0 where there is none. */
export function splitRatings(ratings: number[][], shares: number[], seed: number): number[][][] {
  const parts = shares.map(() => ratings.map((row) => row.map(() => 0)));
  ratings.forEach((row, user) => {
    row.forEach((rating, item) => {
      if (rating === 0) return;
      let place = hash53(seed, user, item) / 2 ** 53;
      let part = 0;
      while (part < shares.length - 1 && place >= shares[part]) place -= shares[part++];
      parts[part][user][item] = rating;
    });
  });
  return parts;
}

export function randomHalves(ratings: number[][]): number[][][] {
  return splitRatings(ratings, [0.6, 0.4], 1);
}

/** 0-based rank of every item for every user, the user's own train items left out. */
export function ranksOf(ranker: Ranker, train: number[][]): (user: number, item: number) => number {
  const items = train[0].map((_, item) => item);
  const scores = items.map((item) => {
    const ratings = train.map((row) => row[item]).filter((rating) => rating > 0);
    if (ranker === 'posPop') return ratings.filter((rating) => rating > 3).length;
    return ratings.length === 0 ? 0 : ratings.reduce((a, b) => a + b, 0) / ratings.length;
  });
  const order = items.sort((a, b) => scores[b] - scores[a] || a - b);
  const ranks = train.map((row) => {
    const rank = new Int32Array(order.length);
    order
      .filter((item) => row[item] === 0)
      .forEach((item, z) => {
        rank[item] = z;
      });
    return rank;
  });
  return (user, item) => ranks[user][item];
}

/** Mean over users with a positive of the share of their positives above rank 10. */
export function recallOn(ranker: Ranker, train: number[][], truth: number[][]): number {
  return recallAt(ranksOf(ranker, train), train, truth);
}

/** The same where the ranks are at hand. */
export function recallAt(
  rank: (user: number, item: number) => number,
  train: number[][],
  truth: number[][],
): number {
  const recalls = truth.flatMap((row, user) => {
    const relevant = row.flatMap((rating, item) =>
      rating > 3 && train[user][item] === 0 ? [item] : [],
    );
    if (relevant.length === 0) return [];
    return [relevant.filter((item) => rank(user, item) < 10).length / relevant.length];
  });
  return recalls.reduce((a, b) => a + b, 0) / recalls.length;
}

/** The held-out part as a window: posteriors from the train part, targets from a MAR part. */
export function heldOutWindow(
  ranker: Ranker,
  train: number[][],
  heldOut: number[][],
  mar: number[][],
): PlainWindow {
  return rankedWindow(ranker, ranksOf(ranker, train), train, heldOut, mar);
}

/** The same where the ranks are at hand. */
export function rankedWindow(
  model: string,
  rank: (user: number, item: number) => number,
  train: number[][],
  heldOut: number[][],
  mar: number[][],
): PlainWindow {
  const perItem = (ratings: number[][]) =>
    ratings[0].map((_, item) => ratings.reduce((sum, row) => sum + Number(row[item] > 0), 0));
  const perUser = (row: number[]) => row.reduce((sum, rating) => sum + Number(rating > 0), 0);
  const counts = perItem(train);
  return {
    models: [model],
    popularity: counts,
    interactions: counts,
    randomized: perItem(mar),
    ids: counts.map((_, item) => String(item).padStart(3, '0')),
    users: heldOut.map((row, user) => ({
      count: perUser(train[user]),
      randomized: perUser(mar[user]),
      rows: row.flatMap((rating, item) =>
        rating === 0
          ? []
          : [
              {
                item,
                positive: rating > 3,
                ranks: [rank(user, item)],
                lists: [{ length: 300, candidates: 0 }],
              },
            ],
      ),
    })),
  };
}
