import type { RatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { ABSOLUTE, LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { PropensitySource } from '../../estimators/propensity/used-propensities.js';
import type { RatingScale } from '../../events/rating-scale.js';

/** Estimators of the mean over all pairs, from the rated ones. */
export const RATING_ESTIMATORS = [UNCORRECTED, LEADING, ABSOLUTE] as const;
export type RatingEstimatorName = (typeof RATING_ESTIMATORS)[number];

/** Where the propensity of a rating comes from: see `ratingWeights`. */
export const RATING_PROPENSITIES = ['nb', 'logged', 'file'] as const;
export type RatingPropensitySource = (typeof RATING_PROPENSITIES)[number];

/** What is asked of the ratings of a window. */
export interface RatingOptions {
  readonly metrics: readonly RatingMetric[];
  readonly ks: readonly number[];
  readonly estimators: readonly RatingEstimatorName[];
  readonly scale: RatingScale;
  readonly propensity: RatingPropensitySource;
  /** Of `file`. */
  readonly file?: PropensitySource | undefined;
  /** κ of `nb`, in random ratings of each value. */
  readonly smoothing: number;
  /** The most that 1 / P may count; no limit if left out. */
  readonly maxWeight?: number | undefined;
  /** Model that the others are compared with; undefined: the first. */
  readonly reference?: string | undefined;
  /** The metric by which one look at a window judges models; no verdict if left out. */
  readonly decides?:
    | {
        readonly metric: RatingMetric;
        readonly k: number | null;
      }
    | undefined;
  /** Whether the size of the catalogue is known, or all of the log is there. */
  readonly isCatalogueKnown: boolean;
}
