import { Gauge, type Registry } from 'prom-client';
import type { SampleLimits } from '../../stream/options.js';

/** Limited resources: the closed set of the label `kind`. */
const KINDS = {
  row: 'rows',
  list_entry: 'listEntries',
  user: 'users',
} as const;

/** Register gauges for the current use of each limit, read at the scrape. */
export function registerHeld(registry: Registry, held: () => SampleLimits): void {
  const gauge: Gauge = new Gauge({
    name: 'unskew_held',
    help: 'Rows, list items and users that this process holds; compare with the limits',
    labelNames: ['kind'],
    registers: [registry],
    collect: () => {
      const now = held();
      for (const [kind, limit] of Object.entries(KINDS)) {
        gauge.set({ kind }, now[limit]);
      }
    },
  });
}
