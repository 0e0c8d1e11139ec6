import { nearestRating, type RatingScale, ratingCount } from '../../events/rating-scale.js';
import { dcgGain } from './dcg.js';
import { recallGain } from './recall.js';

/** Parameters of a rating measure that do not depend on the row. */
export interface RatingMeasureContext {
  readonly scale: RatingScale;
  /** I, items of the catalogue. */
  readonly items: number;
  /** K; Infinity for the uncut form. */
  readonly k: number;
}

/** Ratings by row, and the index of each on the rating scale (`place`). */
export interface RatedRows {
  readonly rating: Float32Array;
  readonly place: Uint16Array;
}

interface Described {
  /** Whether a lower value is the better one. */
  readonly isError: boolean;
  /** Whether the value is the root of the mean. */
  readonly isRoot?: boolean;
  /** Upper bound of the mean; Infinity if there is none. */
  readonly most: number;
  readonly inWords: string;
}

/** Rating metric that is the mean over rows of δ, computed from a rating and its prediction. */
export interface PredictionMetric extends Described {
  readonly kind: 'prediction';
  delta(rating: number, predicted: number, context: RatingMeasureContext): number;
  /** Write δ of rows from ≤ r < to into `deltas`, starting at index 0; NaN without a prediction. */
  fill(
    deltas: Float64Array,
    rows: RatedRows,
    predicted: Float32Array,
    from: number,
    to: number,
    context: RatingMeasureContext,
  ): void;
}

/**
 * Rating metric that is the mean over rows of δ, computed from a rating and the 0-based rank of its
 * item: uncut, at each cut-off, or both.
 */
export interface RankedRatingMetric extends Described {
  readonly kind: 'rank';
  readonly isUncut: boolean;
  delta(rating: number, rank: number, context: RatingMeasureContext): number;
}

// Each metric has its own loop: a shared loop would call δ through a variable for every row.
const fillAbsolute: PredictionMetric['fill'] = (deltas, { rating }, predicted, from, to) => {
  for (let r = from; r < to; r++) {
    deltas[r - from] = absoluteRatingError(rating[r], predicted[r]);
  }
};

const fillSquared: PredictionMetric['fill'] = (deltas, { rating }, predicted, from, to) => {
  for (let r = from; r < to; r++) {
    deltas[r - from] = squaredRatingError(rating[r], predicted[r]);
  }
};

const fillAccuracy: PredictionMetric['fill'] = (
  deltas,
  { place },
  predicted,
  from,
  to,
  { scale: { lowest, highest, step } },
) => {
  const last =
    ratingCount({
      lowest,
      highest,
      step,
    }) - 1;
  for (let r = from; r < to; r++) {
    // Rounds as `nearestRating` does; a NaN passes both comparisons and stays NaN. The comparison
    // with the rating has no branch, since a mispredicted one would take three times as long.
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
    inWords: 'share of ratings that equal the prediction rounded to the nearest rating',
    delta: (rating, predicted, { scale }) =>
      ratingAccuracy(nearestRating(scale, rating), nearestRating(scale, predicted)),
    fill: fillAccuracy,
  },
  cg: {
    kind: 'rank',
    isUncut: false,
    isError: false,
    most: Number.POSITIVE_INFINITY,
    inWords: 'mean rating of the first k items of a list',
    delta: (rating, rank, { items, k }) => precisionRatingGain(rating, rank, items, k),
  },
  rating_dcg: {
    kind: 'rank',
    isUncut: true,
    isError: false,
    most: Number.POSITIVE_INFINITY,
    inWords: 'sum of the ratings of the items of a list, discounted by rank',
    delta: (rating, rank, { items, k }) => discountedRatingGain(rating, rank, items, k),
  },
} as const satisfies Readonly<Record<string, PredictionMetric | RankedRatingMetric>>;

/** Metrics of explicit ratings: errors of predictions, and gains of top-ranked items. */
export type RatingMetric = keyof typeof ENTRIES;

export const RATING_METRICS = Object.keys(ENTRIES) as RatingMetric[];

export function ratingMetricOf(name: RatingMetric): PredictionMetric | RankedRatingMetric {
  return ENTRIES[name];
}

/**
 * Whether a name is that of a rating metric.
 *
 * @example
 * isRatingMetric('mae'); // true
 */
export function isRatingMetric(name: string): name is RatingMetric {
  return Object.hasOwn(ENTRIES, name);
}

/** Parse a name such as `cg@10` into metric and cut-off; undefined if it is not a rating metric. */
export function ratingMeasureOf(name: string):
  | {
      readonly metric: RatingMetric;
      readonly k: number | null;
    }
  | undefined {
  const [metric, k] = name.split('@');
  return isRatingMetric(metric)
    ? {
        metric,
        k: k === undefined ? null : Number(k),
      }
    : undefined;
}

/**
 * Errors δ of a predicted rating Ŷ against the rating Y of the same user and item. A model's
 * performance is the mean of δ over all users and items, observed or not; see `ipsRating` for its
 * estimate from observed ratings.
 */

/**
 * Absolute error of a predicted rating; its mean is MAE.
 *
 * δ = |Y − Ŷ|.
 * Source: Schnabel et al. 2016, eq. 2. At least 0; O(1).
 *
 * @param rating Y. @param predicted Ŷ, on the same scale. @returns δ, on that scale.
 * @example
 * absoluteRatingError(4, 2.5); // 1.5
 */
export function absoluteRatingError(rating: number, predicted: number): number {
  return Math.abs(rating - predicted);
}

/**
 * Squared error of a predicted rating; its mean is MSE.
 *
 * δ = (Y − Ŷ)².
 * Source: Schnabel et al. 2016, eq. 3. At least 0; O(1).
 *
 * @param rating Y. @param predicted Ŷ, on the same scale. @returns δ, on that scale squared.
 * @example
 * squaredRatingError(4, 2.5); // 2.25
 */
export function squaredRatingError(rating: number, predicted: number): number {
  return (rating - predicted) ** 2;
}

/**
 * Whether a rating was predicted exactly; its mean is accuracy (higher is better).
 *
 * δ = 1{Ŷ = Y}.
 * Source: Schnabel et al. 2016, eq. 4. Range {0, 1}; O(1).
 *
 * @param rating Y. @param predicted Ŷ, rounded to the rating scale.
 * @example
 * ratingAccuracy(4, 4); // 1
 */
export function ratingAccuracy(rating: number, predicted: number): number {
  return rating === predicted ? 1 : 0;
}

/**
 * Gains δ of recommending an item of rating Y to a user. They include the factor I, the number of
 * items, so that the mean of δ over all users and items is the mean gain per user. `ipsRating`
 * estimates it from observed ratings.
 */

/**
 * Cumulative gain of a set of k recommendations: its mean is the average rating of the recommended
 * items.
 *
 * δ = (I / k) · 1{recommended} · Y.
 * Source: Schnabel et al. 2016, eq. 7. O(1).
 *
 * @param rating Y. @param isRecommended whether the item is in the user's set.
 * @param items I. @param k size of each user's set, above 0. @returns δ, in ratings.
 * @example
 * cumulativeRatingGain(4, true, 300, 10); // 120
 */
export function cumulativeRatingGain(
  rating: number,
  isRecommended: boolean,
  items: number,
  k: number,
): number {
  return isRecommended ? (items / k) * rating : 0;
}

/**
 * Discounted gain of an item at a rank, cut after K positions if K is finite; its mean is DCG.
 *
 * δ = I · 1{Z < K} · Y / log2(Z + 2), Z the 0-based rank: I · Y / log2(1 + rank) for ranks from 1.
 * Source: Schnabel et al. 2016, eq. 8. The paper prints log(rank), but its Table 1 (ROTATE, 12.90)
 * fits this form. O(1).
 *
 * @param rating Y. @param rank Z in the user's ranking of all items by Ŷ (positions).
 * @param items I. @param k K (positions); Infinity for the uncut form. @returns δ, in ratings.
 * @example
 * discountedRatingGain(5, 2, 300); // 750
 */
export function discountedRatingGain(
  rating: number,
  rank: number,
  items: number,
  k = Number.POSITIVE_INFINITY,
): number {
  return items * rating * dcgGain(rank, k);
}

/**
 * Gain of an item among the first K. Its mean is PREC@K, which is precision for ratings of 0 and 1,
 * and otherwise the average rating of the first K.
 *
 * δ = (I / K) · Y · 1{Z < K}, Z the 0-based rank.
 * Source: Schnabel et al. 2016, eq. 9. O(1).
 *
 * @param rating Y. @param rank Z in the user's ranking of all items by Ŷ (positions).
 * @param items I. @param k K (positions), above 0. @returns δ, in ratings.
 * @example
 * precisionRatingGain(1, 4, 300, 5); // 60
 */
export function precisionRatingGain(
  rating: number,
  rank: number,
  items: number,
  k: number,
): number {
  return (items / k) * rating * recallGain(rank, k);
}
