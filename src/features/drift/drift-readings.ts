import { nameOf } from '../../estimators/feedback/withhold.js';
import { UNCORRECTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { restsOnGamma } from '../../estimators/rules/needs.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import { isGiven } from '../../rows/reading.js';
import { levelConcentration, levelsOf } from '../../state/counts/levels.js';
import type { Popularity } from '../../state/counts/popularity.js';
import type { RollingCounts } from '../../state/counts/rolling-counts.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import { dueWindows, type Snapshot, type WindowSnapshot } from '../../stream/tick/snapshot.js';
import { type LevelReading, tooFewUsers, weightOf } from '../reading.js';
import { READINGS } from '../works.js';
import type { DriftOptions } from './drift-options.js';
import { binned, popularityBins } from './homogeneity.js';
import type { Reading, ShareReading, Traffic } from './reading.js';

/** Counts of interactions and exposures by item, as of a snapshot. */
export interface DriftCounts {
  readonly popularity: Popularity;
  /** Models by name with their dense numbers. */
  readonly models: readonly {
    readonly name: string;
    readonly id: number;
  }[];
}

/**
 * Readings of the drift window that has just closed, one per series. Each model has series of its
 * estimates, rating metric and reward, and of the gaps between uncorrected and corrected values.
 * Interactions, and the exposures of each model, have a series of their Gini index, and one of
 * their distribution over items grouped by popularity.
 *
 * Time O(estimates) and, for interactions and each model, O(items).
 */
export function driftReadings(
  snapshot: Snapshot,
  counts: DriftCounts,
  options: DriftOptions,
): Reading[] {
  const window = dueWindows(snapshot).find(({ from, to }) => to - from === options.windowMs);
  if (window === undefined) return [];
  const [interactions, ...exposures] = trafficsOf(counts, options.windowMs);
  const all = interactions();
  const bins = popularityBins(new Float64Array(all.before), all.before.length);
  const readingsOf = (traffic: Traffic) =>
    trafficReadings(traffic, bins, window, snapshot.catalogueSize);
  return [
    ...estimateReadings(snapshot, window, options),
    ...READINGS.others.flatMap((others) => others(snapshot, window, options)),
    ...readingsOf(all),
    ...exposures.flatMap((ofModel) => readingsOf(ofModel())),
  ];
}

/**
 * Functions that compute the item counts of interactions (the first function) and of each model's
 * exposures. Each call takes O(items) time and memory.
 */
export function trafficsOf(
  { popularity, models }: DriftCounts,
  windowMs: number,
): [() => Traffic, ...(() => Traffic)[]] {
  const shown = models.filter(({ id }) => id < popularity.models);
  return [
    () => traffic(null, popularity.popularity(windowMs), popularity.popularity()),
    ...shown.map(
      ({ name, id }) =>
        () =>
          traffic(name, popularity.exposures(id, windowMs), popularity.exposures(id)),
    ),
  ];
}

type Counts = Pick<RollingCounts, 'counts' | 'size'>;

function traffic(model: string | null, window: Counts, horizon: Counts): Traffic {
  const now = window.counts.subarray(0, window.size);
  // All panes of the window are also in the horizon.
  const before = horizon.counts.slice(0, horizon.size);
  for (let item = 0; item < now.length; item++) {
    before[item] -= now[item];
  }
  return {
    model,
    now,
    before,
  };
}

function estimateReadings(
  snapshot: Snapshot,
  window: WindowSnapshot,
  options: DriftOptions,
): LevelReading[] {
  const { metric: watched, estimators, standardisation } = options;
  if (watched === undefined) return [];
  const { metric, k } = watched;
  const label = k === null ? metric : `${metric}@${k}`;
  const isWatched = (row: EstimateRow) =>
    row.metric === metric &&
    row.k === k &&
    // Per-user values of short windows are close to naive, since most users have one event there.
    row.form === 'pooled' &&
    row.model !== snapshot.baseline &&
    estimators.includes(row.estimator);
  const rows = window.results.filter(isWatched);
  const weight = weightOf(standardisation);
  const usable = rows.filter((row) => Number.isFinite(row.value) && weight(row) > 0);
  const readings: LevelReading[] = [];
  for (const row of insteadOfWithheld(rows, window).filter(isWatched)) {
    if (!(Number.isFinite(row.value) && weight(row) > 0)) continue;
    readings.push({
      kind: 'level',
      model: row.model,
      value: row.value,
      dependsOnVolume: false,
      series: `uncaused/${row.estimator}/${label}/${row.model}`,
      weight: weight(row),
      reason: unsoundEstimate(row, snapshot),
    });
  }
  readings.push(...READINGS.worth.flatMap((readingsOf) => readingsOf(snapshot, window, options)));
  for (const row of usable) {
    const { model, estimator, value } = row;
    const add = (kind: string, of: number, reason: string | null) =>
      readings.push({
        kind: 'level',
        model,
        value: of,
        reason,
        dependsOnVolume: false,
        series: `${kind}/${estimator}/${label}/${model}`,
        weight: weight(row),
        restsOnGamma: restsOnGamma(estimator),
      });
    const reason = unsoundEstimate(row, snapshot);
    add('estimate', value, reason);
    const naive = rows.find((other) => other.model === model && other.estimator === UNCORRECTED);
    if (naive !== undefined && estimator !== UNCORRECTED) {
      add('gap', naive.value - value, reason);
    }
  }
  return readings;
}

/**
 * Estimates over organic interactions, in place of those estimates over all interactions that are
 * not reported. They form series of their own, whose names begin with `uncaused/`.
 */
function insteadOfWithheld(
  rows: readonly EstimateRow[],
  { feedback }: WindowSnapshot,
): readonly EstimateRow[] {
  const withheld = new Set(rows.flatMap((row) => (isGiven(row) ? [] : [nameOf(row)])));
  if (withheld.size === 0) return [];
  return (feedback?.uncaused?.results ?? []).filter((row) => withheld.has(nameOf(row)));
}

/** Reason that forbids an alarm based on this estimate; null if there is none. */
function unsoundEstimate(
  { ess, estimator }: EstimateRow,
  { propensity: { source, fits, auto } }: Snapshot,
): string | null {
  const few = tooFewUsers({ ess });
  if (few !== null) return few;
  if (!restsOnGamma(estimator)) return null;
  if (auto?.asking !== undefined) {
    return `the source of γ may soon change from ${source} to ${auto.asking.source}`;
  }
  const status = fits['*']?.status;
  const isGood = auto !== undefined || source === 'fixed' || status === 'ok';
  return isGood ? null : `the fit of γ has the status ${status}`;
}

function trafficReadings(
  { model, now, before }: Traffic,
  bins: Uint8Array,
  { counts, effectiveSampleSizes }: WindowSnapshot,
  catalogueSize: number,
): Reading[] {
  const name = model === null ? 'interactions' : `exposures/${model}`;
  const levels = levelsOf(new Float64Array(now), now.length);
  if (levels.total === 0) return [];
  const { gini, total } = levelConcentration(levels, catalogueSize);
  const few = counts.users < FEW_USERS;
  const reason = few ? `${counts.users} users are fewer than ${FEW_USERS}` : null;
  const level: LevelReading = {
    kind: 'level',
    series: `gini/${name}`,
    model,
    value: gini,
    weight: total,
    reason,
    dependsOnVolume: true,
  };
  // Without an earlier pane it is unknown which items were popular.
  if (!before.some((count) => count > 0)) return [level];
  const shares: ShareReading = {
    kind: 'shares',
    series: `popularity/${name}`,
    model,
    reason,
    counts: binned(now, now.length, bins),
    designEffect: userDesignEffect(effectiveSampleSizes),
  };
  return [level, shares];
}

/**
 * Largest design effect of users over all models, at least 1. The design effect of a model is the
 * factor by which correlation within users inflates variances: Σ c² / Σ c over its users, with c
 * events each. It equals the number of events divided by Kish's effective number of users.
 */
function userDesignEffect(sizes: WindowSnapshot['effectiveSampleSizes']): number {
  return sizes
    .filter(({ estimator, users }) => estimator === UNCORRECTED && users > 0)
    .reduce((largest, { events, users }) => Math.max(largest, events / users), 1);
}

/** Inputs of the detectors at a tick beside its snapshot. */
export interface DriftSources extends DriftCounts {
  readonly items: {
    readonly size: number;
    text(item: number): string;
    compare(a: number, b: number): number;
  };
  /** Panes of rows that are still stored. */
  readonly rows: readonly PaneRows[];
  readonly tickMs: number;
  /** Models that sent a list since the previous tick. */
  readonly listing?: readonly string[];
}
