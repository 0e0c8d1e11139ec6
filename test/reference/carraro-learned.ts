import { ConfidenceRows, implicitFactors } from '../../src/commands/train/confidence-rows.js';
import { ItemKnn, itemNeighbours, UserKnn } from '../../src/commands/train/item-knn.js';
import type { AskedUser, Ranker } from '../../src/commands/train/ranker.js';
import type { Ratings } from '../../src/commands/train/rating-rows.js';
import { rowsByItem, rowsByUser } from '../../src/commands/train/rating-rows.js';
import { estimate } from '../oracle/window.js';
import { sparseRatings } from '../support/sparse-ratings.js';
import { rankedWindow, splitRatings } from './carraro-protocol.js';
import { CARRARO_ESTIMATORS } from './carraro-table-2.js';
import { coatRatings } from './coat.js';
import { ranksBy } from './coat-learning.js';

const NEIGHBOURS = 50;
const SIZE = 20;
const LAMBDA = 1;

/** The rankers of the paper that are learned, as this program has them. */
export const LEARNED = {
  'UserKNN (UB_KNN)': (train: Ratings) => new UserKnn(rowsByUser(train), train.items, NEIGHBOURS),
  'ItemKNN (IB_KNN)': (train: Ratings) => new ItemKnn(itemNeighbours(train, NEIGHBOURS)),
  'iALS (MF)': (train: Ratings) => new ConfidentRatings(train),
} as const satisfies Record<string, (train: Ratings) => Ranker>;
export type LearnedRanker = keyof typeof LEARNED;

type Column = (typeof CARRARO_ESTIMATORS)[number] | 'truth';
type Known = readonly [mean: number, stdDev: number];

/**
 * Recall@10 against the MAR part, and the interventions' deviation in per cent: means of many splits
 * by another implementation, and the standard deviation of a mean of ten.
 */
export const LEARNED_KNOWN: Record<LearnedRanker, Record<Column, Known>> = {
  'UserKNN (UB_KNN)': {
    truth: [0.072, 0.004],
    full: [247, 19],
    reg: [246, 20],
    skew: [128, 14],
    wtd: [92, 14],
    wtd_h: [52, 12],
  },
  'ItemKNN (IB_KNN)': {
    truth: [0.061, 0.004],
    full: [266, 26],
    reg: [267, 26],
    skew: [153, 18],
    wtd: [118, 16],
    wtd_h: [84, 14],
  },
  'iALS (MF)': {
    truth: [0.055, 0.004],
    full: [225, 19],
    reg: [217, 20],
    skew: [163, 19],
    wtd: [144, 17],
    wtd_h: [113, 17],
  },
};

/** Implicit factors of all that was rated, with a confidence of 1 + rating. */
class ConfidentRatings implements Ranker {
  readonly #item: Float64Array;
  readonly #users: ConfidenceRows;

  constructor(train: Ratings) {
    const options = { size: SIZE, lambda: LAMBDA, sweeps: 20, seed: 1 };
    this.#item = implicitFactors(rowsByUser(train), rowsByItem(train), options);
    this.#users = new ConfidenceRows(this.#item, SIZE, LAMBDA);
  }

  score({ item, rating }: AskedUser, scores: Float64Array): void {
    const user = this.#users.solve(item, rating);
    for (let i = 0; i < scores.length; i++) {
      scores[i] = user.reduce((sum, value, k) => sum + value * this.#item[i * SIZE + k], 0);
    }
  }
}

/** Table 2 of one ranker. A pair of the MAR part that was learned from counts as a miss. */
export function learnedTable2(name: LearnedRanker, splits: number): Record<Column, number> {
  const train = coatRatings('train');
  const test = coatRatings('test');
  const sums = { truth: 0, full: 0, reg: 0, skew: 0, wtd: 0, wtd_h: 0 };
  for (let split = 0; split < splits; split++) {
    const mnar = splitRatings(train, [0.6, 0.4], 2 * split);
    const mar = splitRatings(test, [0.15, 0.15, 0.7], 2 * split + 1);
    const learned = sparseRatings(mnar[0]);
    const rank = ranksBy(LEARNED[name](learned), learned, () => 1);
    sums.truth += recallWithMisses(rank, mnar[0], mar[2]);
    const window = rankedWindow(name, rank, mnar[0], mnar[1], mar[0]);
    const { results } = estimate(window, {
      metrics: ['recall'],
      ks: [10],
      estimators: [...CARRARO_ESTIMATORS],
      smoothing: 0.5,
    });
    for (const { estimator, form: aggregation, value } of results) {
      if (aggregation === 'user') sums[estimator as Column] += value;
    }
  }
  const deviation = (column: Column) => 100 * (sums[column] / sums.truth - 1);
  return {
    truth: sums.truth / splits,
    full: deviation('full'),
    reg: deviation('reg'),
    skew: deviation('skew'),
    wtd: deviation('wtd'),
    wtd_h: deviation('wtd_h'),
  };
}

function recallWithMisses(
  rank: (user: number, item: number) => number,
  train: number[][],
  truth: number[][],
): number {
  const recalls = truth.flatMap((row, user) => {
    const liked = row.flatMap((rating, item) => (rating > 3 ? [item] : []));
    if (liked.length === 0) return [];
    const hits = liked.filter((item) => train[user][item] === 0 && rank(user, item) < 10);
    return [hits.length / liked.length];
  });
  return recalls.reduce((a, b) => a + b, 0) / recalls.length;
}
