import type { AcrossTicks } from '../work.js';
import { DriftMonitor } from './drift-monitor.js';
import type { DriftSources } from './drift-readings.js';

export const DRIFT_ACROSS: AcrossTicks<DriftSources> = {
  name: 'drift',
  none: { alarms: [] },
  start: ({ drift }) => drift && new DriftMonitor(drift),
  sources: ({ counted, models, listing, ids: { items }, partitions, rounds, options }) => ({
    ...{ popularity: counted.observed, models, items, rounds, tickMs: options.tickMs },
    rows: partitions.map(({ rows }) => rows),
    listing: models.filter(({ id }) => listing?.includes(id)).map(({ name }) => name),
  }),
};
