import { Random } from '../../src/estimators/mathematics/random.js';
import { ipsRating, naiveRating, snipsRating } from '../../src/estimators/mean-rating.js';
import { absoluteRatingError } from '../../src/estimators/metrics/rating-metrics.js';
import { naiveBayesPropensity } from '../../src/estimators/propensity/naive-bayes.js';
import { stdDev } from '../oracle/rating.js';
import {
  observe,
  PAIRS,
  PREDICTIONS,
  PROPENSITY,
  predict,
  ratingMatrix,
} from './schnabel-design.js';
import { type Row, type Table, within } from './table.js';

/** Draws of what is observed, each with random ratings of its own. */
const SAMPLES = 50;
/** Random ratings that Naive Bayes learns P(r) from. */
const RANDOM_RATINGS = [100, 1000, 10_000, 100_000];
/** Of runs of our own elsewhere: the paper prints no numbers. */
const EXPECTED = { naive: 0.781, nb: [0.085, 0.028, 0.009, 0.005] };
const TOLERANCE = 0.2;

/**
 * Root mean squared error of the estimated MAE, over the five predictions and draws of what is
 * observed, with known propensities and with those that Naive Bayes learns from random ratings.
 */
export function schnabelFigure4(samples = SAMPLES, seed = 2016): Table {
  const ratings = ratingMatrix(new Random(seed, 'ratings'));
  const errors = PREDICTIONS.map((name) => {
    const predicted = predict(name, ratings, new Random(seed, name));
    return Float64Array.from(ratings, (rating, pair) =>
      absoluteRatingError(rating, predicted[pair]),
    );
  });
  const truth = errors.map((delta) => naiveRating(delta));
  const squares = { naive: 0, ips: 0, snips: 0, nb: RANDOM_RATINGS.map(() => 0) };
  for (let s = 0; s < samples; s++) {
    const seen = observe(ratings, new Random(seed, `observed ${s}`));
    const known = Float64Array.from(seen, (pair) => PROPENSITY[ratings[pair]]);
    const learned = RANDOM_RATINGS.map((count) =>
      bayes(ratings, seen, count, new Random(seed, `random ${s} ${count}`)),
    );
    errors.forEach((delta, prediction) => {
      const own = Float64Array.from(seen, (pair) => delta[pair]);
      const square = (value: number) => (value - truth[prediction]) ** 2;
      squares.naive += square(naiveRating(own));
      squares.ips += square(ipsRating(own, known, PAIRS));
      squares.snips += square(snipsRating(own, known));
      learned.forEach((propensity, at) => {
        squares.nb[at] += square(snipsRating(own, propensity));
      });
    });
  }
  const chance = (pair: number) => PROPENSITY[ratings[pair]];
  /** What the design implies, from the standard deviation for each prediction. */
  const design = (of: (delta: Float64Array, at: number) => number) =>
    Math.sqrt(errors.reduce((sum, delta, at) => sum + of(delta, at) ** 2, 0) / errors.length);
  const row = (what: string, sum: number, expected: number): Row => {
    const error = Math.sqrt(sum / samples / PREDICTIONS.length);
    return within(what, 'figure', error, Number(expected.toFixed(4)), TOLERANCE * expected);
  };
  return {
    title: `Schnabel et al. 2016, Figure 4: error (RMSE) of the estimated MAE, ${samples} samples`,
    rows: [
      row('naive', squares.naive, EXPECTED.naive),
      row(
        'IPS, P known',
        squares.ips,
        design((delta) => stdDev(delta, chance, 0)),
      ),
      row(
        'SNIPS, P known',
        squares.snips,
        design((delta, at) => stdDev(delta, chance, truth[at])),
      ),
      ...RANDOM_RATINGS.map((count, at) =>
        row(`Naive Bayes from ${count} random ratings`, squares.nb[at], EXPECTED.nb[at]),
      ),
    ],
    note: 'With Naive Bayes, IPS and SNIPS coincide. The paper prints no numbers for this figure.',
  };
}

/** P of the observed ratings, learned from as many random ones. */
function bayes(ratings: Uint8Array, seen: Int32Array, count: number, random: Random): Float64Array {
  const chosen = new Float64Array(6);
  const drawn = new Float64Array(6);
  for (const pair of seen) chosen[ratings[pair]]++;
  for (let n = 0; n < count; n++) drawn[ratings[random.below(PAIRS)]]++;
  const propensity = naiveBayesPropensity(chosen.subarray(1), drawn.subarray(1), PAIRS, 1);
  return Float64Array.from(seen, (pair) => propensity[ratings[pair] - 1]);
}
