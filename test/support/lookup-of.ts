import type { MonitorOptions } from '../../src/stream/options.js';
import type { Ingest } from '../../src/stream/read/ingest.js';
import { Lookup } from '../../src/stream/tick/lookup.js';

/** What is known of single items and users in the panes that closed and were ticked here. */
export function lookupOf(ingest: Ingest, options: MonitorOptions): Lookup {
  const { partitions } = ingest.monitor;
  const numbers = [...partitions.entries()].map(([number]) => number);
  const users = new Map(numbers.map((number) => [number, ingest.tablesOf(number).users]));
  const { items } = ingest.tablesOf(0);
  return new Lookup(partitions, items, users, options, partitions.learned.rows);
}
