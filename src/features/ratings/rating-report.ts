import type { Static } from 'typebox';
import type { Measured } from '../../estimators/evidence/anchored-rule.js';
import type { UnpredictedPart } from '../../estimators/evidence/bounds.js';
import type { RatingMetric } from '../../estimators/metrics/rating-metrics.js';
import type { Aggregation } from '../../estimators/rules/weighting-rule.js';
import type { Difference, Memory, Row } from '../../rows/row.js';
import type { RatingEstimatorName, RatingOptions } from './rating-options.js';
import type { RatingsReport as Shape } from './schema.js';

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /** Options for rating metrics; without them, ratings and scores of events are not stored. */
    readonly ratings?: RatingOptions | undefined;
  }
  interface WindowReports {
    /** Results on ratings; only if rating metrics are configured. */
    readonly ratings?: RatingsReport;
  }
}

type OfRatings = {
  readonly metric: RatingMetric;
  readonly estimator: RatingEstimatorName;
  readonly form: Aggregation;
};

/** Estimate of a rating metric; `counts.pairs` is the number of rated pairs. */
export type RatingRow = Row &
  OfRatings & {
    readonly counts: {
      readonly users: number;
      readonly pairs: number;
    };
    /** For ips: clipped minus unclipped value. */
    readonly more?: { readonly clippingBias: number };
  };

/** A model's estimate minus the reference model's, paired by user. */
export type RatingDifference = Difference &
  OfRatings & { readonly counts: { readonly users: number } };

/**
 * Comparison of two models over the pairs that both predicted, and bounds for the pairs that only
 * one predicted.
 */
export interface CommonPairs {
  readonly model: string;
  /** The model's mean δ minus the reference's over the pairs that both predicted, by snips. */
  readonly common: Measured;
  readonly ess: number;
  readonly unpredicted: UnpredictedPart;
}

/** Results on ratings in version 1 of the JSON. */
export type RatingsV1 = Memory<Static<typeof Shape>>;

/** All results from the ratings of a window. */
export type RatingsReport = {
  readonly [Key in keyof RatingsV1]: Key extends 'estimates'
    ? readonly RatingRow[]
    : Key extends 'differences'
      ? readonly RatingDifference[]
      : RatingsV1[Key];
} & {
  /** Comparisons of models if one of the two did not predict all rated pairs. */
  readonly common?: readonly CommonPairs[];
};

/** Mean prediction and mean rating in a bin with about a fifth of a model's predictions. */
export type CalibrationBin = RatingsReport['calibration'][number];

/** Propensity of a rating by its value, with the counts it is estimated from. */
export type RatingPropensityRow = RatingsReport['propensity']['byRating'][number];

/** Facts about the propensities file behind a window's numbers. */
export type PropensityFileReport = NonNullable<RatingsReport['propensity']['file']>;
