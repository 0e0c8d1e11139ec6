import type { Snapshot, WindowSnapshot } from '../../../stream/snapshot.js';
import { chosenMetric, type MetricChoice, type StreamQuery } from './query.js';

/** What a tick of the stream is of: one of the few that the snapshot has, whatever was asked for. */
export interface LiveChoice extends MetricChoice {
  readonly window: WindowSnapshot;
  readonly aggregation: 'user' | 'pooled';
  /** The same for all who are sent the same bytes. */
  readonly key: string;
}

/** What is asked for and not there falls back to the first that is. Undefined without a window. */
export function liveChoice(snapshot: Snapshot, query: StreamQuery): LiveChoice | undefined {
  const window = snapshot.windows.find(({ name }) => name === query.window) ?? snapshot.windows[0];
  if (window === undefined) return undefined;
  const { metric, k } = chosenMetric(metricsOf(window), query);
  const aggregation = query.aggregation ?? 'pooled';
  const key = JSON.stringify([window.name, metric, k, aggregation]);
  return { window, metric, k, aggregation, key };
}

/** Snapshots are immutable: what a window has is found once for all who read. */
const found = new WeakMap<WindowSnapshot, readonly MetricChoice[]>();

/** Metrics with their cut-offs that a window has estimates of. */
export function metricsOf(window: WindowSnapshot): readonly MetricChoice[] {
  const known = found.get(window);
  if (known !== undefined) return known;
  const metrics = new Map<string, MetricChoice>();
  for (const { metric, k } of window.results) metrics.set(`${metric}@${k}`, { metric, k });
  const list = [...metrics.values()];
  found.set(window, list);
  return list;
}
