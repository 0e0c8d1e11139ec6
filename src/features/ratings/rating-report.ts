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
    /** What is asked of ratings; events' ratings and scores are not kept without. */
    readonly ratings?: RatingOptions | undefined;
  }
  interface WindowReports {
    /** What ratings say; only there if metrics of ratings are asked for. */
    readonly ratings?: RatingsReport;
  }
}

type OfRatings = {
  readonly metric: RatingMetric;
  readonly estimator: RatingEstimatorName;
  readonly form: Aggregation;
};

/** Estimate of a metric of ratings; `counts.pairs` is its number of rated pairs. */
export type RatingRow = Row &
  OfRatings & {
    readonly counts: {
      readonly users: number;
      readonly pairs: number;
    };
    /** Of ips: clipped minus unclipped. */
    readonly more?: { readonly clippingBias: number };
  };

/** A model's estimate minus the reference model's, paired by user. */
export type RatingDifference = Difference &
  OfRatings & { readonly counts: { readonly users: number } };

/** Two models by the pairs that both predicted, and what those add that only one of them did. */
export interface CommonPairs {
  readonly model: string;
  /** Over the pairs that both predicted: the model's mean δ minus the reference's, by snips. */
  readonly common: Measured;
  readonly ess: number;
  readonly unpredicted: UnpredictedPart;
}

/** What version 1 of the JSON has of it. */
export type RatingsV1 = Memory<Static<typeof Shape>>;

/** All results from the ratings of a window. */
export type RatingsReport = {
  readonly [Key in keyof RatingsV1]: Key extends 'estimates'
    ? readonly RatingRow[]
    : Key extends 'differences'
      ? readonly RatingDifference[]
      : RatingsV1[Key];
} & {
  /** Of models that are compared where one of them did not predict all rated pairs. */
  readonly common?: readonly CommonPairs[];
};

/** What users gave for what a model predicted, in a fifth of its predictions. */
export type CalibrationBin = RatingsReport['calibration'][number];

/** P of a rating by its value, and what it rests on. */
export type RatingPropensityRow = RatingsReport['propensity']['byRating'][number];

/** Facts about the propensities file behind a window's numbers. */
export type PropensityFileReport = NonNullable<RatingsReport['propensity']['file']>;
