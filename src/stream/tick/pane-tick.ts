import type { Popularity, PopularityOptions } from '../../state/counts/popularity.js';
import type { Interner } from '../../state/ids/interner.js';
import type { UserIds } from '../../state/ids/user-depths.js';
import { samplingRatio } from '../../state/panes/sample-level.js';
import type { DriftMonitor } from '../drift/drift-monitor.js';
import type { MonitorOptions } from '../options.js';
import type { Snapshot } from '../snapshot.js';
import type { GammaChoice } from './gamma-choice.js';
import { sampleLevel } from './sample-limits.js';
import { type PartitionSource, sampledPartitions } from './sampled-partitions.js';
import { tick, type UserTable } from './tick.js';

/** Ids of all partitions: items and models are global, users belong to their partition. */
export interface Ids {
  readonly items: Interner;
  readonly models: Interner;
  /** Ids of a partition's users; the bootstrap needs them, and whoever samples them. */
  readonly users?: (partition: number) => UserTable & UserIds;
}

/** What a tick reads, closed through the pane and no further. */
export interface ClosedState {
  readonly partitions: readonly PartitionSource[];
  readonly popularity: Popularity;
  readonly ids: Ids;
  readonly models: Iterable<number>;
  readonly gamma: GammaChoice;
  /** Undefined where nothing is watched for changes. */
  readonly drift: DriftMonitor | undefined;
}

/**
 * The tick of a stream's pane: every window that ends with it, under one snapshot of the counts, and
 * what the detectors of change say of it.
 */
export function* tickPane(
  pane: number,
  options: MonitorOptions,
  { partitions: all, popularity, ids, models: known, gamma, drift }: ClosedState,
): Generator<void, Snapshot> {
  const level = Math.max(0, ...all.map(({ closed }) => sampleLevel(closed, pane, options)));
  const partitions = yield* sampledPartitions(all, level);
  const { tickMs, windows } = options;
  const paneEnd = (pane + 1) * tickMs;
  const models = namedModels(known, ids.models);
  const catalogue = yield* popularity.catalogue();
  const snapshot = yield* tick({
    paneEnd,
    windows: windows.map(({ name, ms }) => ({
      name,
      ms,
      from: paneEnd - ms,
      to: paneEnd,
      firstPane: pane + 1 - ms / tickMs,
      lastPane: pane,
    })),
    partitions,
    samplingRatio: samplingRatio(level),
    known: popularity,
    observed: popularity,
    lagged: laggedPopularity(popularity, options.gamma.periodMs, ids.items.size),
    items: ids.items,
    models,
    catalogueSize: options.catalogueSize ?? catalogue.size,
    isInCatalogue: catalogue.has,
    baseline: options.baseline,
    attributionTtlMs: options.attributionTtlMs,
    gamma,
    gammaPeriodMs: options.gamma.periodMs,
    estimates: options.estimates,
  });
  if (drift === undefined) return snapshot;
  const rows = partitions.flatMap((partition) => partition.rows);
  return yield* drift.observe(snapshot, { popularity, models, items: ids.items, rows, tickMs });
}

/** Rows of panes before this one are in no window any more once `pane` has closed. */
export function firstPaneKept(pane: number, { windows, tickMs }: MonitorOptions): number {
  return pane + 1 - Math.max(...windows.map(({ ms }) => ms)) / tickMs;
}

export function popularityOptions(options: MonitorOptions): PopularityOptions {
  return {
    paneMs: options.tickMs,
    horizonMs: options.popularity.horizonMs,
    gammaPeriodMs: options.gamma.periodMs,
    windowsMs: options.windows.map(({ ms }) => ms),
    of: options.popularity.of,
  };
}

/** Models by name in code-point order, so that nothing depends on who was seen first. */
export function namedModels(
  ids: Iterable<number>,
  names: Interner,
): { name: string; id: number }[] {
  return [...ids].sort((a, b) => names.compare(a, b)).map((id) => ({ name: names.text(id), id }));
}

/** Popularity from before the period whose exposures γ is fitted to. */
function laggedPopularity(popularity: Popularity, periodMs: number, items: number): Float64Array {
  const whole = popularity.popularity().counts;
  const period = popularity.popularity(periodMs).counts;
  const lagged = new Float64Array(items);
  for (let i = 0; i < Math.min(items, whole.length); i++) {
    lagged[i] = whole[i] - (i < period.length ? period[i] : 0);
  }
  return lagged;
}
