import type { AcrossTicks } from '../work.js';
import { DriftMonitor } from './drift-monitor.js';
import type { DriftSources } from './drift-readings.js';

/**
 * Number of drift windows for which a model that sends no lists is still monitored. A model that
 * stops sending lists is reported within five.
 */
const WATCHED_STRETCHES = 8;

/** Change detection, as a feature that learns from tick to tick. */
export const DRIFT_ACROSS: AcrossTicks<DriftSources> = {
  name: 'drift',
  start: ({ drift }) => drift && new DriftMonitor(drift),
  watchedMs: ({ drift }) => WATCHED_STRETCHES * (drift?.windowMs ?? 0),
  sources: ({ counted, models, listing, ids: { items }, partitions, options }) => ({
    popularity: counted.observed,
    models,
    items,
    tickMs: options.tickMs,
    rows: partitions.flatMap(({ rows }) => rows),
    listing: models.filter(({ id }) => listing?.includes(id)).map(({ name }) => name),
  }),
};
