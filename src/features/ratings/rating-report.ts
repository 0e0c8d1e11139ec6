import type { Static } from 'typebox';
import type { Given } from '../output.js';
import type { RatingOptions } from './rating-options.js';
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

/** Everything that the ratings of a window say; the shape of the answers is its only description. */
export type RatingsReport = Given<Static<typeof Shape>>;

/** The estimate of a metric of ratings. */
export type RatingEstimate = RatingsReport['estimates'][number];

/** A model's estimate minus the reference model's, paired by user. */
export type RatingDifference = RatingsReport['differences'][number];

/** What users gave for what a model predicted, in a fifth of its predictions. */
export type CalibrationBin = RatingsReport['calibration'][number];

/** P of a rating by its value, and what it rests on. */
export type RatingPropensityRow = RatingsReport['propensity']['byRating'][number];

/** What a window's numbers rest on where propensities come from a file. */
export type PropensityFileReport = NonNullable<RatingsReport['propensity']['file']>;
