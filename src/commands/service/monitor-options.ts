import { SERVICE_LIMITS } from '../../config/keys/state.js';
import type { Config } from '../../config.js';
import { isRatingMetric, ratingMeasureOf } from '../../estimators/metrics/rating-metrics.js';
import type { Metric } from '../../estimators/names.js';
import type { PropensitySource } from '../../estimators/propensity/used-propensities.js';
import type { DecoderOptions } from '../../events/decode.js';
import type { SegmentDimension } from '../../events/dimensions.js';
import { mappingOf } from '../../events/mapping/named-mappings.js';
import type { RatingScale } from '../../events/rating-scale.js';
import { SegmentTable } from '../../events/segment-table.js';
import type { DriftOptions } from '../../features/drift/drift-options.js';
import { metricsNamed } from '../../features/drift/keys.js';
import { featureOptions } from '../../features/options.js';
import {
  DAY_MS,
  type DecisionOptions,
  lookEvery,
} from '../../features/verdicts/decision-options.js';
import { UNLIMITED } from '../../state/panes/sample-level.js';
import type { MonitorOptions, SampleLimits } from '../../stream/options.js';

/** The same for a service, which has limits of its own where none are set. */
export function serviceMonitorOptions(
  config: Config,
  propensities?: PropensitySource,
): MonitorOptions {
  return { ...monitorOptions(config, propensities), limits: sampleLimits(config, SERVICE_LIMITS) };
}

/**
 * What the numbers depend on, out of the configuration. Users are sampled only where a limit is
 * given: a file is read whole else.
 *
 * @param propensities those of `ratings.propensities`, where numbers are made.
 */
export function monitorOptions(config: Config, propensities?: PropensitySource): MonitorOptions {
  return {
    tickMs: config.time.tickMs,
    windows: config.time.windows,
    latenessMs: config.time.latenessMs,
    dedupeTtlMs: config.dedupe.ttlMs,
    attributionTtlMs: config.attribution.ttlMs,
    popularity: config.popularity,
    positiveMinValue: config.positive.minValue,
    actions: config.events.actions,
    gamma: {
      use: config.gamma,
      fit: config.gammaFit,
      default: config.gammaDefault,
      periodMs: config.gammaPeriodMs,
    },
    catalogueSize: config.catalogue.size,
    maxModels: config.models.max,
    ids: { maxItems: config.limits.items },
    baseline: config.baseline,
    limits: isLimited(config) ? sampleLimits(config, UNLIMITED) : undefined,
    estimates: {
      ...config.estimates,
      sampleShare: SAMPLE_SHARE,
      posteriorExponent: config.export.exponent,
      metrics: config.estimates.metrics.filter((name): name is Metric => !isRatingMetric(name)),
      reference: config.comparisons.control,
    },
    ...featureOptions(config, { propensities }),
    segments: segmentOptions(config),
    value: { ...config.value, control: config.comparisons.control },
    drift: config.drift.detectors.length === 0 ? undefined : driftOptions(config),
    decision: decisionOptions(config),
  };
}

/** Undefined where nothing is divided. */
function segmentOptions({ segments }: Config): MonitorOptions['segments'] {
  const dimensions = dimensionsOf(segments.dimensions);
  const { builtIn, values, minUsers } = segments;
  if (dimensions.length === 0 && builtIn.length === 0) return undefined;
  return { dimensions, builtIn, values, minUsers };
}

/** In the order of their names: it is nobody's choice then. */
function dimensionsOf(given: Config['segments']['dimensions']): SegmentDimension[] {
  return Object.entries(given)
    .map(([name, from]) => ({ name, from }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** For events of files; a service has its own. */
export function segmentTable({ segments }: Config): SegmentTable | undefined {
  const dimensions = dimensionsOf(segments.dimensions);
  return dimensions.length === 0 ? undefined : new SegmentTable(dimensions);
}

function scaleOf({ ratings: { lowest, highest, step } }: Config): RatingScale {
  return { lowest, highest, step };
}

function isLimited({ limits: { rows, listEntries, users, requests } }: Config): boolean {
  return [rows, listEntries, users, requests].some((limit) => limit !== undefined);
}

function sampleLimits({ limits }: Config, otherwise: SampleLimits): SampleLimits {
  return {
    rows: limits.rows ?? otherwise.rows,
    listEntries: limits.listEntries ?? otherwise.listEntries,
    users: limits.users ?? otherwise.users,
    requests: limits.requests ?? otherwise.requests,
  };
}

/** k of CUSUM, standard deviations: half the change to be found soonest. */
const ALLOWANCE = 0.5;
/** Panes for which an alarm is shown at least, though fewer are learned from. */
const LEAST_HOLD = 10;
/** Share of the rows that skew and wtd_h keep. */
const SAMPLE_SHARE = 0.5;

const SEASONS = { week: 7 * DAY_MS, day: DAY_MS, none: null } as const;

function driftOptions({ drift: { standardisation, ...drift } }: Config): DriftOptions {
  const { gain, rating } = metricsNamed(drift.metric);
  const ofRatings = rating === undefined ? undefined : ratingMeasureOf(rating);
  return {
    ...{ ...drift, allowance: ALLOWANCE, hold: Math.max(LEAST_HOLD, drift.learn) },
    ...{ metric: watchedMetric(gain), seasonMs: SEASONS[drift.season] },
    // What detectors have learned is kept with their options: state from before the key fits.
    ...(standardisation === 'levels' ? {} : { standardisation }),
    ...(ofRatings === undefined ? {} : { ratings: ofRatings }),
  };
}

/** Undefined where no verdicts are asked for. */
function decisionOptions(config: Config): DecisionOptions | undefined {
  const metric = watchedMetric(metricsNamed(config.decision.metric).gain);
  const lookMs = lookEvery(config.time.tickMs);
  if (metric === undefined || lookMs === undefined) return undefined;
  const { control } = config.comparisons;
  const { cold, smoothing, feedback } = config.estimates;
  const settings = JSON.stringify({
    ...{ gamma: config.gamma, fit: config.gammaFit, cold, smoothing, feedback },
    ...{ popularity: config.popularity, positive: config.positive, actions: config.events.actions },
    ...{ tickMs: config.time.tickMs, models: config.models.max },
  });
  const { margin } = config.decision;
  return {
    metric,
    margin,
    lookMs,
    dayMs: DAY_MS,
    settings,
    ...(control !== undefined && { control }),
  };
}

function watchedMetric(name: string | undefined): DriftOptions['metric'] {
  if (name === undefined) return undefined;
  const [metric, k] = name.split('@');
  return { metric: metric as Metric, k: k === undefined ? null : Number(k) };
}

/** How events are decoded, out of the configuration. */
export function decoderOptions(config: Config): DecoderOptions {
  const { maxBytes, mapping, actions } = config.events;
  return {
    maxEventBytes: maxBytes,
    maxFutureMs: config.time.maxFutureMs,
    actions,
    segments: dimensionsOf(config.segments.dimensions).map(({ name }) => name),
    ...(config.estimates.metrics.some(isRatingMetric) && { ratings: scaleOf(config) }),
    ...(mapping === undefined ? {} : { mapping: mappingOf(mapping) }),
  };
}
