import { gainNamed, metricsNamed } from '../../config/named-metrics.js';
import type { Config } from '../../config.js';
import { ratingMeasureOf } from '../../estimators/metrics/rating-metrics.js';
import type { StateSettings } from '../../rows/findings/facts.js';
import type { FeatureOptions } from '../../stream/feature-types.js';
import type { DriftOptions } from './drift-options.js';

/** k of CUSUM in standard deviations, half the smallest change of interest. */
const ALLOWANCE = 0.5;
/** Panes for which an alarm is shown at least, though fewer are learned from. */
const LEAST_HOLD = 10;

const DAY_MS = 86_400_000;
const SEASONS = {
  week: 7 * DAY_MS,
  day: DAY_MS,
  none: null,
} as const;

/** What the states of a service go by; nothing where nothing is watched for changes. */
export function driftSettings({
  drift: { detectors, learn, windowMs },
}: Config): Pick<StateSettings, 'drift'> {
  return detectors.length === 0 ? {} : { drift: { learn, windowMs } };
}

/** Nothing where nothing is watched for changes. */
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
    // What detectors have learned is kept with their options: state from before the key fits.
    ...(standardisation === 'levels' ? {} : { standardisation }),
    ...(ofRatings === undefined ? {} : { ratings: ofRatings }),
  };
  return { drift: options };
}
