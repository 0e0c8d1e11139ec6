import type { RatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { ABSOLUTE, LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { PropensitySource } from '../../estimators/propensity/used-propensities.js';
import type { RatingScale } from '../../events/rating-scale.js';

/** Estimators of the mean over all pairs of users and items, from the rated pairs. */
export const RATING_ESTIMATORS = [UNCORRECTED, LEADING, ABSOLUTE] as const;
export type RatingEstimatorName = (typeof RATING_ESTIMATORS)[number];

/** Sources of the propensity of a rating; see `ratingWeights`. */
export const RATING_PROPENSITIES = ['nb', 'logged', 'file'] as const;
export type RatingPropensitySource = (typeof RATING_PROPENSITIES)[number];

/** Options for rating metrics of a window. */
export interface RatingOptions {
  readonly metrics: readonly RatingMetric[];
  readonly ks: readonly number[];
  readonly estimators: readonly RatingEstimatorName[];
  readonly scale: RatingScale;
  readonly propensity: RatingPropensitySource;
  /** The propensities file; only if `propensity` is `file`. */
  readonly file?: PropensitySource | undefined;
  /** κ of `nb`: count added to the randomised ratings of each value. */
  readonly smoothing: number;
  /** Largest weight 1 / P; undefined means no limit. */
  readonly maxWeight?: number | undefined;
  /** Model that the others are compared with; undefined means the first. */
  readonly reference?: string | undefined;
  /**
   * The metric that decides between models when a window is evaluated once; undefined means no
   * verdict.
   */
  readonly decides?:
    | {
        readonly metric: RatingMetric;
        readonly k: number | null;
      }
    | undefined;
  /**
   * Whether the number of items is known: because it is configured, or because the whole log was
   * read.
   */
  readonly isCatalogueKnown: boolean;
}
