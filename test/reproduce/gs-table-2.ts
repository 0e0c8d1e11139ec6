import { mean } from 'simple-statistics';
import { IMPLICIT_DEFAULTS, implicitFactors } from '../../src/commands/train/confidence-rows.js';
import { ItemKnn, itemNeighbours, UserKnn } from '../../src/commands/train/item-knn.js';
import { ImplicitRanker } from '../../src/commands/train/learned-model.js';
import type { Ranker } from '../../src/commands/train/ranker.js';
import { PopularityRanker, positiveCounts } from '../../src/commands/train/ranker.js';
import type { Ratings } from '../../src/commands/train/rating-rows.js';
import { rowsByItem, rowsByUser } from '../../src/commands/train/rating-rows.js';
import { hash53 } from '../../src/estimators/interventions/sampling-key.js';
import { estimate } from '../oracle/window.js';
import { coatRatings, ratingsPerItem } from '../reference/coat.js';
import { ranksBy } from '../reference/coat-learning.js';
import { sparseRatings } from '../support/sparse-ratings.js';
import { type Row, type Table, within } from './table.js';

const SEEDS = 10;
const TRAIN_SHARE = 0.8;
const LIKED = 4;
const ITEMS = 300;
const KS = [5, 10, 20, 30, 100];
const NEIGHBOURS = [5, 10, 20, 50, 100];
const SIZES = [5, 10, 20, 40];
const LAMBDAS = [1, 3, 10, 30, 100];
const FORMS = { gs: 'GS', snips: 'IPS', naive: 'Naive' } as const;
type Form = keyof typeof FORMS;

/** As printed, over 81 models and 20 seeds. */
const PAPER: Record<Form, readonly string[]> = {
  gs: ['0.4187', '0.5403', '0.5553', '0.5611', '0.6600'],
  snips: ['0.4219', '0.5367', '0.5564', '0.5634', '0.6497'],
  naive: ['0.4065', '0.5439', '0.5544', '0.5587', '0.6703'],
};
/** Of our own, so that a change is seen. */
const EXPECTED: Record<Form, readonly number[]> = {
  gs: [0.171, 0.195, 0.297, 0.406, 0.647],
  snips: [0.173, 0.19, 0.298, 0.404, 0.645],
  naive: [0.182, 0.159, 0.309, 0.441, 0.656],
};
/** About what other seeds move a mean of ten by. */
const TOLERANCE = 0.1;

/** Kendall’s τ of the order of models by held-out ratings with the order on random items, on Coat. */
export function gsTable2(seeds = SEEDS): Table {
  const found = Array.from({ length: seeds }, (_, seed) => correlations(seed));
  const rows = (Object.keys(FORMS) as Form[]).flatMap((form) =>
    KS.map((k, n): Row => {
      const tau = mean(found.map((each) => each[form][n]));
      const expected = EXPECTED[form][n];
      return within(`${FORMS[form]}, recall@${k}`, PAPER[form][n], tau, expected, TOLERANCE, 3);
    }),
  );
  return {
    title: `Stratified estimator manuscript, Table 2: Kendall’s τ on Coat, 31 models, ${seeds} seeds`,
    rows,
    note: [
      'Compared with our own earlier numbers: the paper has 81 other models. We agree at recall@100 and are far',
      'below at short lists, probably because two thirds of our models are similar iALS. As in the paper, the',
      'three forms differ by less than chance.',
    ].join('\n'),
  };
}

function correlations(seed: number): Record<Form, number[]> {
  const all = coatRatings('train');
  const isTrained = (user: number, item: number) =>
    hash53(seed, user, item) / 2 ** 53 < TRAIN_SHARE;
  const part = (trained: boolean) =>
    all.map((row, u) => row.map((rating, i) => (isTrained(u, i) === trained ? rating : 0)));
  const train = part(true);
  const test = part(false);
  const ratings = sparseRatings(train);
  const liked = sparseRatings(train.map((row) => row.map((rating) => Number(rating >= LIKED))));
  const rankers = rankersOf(ratings, liked, seed);
  const ranks = rankers.map((ranker) => ranksBy(ranker, ratings, () => 1));
  const found = recalls(test, train, ranks);
  const truth = recalls(coatRatings('test'), train, ranks).naive;
  const tauOf = (form: Form) => KS.map((_, k) => kendall(found[form][k], truth[k]));
  return { gs: tauOf('gs'), snips: tauOf('snips'), naive: tauOf('naive') };
}

function rankersOf(ratings: Ratings, liked: Ratings, seed: number): Ranker[] {
  const byUser = rowsByUser(liked);
  const byItem = rowsByItem(liked);
  return [
    new PopularityRanker(positiveCounts(ratings, LIKED)),
    ...NEIGHBOURS.map((k) => new UserKnn(rowsByUser(ratings), ITEMS, k)),
    ...NEIGHBOURS.map((k) => new ItemKnn(itemNeighbours(ratings, k))),
    ...SIZES.flatMap((size) =>
      LAMBDAS.map((lambda) => {
        const item = implicitFactors(byUser, byItem, { ...IMPLICIT_DEFAULTS, size, lambda, seed });
        return new ImplicitRanker(item, size, lambda, { from: LIKED, alpha: 1 });
      }),
    ),
  ];
}

/** By form and K, one for each model. */
function recalls(
  test: number[][],
  train: number[][],
  ranks: readonly ((user: number, item: number) => number)[],
): Record<Form, number[][]> {
  const models = ranks.map((_, m) => `m${m}`);
  const counts = ratingsPerItem(train, (rating) => rating > 0);
  const lists = models.map(() => ({ length: ITEMS, candidates: 0 }));
  const users = test.map((row, user) => ({
    count: train[user].filter((rating) => rating > 0).length,
    rows: row.flatMap((rating, item) =>
      rating < LIKED || train[user][item] > 0
        ? []
        : [{ item, positive: true, ranks: ranks.map((rank) => rank(user, item)), lists }],
    ),
  }));
  const ids = counts.map((_, item) => String(item).padStart(3, '0'));
  const { results } = estimate(
    { models, popularity: counts, interactions: counts, ids, users },
    {
      metrics: ['recall'],
      ks: KS,
      gamma: 2,
      catalogueSize: ITEMS,
      strata: 5,
      estimators: ['naive', 'snips', 'gs'],
    },
  );
  const of = (form: Form) =>
    KS.map((k) =>
      models.map((model) => {
        const row = results.find(
          (each) =>
            each.model === model && each.k === k && each.estimator === form && each.form === 'user',
        );
        return row!.value;
      }),
    );
  return { gs: of('gs'), snips: of('snips'), naive: of('naive') };
}

/** τ-b: ties in either order are taken out of its denominator. */
function kendall(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  let untiedA = 0;
  let untiedB = 0;
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < i; j++) {
      const ofA = Math.sign(a[i] - a[j]);
      const ofB = Math.sign(b[i] - b[j]);
      sum += ofA * ofB;
      untiedA += Math.abs(ofA);
      untiedB += Math.abs(ofB);
    }
  }
  return sum / Math.sqrt(untiedA * untiedB);
}
