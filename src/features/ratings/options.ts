import { metricsNamed, NO_METRIC } from '../../config/named-metrics.js';
import type { Config } from '../../config.js';
import { isRatingMetric, ratingMeasureOf } from '../../estimators/metrics/rating-metrics.js';
import type { DecoderOptions } from '../../events/decode.js';
import type { FeatureOptions } from '../../stream/feature-types.js';
import type { Resources } from '../resources.js';
import { ratingSource } from './keys.js';

/** Path of the propensities file; undefined for other sources of propensities. */
export function ratingFileOf({ ratings }: Config): string | undefined {
  return ratingSource(ratings.propensities).file;
}

/**
 * Decoder options with the rating scale, which decides which values are ratings; empty if no rating
 * metric is configured.
 */
export function ratingsDecoded({ estimates, ratings }: Config): Pick<DecoderOptions, 'ratings'> {
  const { lowest, highest, step } = ratings;
  return estimates.metrics.some(isRatingMetric)
    ? {
        ratings: {
          lowest,
          highest,
          step,
        },
      }
    : {};
}

/** Options for rating metrics; empty if no rating metric is configured. */
export function ratingOptions(
  config: Config,
  { propensities: file, decides: judged = NO_METRIC }: Resources,
): Pick<FeatureOptions, 'ratings'> {
  const metrics = config.estimates.metrics.filter(isRatingMetric);
  if (metrics.length === 0) return {};
  const { rating: decides } = metricsNamed(judged);
  const { propensity } = ratingSource(config.ratings.propensities);
  const { estimators, smoothing, maxWeight, lowest, highest, step } = config.ratings;
  const ratings = {
    estimators,
    propensity,
    file,
    smoothing,
    maxWeight,
    metrics,
    ks: config.estimates.ks,
    scale: {
      lowest,
      highest,
      step,
    },
    reference: config.comparisons.control,
    decides: decides === undefined ? undefined : ratingMeasureOf(decides),
    isCatalogueKnown: config.catalogue.size !== undefined,
  };
  return { ratings };
}
