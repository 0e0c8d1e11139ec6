import { Gauge, type Registry } from 'prom-client';
import type { SampleLimits } from '../../stream/options.js';

/** Values of the label `kind`. Each is mapped to the limited resource that it stands for. */
const KINDS = {
  row: 'rows',
  list_entry: 'listEntries',
  user: 'users',
} as const;

/** Register gauges for how much of each limit is used, read at each scrape. */
export function registerHeld(registry: Registry, held: () => SampleLimits): void {
  const gauge: Gauge = new Gauge({
    name: 'unskew_held',
    help: 'Rows, list items and users that this process holds; the settings under limits bound them',
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
