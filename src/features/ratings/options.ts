import { metricsNamed } from '../../config/named-metrics.js';
import type { Config } from '../../config.js';
import { isRatingMetric, ratingMeasureOf } from '../../estimators/metrics/rating-metrics.js';
import type { FeatureOptions } from '../../stream/feature-types.js';
import type { Resources } from '../resources.js';
import { ratingSource } from './keys.js';

/** Nothing if no metric of ratings is asked for. */
export function ratingOptions(
  config: Config,
  { propensities: file }: Resources,
): Pick<FeatureOptions, 'ratings'> {
  const metrics = config.estimates.metrics.filter(isRatingMetric);
  if (metrics.length === 0) return {};
  const { rating: decides } = metricsNamed(config.decision.metric);
  const { propensity } = ratingSource(config.ratings.propensities);
  const { estimators, smoothing, maxWeight, lowest, highest, step } = config.ratings;
  const ratings = {
    ...{ estimators, propensity, file, smoothing, maxWeight, metrics, ks: config.estimates.ks },
    scale: { lowest, highest, step },
    reference: config.comparisons.control,
    decides: decides === undefined ? undefined : ratingMeasureOf(decides),
    isCatalogueKnown: config.catalogue.size !== undefined,
  };
  return { ratings };
}
