import { gainNamed, metricsNamed } from '../../config/named-metrics.js';
import type { Config } from '../../config.js';
import { ratingMeasureOf } from '../../estimators/metrics/rating-metrics.js';
import type { StateSettings } from '../../rows/findings/facts.js';
import type { FeatureOptions } from '../../stream/feature-types.js';
import type { DriftOptions } from './drift-options.js';

/** Allowance k of CUSUM, in standard deviations: half the smallest change of interest. */
const ALLOWANCE = 0.5;
/**
 * Smallest number of drift windows for which an alarm is displayed, even if training is shorter.
 */
const LEAST_HOLD = 10;

const DAY_MS = 86_400_000;
const SEASONS = {
  week: 7 * DAY_MS,
  day: DAY_MS,
  none: null,
} as const;

/**
 * Settings of change detection that status lines of the service depend on; empty if no changes are
 * monitored.
 */
export function driftSettings({
  drift: { detectors, learn, windowMs },
}: Config): Pick<StateSettings, 'drift'> {
  return detectors.length === 0 ? {} : { drift: { learn, windowMs } };
}

/** Options of change detection; empty if no changes are monitored. */
export function driftOptions({
  drift: { standardisation, ...drift },
}: Config): Pick<FeatureOptions, 'drift'> {
  if (drift.detectors.length === 0) return {};
  const { rating } = metricsNamed(drift.metric);
  const ofRatings = rating === undefined ? undefined : ratingMeasureOf(rating);
  const options: DriftOptions = {
    ...drift,
    allowance: ALLOWANCE,
    hold: Math.max(LEAST_HOLD, drift.learn),
    metric: gainNamed(drift.metric),
    seasonMs: SEASONS[drift.season],
    // The state of detectors is stored with their options. Leaving out the default keeps older
    // stored states valid.
    ...(standardisation === 'levels' ? {} : { standardisation }),
    ...(ofRatings === undefined ? {} : { ratings: ofRatings }),
  };
  return { drift: options };
}
