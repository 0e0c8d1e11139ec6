import { evenWeights, FACTOR_DEFAULTS, fitFactors } from '../../src/commands/train/fit-factors.js';
import { ItemKnn, itemNeighbours, UserKnn } from '../../src/commands/train/item-knn.js';
import { FactorRanker } from '../../src/commands/train/learned-model.js';
import { type Ranker, topItems } from '../../src/commands/train/ranker.js';
import type { Ratings } from '../../src/commands/train/rating-rows.js';
import { ratedBy, rowsByUser } from '../../src/commands/train/rating-rows.js';
import { hash53 } from '../../src/estimators/interventions/sampling-key.js';
import { fitGamma } from '../../src/estimators/propensity/gamma-fit.js';
import { movieLensRatings } from '../support/movielens-ratings.js';
import { type Row, type Table, within } from './table.js';

/** What a list recommends. */
const LENGTH = 50;
const NEIGHBOURS = 50;
/** Ratings below it are not positive. */
const LIKED = 4;
const LAMBDA = 1e-3;

/** γ of each ranker's exposures on MovieLens, as the paper fits it on three sets that are not to be had. */
export function yangTable2(): Table {
  const liked = movieLensRatings(LIKED);
  return {
    title: 'Yang et al. 2018, Table 2: γ by ranker, on MovieLens instead of its data sets',
    rows: [
      row('UserKNN, 50 neighbours', liked, userKnn(liked), 3.39),
      row('PMF, d = 20, λ = 1e-3', liked, factorised(liked), 2.69),
      row('ItemKNN, 50 neighbours', liked, new ItemKnn(itemNeighbours(liked, NEIGHBOURS)), 1.88),
      row('random', liked, RANDOM, -0.06),
    ],
    note: `${LENGTH} recommendations for each user; ratings of ${LIKED} and more; OLS over levels. The paper’s γ are 1.55 to 3.07.`,
  };
}

const RANDOM: Ranker = {
  score: ({ known }, scores) => {
    for (let i = 0; i < scores.length; i++) scores[i] = hash53(1, known, i);
  },
};

function userKnn(ratings: Ratings): Ranker {
  return new UserKnn(rowsByUser(ratings), ratings.items, NEIGHBOURS);
}

function factorised(ratings: Ratings): Ranker {
  const options = { ...FACTOR_DEFAULTS, size: 20, lambda: LAMBDA, seed: 1 };
  const { factors } = fitFactors(ratings, evenWeights(ratings), options);
  const { size, item, offset } = factors;
  return new FactorRanker({ size, item, offset, ridge: LAMBDA * ratings.users * ratings.items });
}

function row(what: string, ratings: Ratings, ranker: Ranker, expected: number): Row {
  const { items, users } = ratings;
  const rows = rowsByUser(ratings);
  const [weight] = evenWeights(ratings);
  const counts = new Float64Array(items);
  const exposures = new Float64Array(items);
  for (const item of ratings.item) counts[item]++;
  const scores = new Float64Array(items);
  for (let user = 0; user < users; user++) {
    const own = ratedBy(rows, user);
    const even = new Float64Array(own.item.length).fill(weight);
    ranker.score({ ...own, weight: even, known: user }, scores);
    const isRated = new Uint8Array(items);
    for (const item of own.item) isRated[item] = 1;
    for (const item of topItems(scores, LENGTH, isRated)) exposures[item]++;
  }
  const { ols } = fitGamma(counts, exposures, items);
  return within(what, '–', ols.gamma, expected, 0.3, 2);
}
