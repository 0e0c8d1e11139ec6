import type { RatingMetric } from '../../../gains/rating-metrics.js';
import type { Aggregation } from '../../aggregations.js';
import type { PropensityFileReport } from './file-report.js';
import type { RatingEstimatorName, RatingPropensitySource } from './rating-options.js';

interface RatingNumber {
  readonly model: string;
  readonly metric: RatingMetric;
  readonly k: number | null;
  readonly estimator: RatingEstimatorName;
  readonly aggregation: Aggregation;
  readonly value: number;
  /** Clustered by user; with what the propensities of `nb` are uncertain by. */
  readonly stdErr: number;
  /** 95 % interval. */
  readonly lower: number;
  readonly upper: number;
  /** Users that carry weight, and their Kish effective number. */
  readonly users: number;
  readonly ess: number;
}

/** The estimate of a metric of ratings. */
export interface RatingEstimate extends RatingNumber {
  /** Rated pairs that it rests on. */
  readonly events: number;
  /** Of ips with a largest weight: clipped minus unclipped. */
  readonly clippingBias?: number;
}

/** A model's estimate minus the reference model's, paired by user. */
export interface RatingDifference extends RatingNumber {
  readonly reference: string;
}

/** What users gave for what a model predicted, in a fifth of its predictions. */
export interface CalibrationBin {
  readonly model: string;
  /** Predictions from ≤ Ŷ < to; the outer bins are open. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** Mean Ŷ. */
  readonly predicted: number;
  /** Mean rating of those who rated. */
  readonly rated: number;
  /** Σ(Y/P) / Σ(1/P); NaN without propensities. */
  readonly corrected: number;
}

/** P of a rating by its value, and what it rests on. */
export interface RatingPropensityRow {
  readonly rating: number;
  /** Ratings that users chose to give, and random ones, of this value. */
  readonly chosen: number;
  readonly random: number;
  /** NaN if nobody chose to give it. */
  readonly propensity: number;
}

/** Everything that the ratings of a window say. */
export interface RatingsReport {
  readonly estimates: readonly RatingEstimate[];
  readonly differences: readonly RatingDifference[];
  readonly calibration: readonly CalibrationBin[];
  readonly models: readonly {
    readonly model: string;
    /** Rated pairs with a prediction, and without one. */
    readonly predicted: number;
    readonly unpredicted: number;
  }[];
  readonly counts: {
    /** Pairs that users chose to rate, and pairs that randomised traffic had them rate. */
    readonly rated: number;
    readonly random: number;
    /** Users who chose to rate. */
    readonly users: number;
    /** Interactions whose value is no rating. */
    readonly offScale: number;
  };
  readonly propensity: {
    readonly source: RatingPropensitySource;
    /** U · I: users who rated, by items of the catalogue. */
    readonly pairs: number;
    /** Σw / (U · I) over rated pairs: 1 if the propensities are right; NaN without any. */
    readonly weightShare: number;
    /** Rated pairs without a propensity, which the naive form alone counts. */
    readonly without: number;
    /** Of `file`. */
    readonly file?: PropensityFileReport;
    /** Of `nb`. */
    readonly byRating: readonly RatingPropensityRow[];
  };
  /** Estimators that were asked for and have no value; of one model, if it is named. */
  readonly refusals: readonly {
    readonly estimator: RatingEstimatorName;
    readonly model?: string;
    readonly reason: string;
  }[];
}
