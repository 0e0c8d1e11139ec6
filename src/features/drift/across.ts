import type { AcrossTicks } from '../work.js';
import { DriftMonitor } from './drift-monitor.js';
import type { DriftSources } from './drift-readings.js';

/**
 * For this many drift windows after its last list, a model is still monitored. The alarm that a
 * model stopped sending lists is raised within the first five of them.
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
