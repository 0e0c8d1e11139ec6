import { nearestRating, type RatingScale } from '../events/rating-scale.js';
import { absoluteRatingError, ratingAccuracy, squaredRatingError } from './rating-error.js';
import { discountedRatingGain, precisionRatingGain } from './rating-gain.js';

/** What is known of a measure beside the row. */
export interface RatingMeasureContext {
  readonly scale: RatingScale;
  /** I, items of the catalogue. */
  readonly items: number;
  /** K; Infinity for the uncut form. */
  readonly k: number;
}

interface Described {
  /** Whether a lower value is the better one. */
  readonly isError: boolean;
  /** Whether the value is the root of the mean. */
  readonly isRoot?: boolean;
  /** The most that a mean can be; Infinity if nothing bounds it. */
  readonly most: number;
  readonly inWords: string;
}

/** δ of a rating and what was predicted for it. */
export interface PredictionMetric extends Described {
  readonly kind: 'prediction';
  delta(rating: number, predicted: number, context: RatingMeasureContext): number;
}

/** δ of a rating and the 0-based rank of its item, uncut, at each cut-off, or both. */
export interface RankedRatingMetric extends Described {
  readonly kind: 'rank';
  readonly isUncut: boolean;
  delta(rating: number, rank: number, context: RatingMeasureContext): number;
}

const ENTRIES = {
  mae: {
    kind: 'prediction',
    isError: true,
    most: Number.POSITIVE_INFINITY,
    inWords: 'mean absolute error of predicted ratings',
    delta: absoluteRatingError,
  },
  mse: {
    kind: 'prediction',
    isError: true,
    most: Number.POSITIVE_INFINITY,
    inWords: 'mean squared error of predicted ratings',
    delta: squaredRatingError,
  },
  rmse: {
    kind: 'prediction',
    isError: true,
    isRoot: true,
    most: Number.POSITIVE_INFINITY,
    inWords: 'root of the mean squared error of predicted ratings',
    delta: squaredRatingError,
  },
  accuracy: {
    kind: 'prediction',
    isError: false,
    most: 1,
    inWords: 'share of ratings that the nearest rating to the prediction is',
    delta: (rating, predicted, { scale }) =>
      ratingAccuracy(nearestRating(scale, rating), nearestRating(scale, predicted)),
  },
  cg: {
    kind: 'rank',
    isUncut: false,
    isError: false,
    most: Number.POSITIVE_INFINITY,
    inWords: 'mean rating of the first K items of a list',
    delta: (rating, rank, { items, k }) => precisionRatingGain(rating, rank, items, k),
  },
  rating_dcg: {
    kind: 'rank',
    isUncut: true,
    isError: false,
    most: Number.POSITIVE_INFINITY,
    inWords: 'ratings of the items of a list, discounted by rank',
    delta: (rating, rank, { items, k }) => discountedRatingGain(rating, rank, items, k),
  },
} as const satisfies Readonly<Record<string, PredictionMetric | RankedRatingMetric>>;

/** Metrics of ratings: of predictions, and of the ratings of what lists hold first. */
export type RatingMetric = keyof typeof ENTRIES;

export const RATING_METRICS = Object.keys(ENTRIES) as RatingMetric[];

export function ratingMetricOf(name: RatingMetric): PredictionMetric | RankedRatingMetric {
  return ENTRIES[name];
}

/**
 * Whether a name is that of a metric of ratings.
 *
 * @example
 * isRatingMetric('mae'); // true
 */
export function isRatingMetric(name: string): name is RatingMetric {
  return Object.hasOwn(ENTRIES, name);
}
