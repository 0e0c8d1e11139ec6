import type { EstimateOptions } from '../estimators/estimate.js';
import { estimateWindow } from '../estimators/estimate-window.js';
import type { GammaFit } from '../propensity/gamma.js';
import { fitGamma } from '../propensity/gamma-fit.js';
import { groupByUser } from '../state/group-by-user.js';
import { averagePopularity, concentration } from '../state/levels.js';
import type { PaneRows } from '../state/pane-rows.js';
import type { PartitionState } from '../state/partition.js';
import type { Popularity } from '../state/popularity.js';
import type { ItemCounts, WindowPart } from '../state/window-part.js';
import type { GammaChoice } from './gamma-choice.js';
import type { Concentration, Snapshot, WindowSnapshot } from './snapshot.js';

/** A window of closed panes: firstPane ≤ pane ≤ lastPane. */
export interface TickWindow {
  readonly name: string;
  readonly ms: number;
  readonly from: number;
  readonly to: number;
  readonly firstPane: number;
  readonly lastPane: number;
}

export interface TickInput {
  readonly paneEnd: number;
  readonly windows: readonly TickWindow[];
  /** Each with its users' interaction counts over the horizon. */
  readonly partitions: readonly {
    readonly state: PartitionState;
    readonly userCounts: Int32Array;
  }[];
  /** What popularity and posteriors are taken from. */
  readonly known: Popularity;
  /** What exposures and the windows' averages are taken from; in a stream the same object. */
  readonly observed: Popularity;
  /** Popularity from before the exposures that γ is fitted to. */
  readonly lagged: Float64Array;
  readonly items: { readonly size: number; compare(a: number, b: number): number };
  /** Models by name, in code-point order, with their dense numbers. */
  readonly models: readonly { readonly name: string; readonly id: number }[];
  readonly catalogueSize: number;
  readonly gamma: GammaChoice;
  readonly gammaPeriodMs: number;
  readonly estimates: Omit<EstimateOptions, 'gamma' | 'catalogueSize'>;
}

/**
 * One tick: γ fits, then every window under one snapshot of the counts. It yields often, so that
 * ingestion goes on between two steps; what it reads does not change meanwhile, because panes
 * close only between ticks.
 */
export function* tick(input: TickInput): Generator<void, Snapshot> {
  const { known, observed, items, models } = input;
  const counts: ItemCounts = {
    items: items.size,
    popularity: widened(known.popularity().counts, items.size),
    interactions: widened(known.interactions.counts, items.size),
    compareIds: (a, b) => items.compare(a, b),
  };
  yield;
  const propensity = input.gamma.report(yield* fits(input));
  const exposures = byModel<Concentration>();
  for (const { name, id } of models) {
    exposures[name] = concentrationOf(
      exposureCounts(observed, id, items.size),
      counts,
      input.catalogueSize,
    );
    yield;
  }
  const interactions = concentrationOf(counts.popularity, counts, input.catalogueSize);
  const windows: WindowSnapshot[] = [];
  const options = {
    ...input.estimates,
    gamma: propensity.gamma,
    catalogueSize: input.catalogueSize,
  };
  for (const window of input.windows) {
    windows.push(yield* windowSnapshot(input, window, counts, options));
  }
  return {
    paneEnd: input.paneEnd,
    models: models.map(({ name }) => name),
    catalogueSize: input.catalogueSize,
    propensity,
    popularity: { interactions, exposures },
    windows,
  };
}

function* fits(input: TickInput): Generator<void, Record<string, GammaFit>> {
  const { lagged, models, observed, gammaPeriodMs } = input;
  const size = input.items.size;
  const all = new Float64Array(size);
  const fits = byModel<GammaFit>();
  for (const { name, id } of models) {
    const exposures = exposureCounts(observed, id, size, gammaPeriodMs);
    for (let i = 0; i < size; i++) all[i] += exposures[i];
    fits[name] = fitGamma(lagged, exposures, size);
    yield;
  }
  fits['*'] = fitGamma(lagged, all, size);
  yield;
  return fits;
}

function* windowSnapshot(
  input: TickInput,
  window: TickWindow,
  counts: ItemCounts,
  options: EstimateOptions,
): Generator<void, WindowSnapshot> {
  const models = input.models.map(({ id }) => id);
  const parts: WindowPart[] = [];
  for (const { state, userCounts } of input.partitions) {
    const panes = state.rows.filter((rows) => isIn(rows, window));
    if (panes.length === 0) continue;
    parts.push(yield* groupByUser(panes, models, userCounts));
  }
  const names = input.models.map(({ name }) => name);
  const estimates = yield* estimateWindow(parts, counts, names, options);
  const recommended = byModel<number>();
  for (const { name, id } of input.models) {
    const exposures = exposureCounts(input.observed, id, counts.items, window.ms);
    recommended[name] = averagePopularity(exposures, counts.popularity, counts.items);
  }
  const interacted = widened(input.observed.popularity(window.ms).counts, counts.items);
  return {
    ...estimates,
    name: window.name,
    from: window.from,
    to: window.to,
    averageRecommendationPopularity: recommended,
    averageInteractionPopularity: averagePopularity(interacted, counts.popularity, counts.items),
  };
}

function isIn(rows: PaneRows, window: TickWindow): boolean {
  return rows.pane >= window.firstPane && rows.pane <= window.lastPane;
}

function exposureCounts(
  observed: Popularity,
  model: number,
  size: number,
  horizonMs?: number,
): Float64Array {
  if (model >= observed.models) return new Float64Array(size);
  return widened(observed.exposures(model, horizonMs).counts, size);
}

function concentrationOf(
  counts: Float64Array,
  { popularity, items }: ItemCounts,
  catalogueSize: number,
): Concentration {
  return {
    ...concentration(counts, items, catalogueSize),
    averagePopularity: averagePopularity(counts, popularity, items),
  };
}

/** Without a prototype, because a model may be called `__proto__`. */
function byModel<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** A copy as floats, of exactly `size` items. */
function widened(counts: Int32Array, size: number): Float64Array {
  const wide = new Float64Array(size);
  wide.set(counts.length > size ? counts.subarray(0, size) : counts);
  return wide;
}
