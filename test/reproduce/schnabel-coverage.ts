import { Random } from '../../src/estimators/mathematics/random.js';
import { naiveRating } from '../../src/estimators/mean-rating.js';
import { absoluteRatingError } from '../../src/estimators/metrics/rating-metrics.js';
import { estimateRatings } from '../../src/features/ratings/estimate-ratings.js';
import type { RatingOptions } from '../../src/features/ratings/rating-options.js';
import { type RatedPart, UNRANKED } from '../../src/state/panes/window-part.js';
import {
  ITEMS,
  observe,
  PAIRS,
  PREDICTIONS,
  PROPENSITY,
  predict,
  ratingMatrix,
  USERS,
} from './schnabel-design.js';
import type { Row, Table } from './table.js';

/** Random ratings that naive Bayes learns from; none where P is known. */
const RANDOM_RATINGS = [0, 1000, 10_000];
const ASKED: RatingOptions = {
  metrics: ['mae'],
  ks: [],
  estimators: ['naive', 'snips'],
  propensity: 'nb',
  smoothing: 1,
  isCatalogueKnown: true,
  scale: { lowest: 1, highest: 5, step: 1 },
};
/** What 95 % are held to from below, beside the error of the count. */
const LEAST = 0.93;

/**
 * How often the 95 % intervals of a window hold the true MAE of the five predictions of Figure 4, over
 * draws of what is observed.
 */
export function schnabelCoverage(samples = 40, seed = 2016): Table {
  const ratings = ratingMatrix(new Random(seed, 'ratings'));
  const predicted = PREDICTIONS.map((name) => predict(name, ratings, new Random(seed, name)));
  const truth = predicted.map((own) =>
    naiveRating(
      Float64Array.from(ratings, (rating, pair) => absoluteRatingError(rating, own[pair])),
    ),
  );
  const held = RANDOM_RATINGS.map(() => ({ naive: 0, snips: 0, ips: 0 }));
  for (let s = 0; s < samples; s++) {
    const seen = observe(ratings, new Random(seed, `observed ${s}`));
    RANDOM_RATINGS.forEach((count, at) => {
      const random = new Random(seed, `random ${s} ${count}`);
      const drawn = Array.from({ length: count }, () => random.below(PAIRS));
      const part = ratedPart(ratings, predicted, seen, drawn);
      const options = count === 0 ? ({ ...ASKED, propensity: 'logged' } as const) : ASKED;
      const report = estimateRatings(part, { models: PREDICTIONS, items: ITEMS, options });
      for (const { model, estimator, form: aggregation, lower, upper } of report.estimates) {
        const known = truth[(PREDICTIONS as readonly string[]).indexOf(model)];
        const isHeld = lower <= known && known <= upper;
        if (aggregation === 'pooled' && isHeld) held[at][estimator]++;
      }
    });
  }
  const all = samples * PREDICTIONS.length;
  // Predictions of one draw go together: the draws alone count as many.
  const slack = 2 * Math.sqrt((LEAST * (1 - LEAST)) / samples);
  const rows = RANDOM_RATINGS.map((count, at): Row => {
    const share = held[at].snips / all;
    return {
      what: count === 0 ? 'SNIPS, P known' : `SNIPS, naive Bayes from ${count} random ratings`,
      paper: '–',
      ours: share.toFixed(3),
      heldTo: `≥ ${(LEAST - slack).toFixed(2)}`,
      isOk: share >= LEAST - slack,
    };
  });
  const naive = held[0].naive / all;
  return {
    title: `Schnabel et al. 2016, Figure 4: how often 95 % intervals hold the true MAE, ${samples} samples`,
    rows: [
      ...rows,
      {
        what: 'naive',
        paper: '–',
        ours: naive.toFixed(3),
        heldTo: '0',
        isOk: naive === 0,
      },
    ],
    note: 'All samples have the same users, while the intervals allow for other users: where users differ, they cover more often than they promise.',
  };
}

/** The pairs that were observed, with P, and those that were drawn at random, by user. */
function ratedPart(
  ratings: Uint8Array,
  predicted: readonly Float64Array[],
  seen: Int32Array,
  drawn: readonly number[],
): RatedPart {
  const isRandom = Float64Array.from([...seen, ...drawn], (_, row) =>
    row < seen.length ? 0 : 0.5,
  );
  // A random pair comes after the observed one of the same number: the half says which it is.
  const rows = isRandom.map(
    (half, row) => (row < seen.length ? seen[row] : drawn[row - seen.length]) + half,
  );
  rows.sort();
  const pairs = Int32Array.from(rows, Math.floor);
  const start = new Int32Array(USERS + 1);
  for (const pair of pairs) start[Math.floor(pair / ITEMS) + 1]++;
  for (let user = 0; user < USERS; user++) start[user + 1] += start[user];
  return {
    users: USERS,
    start,
    offScale: 0,
    user: Int32Array.from({ length: USERS }, (_, user) => user),
    userCount: new Float64Array(USERS),
    item: pairs.map((pair) => pair % ITEMS),
    rating: Float32Array.from(pairs, (pair) => ratings[pair]),
    isRandom: Uint8Array.from(rows, (row) => (Number.isInteger(row) ? 0 : 1)),
    propensity: Float32Array.from(pairs, (pair) => PROPENSITY[ratings[pair]]),
    ranks: predicted.map(() => new Uint16Array(pairs.length).fill(UNRANKED)),
    scores: predicted.map((own) => Float32Array.from(pairs, (pair) => own[pair])),
  };
}
