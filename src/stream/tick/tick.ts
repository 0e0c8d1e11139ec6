import { againstBaseline } from '../../estimators/diagnostics/against-baseline.js';
import {
  BASELINE_MODEL,
  type Baseline,
  type PopularityRanking,
  popularityRanking,
  withRanking,
} from '../../estimators/diagnostics/popularity-baseline.js';
import type { EstimateOptions } from '../../estimators/options.js';
import { needsScale } from '../../estimators/registry/needs.js';
import { estimateWindow } from '../../estimators/window/estimate-window.js';
import type { OrganicWork } from '../../estimators/window/organic-estimates.js';
import type { GammaFit } from '../../propensity/gamma.js';
import { fitGamma } from '../../propensity/gamma-fit.js';
import {
  averagePopularity,
  levelConcentration,
  levelsOf,
  lorenzCurve,
} from '../../state/counts/levels.js';
import type { Popularity } from '../../state/counts/popularity.js';
import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import type { Concentration, Snapshot, WindowSnapshot } from '../snapshot.js';
import type { GammaChoice } from './gamma-choice.js';
import type { RowsRequest, WindowPanes } from './window-rows.js';

export interface TickWindow extends WindowPanes {
  readonly name: string;
  readonly ms: number;
}

/** Users of a partition by their dense numbers. */
export interface UserTable {
  hash(user: number): number;
}

/** What a tick reads of a partition's users. */
export interface PartitionInput {
  /** Its part of a window; undefined where it has none. */
  part(request: RowsRequest): Generator<void, WindowPart | undefined>;
  /** Whether it knows its lists, and so whom they reached. */
  readonly knowsReach: boolean;
}

export interface TickInput {
  readonly paneEnd: number;
  readonly windows: readonly TickWindow[];
  readonly partitions: readonly PartitionInput[];
  /** Share of the users that the partitions' rows are of. */
  readonly samplingRatio: number;
  /** What popularity and posteriors are taken from. */
  readonly known: Popularity;
  /** What exposures and the windows' averages are taken from; in a stream the same object. */
  readonly observed: Popularity;
  /** Popularity from before the exposures that γ is fitted to. */
  readonly lagged: Float64Array;
  readonly items: {
    readonly size: number;
    compare(a: number, b: number): number;
    hash(item: number): number;
  };
  /** Models by name, in code-point order, with their dense numbers. */
  readonly models: readonly { readonly name: string; readonly id: number }[];
  readonly catalogueSize: number;
  /** Items that the built-in model ranks. */
  readonly isInCatalogue: (item: number) => boolean;
  readonly baseline: Baseline;
  /** How long lists are known; Infinity where all of them are. */
  readonly attributionTtlMs: number;
  readonly gamma: GammaChoice;
  readonly gammaPeriodMs: number;
  readonly estimates: Omit<EstimateOptions, 'gamma' | 'gammaStdErr' | 'catalogueSize'>;
  /** Who computes the estimators of organic rows; the tick itself where it is not said. */
  readonly work?: OrganicWork | undefined;
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
    randomized: randomizedCounts(input),
    itemKey: (item) => items.hash(item),
    compareIds: (a, b) => items.compare(a, b),
  };
  yield;
  const propensity = input.gamma.report(yield* fits(input));
  const exposures = byModel<Spread>();
  for (const { name, id } of models) {
    exposures[name] = spreadOf(
      exposureCounts(observed, id, items.size),
      counts,
      input.catalogueSize,
    );
    yield;
  }
  const interactions = spreadOf(counts.popularity, counts, input.catalogueSize);
  const baseline = yield* baselineRanking(input, counts);
  const windows: WindowSnapshot[] = [];
  const options = {
    ...input.estimates,
    gamma: propensity.gamma,
    gammaStdErr: propensity.gammaStdErr,
    catalogueSize: input.catalogueSize,
  };
  for (const window of input.windows) {
    windows.push(yield* windowSnapshot(input, window, counts, baseline, options));
  }
  return {
    paneEnd: input.paneEnd,
    models: models.map(({ name }) => name),
    catalogueSize: input.catalogueSize,
    baseline: baseline === null ? null : BASELINE_MODEL,
    propensity,
    popularity: {
      interactions: interactions.concentration,
      exposures: mapped(exposures, ({ concentration }) => concentration),
    },
    lorenz: {
      interactions: interactions.lorenz,
      exposures: mapped(exposures, ({ lorenz }) => lorenz),
    },
    windows,
    sampling: { ratio: input.samplingRatio },
    alarms: [],
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
  baseline: PopularityRanking | null,
  options: EstimateOptions,
): Generator<void, WindowSnapshot> {
  const models = input.models.map(({ id }) => id);
  const parts: WindowPart[] = [];
  const noReach = needsScale(options) ? whyNoReach(input, window) : 'nobody asks for it';
  const request = {
    window,
    models,
    isKeyed: needsKeys(options),
    reachItems: noReach === undefined ? counts.items : undefined,
  };
  for (const partition of input.partitions) {
    const part = yield* partition.part(request);
    if (part !== undefined) parts.push(part);
  }
  const names = input.models.map(({ name }) => name);
  if (baseline !== null) {
    // Models stand in the order of their names, the built-in one as well.
    const after = names.findIndex((name) => name > BASELINE_MODEL);
    const place = after < 0 ? names.length : after;
    names.splice(place, 0, BASELINE_MODEL);
    for (let p = 0; p < parts.length; p++) {
      parts[p] = yield* withRanking(parts[p], baseline, place);
    }
  }
  const asked = { ...options, ...(noReach === undefined ? {} : { noReach }) };
  const estimates = yield* estimateWindow(parts, counts, names, asked, undefined, input.work);
  const recommended = byModel<number>();
  for (const { name, id } of input.models) {
    const exposures = exposureCounts(input.observed, id, counts.items, window.ms);
    recommended[name] = exposures.some((count) => count > 0)
      ? averagePopularity(exposures, counts.popularity, counts.items)
      : Number.NaN;
  }
  const interacted = widened(input.observed.popularity(window.ms).counts, counts.items);
  return {
    ...estimates,
    name: window.name,
    from: window.from,
    to: window.to,
    averageRecommendationPopularity: recommended,
    averageInteractionPopularity: averagePopularity(interacted, counts.popularity, counts.items),
    againstBaseline: baseline === null ? [] : againstBaseline(estimates.results, BASELINE_MODEL),
  };
}

/** Why it cannot be told whom the lists of a window reached; undefined where it can. */
function whyNoReach(
  { partitions, attributionTtlMs }: TickInput,
  window: TickWindow,
): string | undefined {
  // Lists that are no longer known would be missing in it.
  if (window.to - window.from > attributionTtlMs) {
    return 'lists are known for less than the window (attribution.ttl)';
  }
  if (partitions.every(({ knowsReach }) => knowsReach)) return undefined;
  return 'several workers share the partitions, and each knows the lists of its own alone';
}

/** Where what is known stands apart from what is observed, randomised traffic of both serves. */
function randomizedCounts({ known, observed, items }: TickInput): Float64Array {
  const counts = widened(known.randomized.counts, items.size);
  if (observed === known) return counts;
  const other = widened(observed.randomized.counts, items.size);
  return counts.map((count, item) => count + other[item]);
}

/** Null where the built-in model is off, or a real one has its name. */
function* baselineRanking(
  { baseline, models, isInCatalogue, catalogueSize }: TickInput,
  counts: ItemCounts,
): Generator<void, PopularityRanking | null> {
  if (baseline === 'none' || models.some(({ name }) => name === BASELINE_MODEL)) return null;
  return yield* popularityRanking(counts, isInCatalogue, catalogueSize);
}

/** Whether users are told apart by their ids: they are resampled, or sets of their rows drawn. */
export function needsKeys({ interval, draws }: TickInput['estimates']): boolean {
  return interval === 'bootstrap' || (draws ?? 0) > 0;
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

/** How counts spread over the catalogue. */
interface Spread {
  readonly concentration: Concentration;
  readonly lorenz: readonly number[];
}

function spreadOf(
  counts: Float64Array,
  { popularity, items }: ItemCounts,
  catalogueSize: number,
): Spread {
  const levels = levelsOf(counts, items);
  return {
    concentration: {
      ...levelConcentration(levels, catalogueSize),
      averagePopularity: averagePopularity(counts, popularity, items),
    },
    lorenz: lorenzCurve(levels, catalogueSize),
  };
}

function mapped<T, R>(
  record: Readonly<Record<string, T>>,
  map: (value: T) => R,
): Record<string, R> {
  const result = byModel<R>();
  for (const [model, value] of Object.entries(record)) result[model] = map(value);
  return result;
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
