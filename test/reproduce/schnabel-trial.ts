import { mean, sampleStandardDeviation } from 'simple-statistics';
import { Random } from '../../src/estimators/mathematics/random.js';
import { ipsRating, naiveRating, snipsRating } from '../../src/estimators/mean-rating.js';
import { absoluteRatingError } from '../../src/estimators/metrics/rating-metrics.js';
import { naiveLimit, stdDev } from '../oracle/rating.js';
import {
  discountedGains,
  observe,
  PAIRS,
  PREDICTIONS,
  PROPENSITY,
  type Prediction,
  predict,
  ratingMatrix,
} from './schnabel-design.js';

/** As many as the paper's. */
export const SAMPLES = 50;

export interface Spread {
  readonly mean: number;
  readonly stdDev: number;
}

/** What the estimators give for one prediction matrix and one measure over all samples of O. */
export interface Trial {
  readonly prediction: Prediction;
  readonly measure: 'MAE' | 'DCG@50';
  readonly samples: number;
  readonly truth: number;
  readonly ips: Spread;
  readonly snips: Spread;
  readonly naive: Spread;
  /** What follows from the design, without estimating. */
  readonly design: { ipsStdDev: number; snipsStdDev: number; naive: number };
}

export function schnabelTrials(seed: number, count = SAMPLES): Trial[] {
  const ratings = ratingMatrix(new Random(seed, 'ratings'));
  const samples = Array.from({ length: count }, (_, s) => {
    const pairs = observe(ratings, new Random(seed, `observed ${s}`));
    return { pairs, propensity: Float64Array.from(pairs, (pair) => PROPENSITY[ratings[pair]]) };
  });
  return PREDICTIONS.flatMap((prediction) => {
    const predicted = predict(prediction, ratings, new Random(seed, prediction));
    const errors = new Float64Array(PAIRS);
    for (let pair = 0; pair < PAIRS; pair++) {
      errors[pair] = absoluteRatingError(ratings[pair], predicted[pair]);
    }
    const gains = discountedGains(ratings, predicted);
    return [
      { prediction, measure: 'MAE' as const, ...estimateAll(errors, ratings, samples) },
      { prediction, measure: 'DCG@50' as const, ...estimateAll(gains, ratings, samples) },
    ];
  });
}

/** One draw of O: which pairs it observes, and their P. */
interface Sample {
  readonly pairs: Int32Array;
  readonly propensity: Float64Array;
}

function estimateAll(delta: Float64Array, ratings: Uint8Array, samples: Sample[]) {
  const truth = naiveRating(delta);
  const values = { ips: [] as number[], snips: [] as number[], naive: [] as number[] };
  for (const { pairs, propensity } of samples) {
    const seen = new Float64Array(pairs.length);
    for (let r = 0; r < pairs.length; r++) seen[r] = delta[pairs[r]];
    values.ips.push(ipsRating(seen, propensity, PAIRS));
    values.snips.push(snipsRating(seen, propensity));
    values.naive.push(naiveRating(seen));
  }
  const chance = (pair: number) => PROPENSITY[ratings[pair]];
  return {
    truth,
    samples: samples.length,
    ips: spread(values.ips),
    snips: spread(values.snips),
    naive: spread(values.naive),
    design: {
      ipsStdDev: stdDev(delta, chance, 0),
      snipsStdDev: stdDev(delta, chance, truth),
      naive: naiveLimit(delta, chance),
    },
  };
}

function spread(values: number[]): Spread {
  return { mean: mean(values), stdDev: sampleStandardDeviation(values) };
}
