import type { Config } from '../../config.js';
import { isRatingMetric, ratingMeasureOf } from '../../gains/rating-metrics.js';
import type { FeatureOptions } from '../../stream/feature-types.js';
import type { Resources } from '../resources.js';

/** Nothing if no metric of ratings is asked for. */
export function ratingOptions(
  config: Config,
  { propensities: file }: Resources,
): Pick<FeatureOptions, 'ratings'> {
  const metrics = config.estimates.metrics.filter(isRatingMetric);
  if (metrics.length === 0) return {};
  const { estimators, propensity, smoothing, maxWeight, lowest, highest, step } = config.ratings;
  const ratings = {
    ...{ estimators, propensity, file, smoothing, maxWeight, metrics, ks: config.estimates.ks },
    scale: { lowest, highest, step },
    reference: config.comparisons.control,
    decides: ratingMeasureOf(config.decision.ratings),
    isCatalogueKnown: config.catalogue.size !== undefined,
  };
  return { ratings };
}
