import { SERVICE_LIMITS } from '../../config/keys/state.js';
import type { Config } from '../../config.js';
import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import type { Metric } from '../../estimators/names.js';
import type { PropensitySource } from '../../estimators/propensity/used-propensities.js';
import type { DecoderOptions } from '../../events/decode.js';
import { mappingOf, mappingsOf } from '../../events/mapping/named-mappings.js';
import { SegmentTable } from '../../events/segment-table.js';
import { decodedFor, featureOptions } from '../../features/options.js';
import { UNLIMITED } from '../../state/panes/sample-level.js';
import type { MonitorOptions, SampleLimits } from '../../stream/options.js';

/** Monitor options for a service, which has its own default limits. */
export function serviceMonitorOptions(
  config: Config,
  propensities?: PropensitySource,
): MonitorOptions {
  return {
    ...monitorOptions(config, propensities),
    backlogPanes: config.time.backlogPanes,
    limits: sampleLimits(config, SERVICE_LIMITS),
  };
}

/**
 * Derive the options that affect numbers from the configuration. Users are sampled only if a limit
 * is configured; otherwise all events count, as for files.
 *
 * @param propensities propensities of `ratings.propensities`, for processes that compute numbers.
 */
export function monitorOptions(config: Config, propensities?: PropensitySource): MonitorOptions {
  return {
    tickMs: config.time.tickMs,
    windows: config.time.windows,
    pseudonyms: config.events.pseudonyms,
    latenessMs: config.time.latenessMs,
    dedupeTtlMs: config.dedupe.ttlMs,
    attributionTtlMs: config.attribution.ttlMs,
    clockSkewMs: config.attribution.clockSkewMs,
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
  };
}

/**
 * Segment table for events that are read from files; undefined without segments. A service creates
 * a table of its own.
 */
export function segmentTable(config: Config): SegmentTable | undefined {
  const { dimensions } = featureOptions(config).segments ?? { dimensions: [] };
  return dimensions.length === 0 ? undefined : new SegmentTable(dimensions);
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

/** Fraction of the rows that the estimators `skew` and `wtd_h` sample. */
const SAMPLE_SHARE = 0.5;

/** Extract the decoder options from the configuration. */
export function decoderOptions(config: Config): DecoderOptions {
  const { maxBytes, mapping, files, actions, pseudonyms } = config.events;
  return {
    maxEventBytes: maxBytes,
    maxFutureMs: config.time.maxFutureMs,
    actions,
    ...(pseudonyms && { pseudonyms }),
    ...decodedFor(config),
    ...(mapping === undefined ? {} : { mapping: mappingOf(mapping) }),
    ...(files === undefined ? {} : { files: mappingsOf(files) }),
  };
}
