import { nearestRating, type RatingScale, ratingCount } from '../../events/rating-scale.js';
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

/** Ratings by row, and the places of those on the scale. */
export interface RatedRows {
  readonly rating: Float32Array;
  readonly place: Uint16Array;
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
  /** The same of rows from ≤ r < to, into `deltas` from 0 on; NaN without a prediction. */
  fill(
    deltas: Float64Array,
    rows: RatedRows,
    predicted: Float32Array,
    from: number,
    to: number,
    context: RatingMeasureContext,
  ): void;
}

/** δ of a rating and the 0-based rank of its item, uncut, at each cut-off, or both. */
export interface RankedRatingMetric extends Described {
  readonly kind: 'rank';
  readonly isUncut: boolean;
  delta(rating: number, rank: number, context: RatingMeasureContext): number;
}

// Each has a loop of its own: one that all share would call its δ by name for every row.
const fillAbsolute: PredictionMetric['fill'] = (deltas, { rating }, predicted, from, to) => {
  for (let r = from; r < to; r++) deltas[r - from] = absoluteRatingError(rating[r], predicted[r]);
};

const fillSquared: PredictionMetric['fill'] = (deltas, { rating }, predicted, from, to) => {
  for (let r = from; r < to; r++) deltas[r - from] = squaredRatingError(rating[r], predicted[r]);
};

const fillAccuracy: PredictionMetric['fill'] = (
  deltas,
  { place },
  predicted,
  from,
  to,
  { scale: { lowest, highest, step } },
) => {
  const last = ratingCount({ lowest, highest, step }) - 1;
  for (let r = from; r < to; r++) {
    // As nearestRating has it; NaN is neither below 0 nor above the last. A branch for what is as
    // often right as wrong would take three times as long.
    const near = Math.floor((predicted[r] - lowest) / step + 0.5);
    const kept = near < 0 ? 0 : near > last ? last : near;
    deltas[r - from] = Number.isNaN(kept) ? kept : Number(place[r] === kept);
  }
};

const ENTRIES = {
  mae: {
    kind: 'prediction',
    isError: true,
    most: Number.POSITIVE_INFINITY,
    inWords: 'mean absolute error of predicted ratings',
    delta: absoluteRatingError,
    fill: fillAbsolute,
  },
  mse: {
    kind: 'prediction',
    isError: true,
    most: Number.POSITIVE_INFINITY,
    inWords: 'mean squared error of predicted ratings',
    delta: squaredRatingError,
    fill: fillSquared,
  },
  rmse: {
    kind: 'prediction',
    isError: true,
    isRoot: true,
    most: Number.POSITIVE_INFINITY,
    inWords: 'root of the mean squared error of predicted ratings',
    delta: squaredRatingError,
    fill: fillSquared,
  },
  accuracy: {
    kind: 'prediction',
    isError: false,
    most: 1,
    inWords: 'share of ratings that the nearest rating to the prediction is',
    delta: (rating, predicted, { scale }) =>
      ratingAccuracy(nearestRating(scale, rating), nearestRating(scale, predicted)),
    fill: fillAccuracy,
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

/** `cg@10` as a metric and its cut-off; undefined where it is none of ratings. */
export function ratingMeasureOf(
  name: string,
): { readonly metric: RatingMetric; readonly k: number | null } | undefined {
  const [metric, k] = name.split('@');
  return isRatingMetric(metric) ? { metric, k: k === undefined ? null : Number(k) } : undefined;
}
