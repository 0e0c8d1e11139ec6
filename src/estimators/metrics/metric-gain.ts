import type { ListMetric, SetMetric } from './metric.js';
import { byList, byRank, type Metric, ofSets } from './registry.js';

/** Maximum length of a logged list. */
const MAX_LIST = 10_000;

/** A metric at a cut-off `k`; null for a metric without one. */
export interface Measure {
  readonly metric: Metric;
  readonly k: number | null;
}

/** A metric whose gain depends on the rank alone, with a table of its gains. */
export interface RankGain extends Measure {
  /** Gain λ of each rank; ranks beyond the end of the table gain 0. */
  readonly table: Float64Array;
}

/** A set metric (see `SetMetric`) at a cut-off. */
export interface SetGain extends Measure {
  readonly k: number;
  readonly of: SetMetric;
}

/** A metric whose gain also depends on the list's length; it has no cut-off. */
export interface ListGain extends Measure {
  readonly k: null;
  readonly of: ListMetric;
}

/** The configured set metrics, each at every cut-off. */
export function setGains(metrics: readonly Metric[], ks: readonly number[]): SetGain[] {
  return ofSets(metrics).flatMap(([metric, of]) =>
    [...new Set(ks)].map((k) => ({
      metric,
      k,
      of,
    })),
  );
}

/** The configured metrics that depend on the list's length. */
export function listGains(metrics: readonly Metric[]): ListGain[] {
  return byList(metrics).map(([metric, of]) => ({
    metric,
    k: null,
    of,
  }));
}

/**
 * Table of 1 + rank for the first K ranks, used as gains of a set metric's hits so that they carry
 * their ranks (see `ExpectedSet`).
 */
export function placesBelow(k: number): Float64Array {
  return tabulate((z) => z + 1, k);
}

/**
 * Tables of gains by rank for some metrics; for each, first the uncut form, then by cut-off.
 *
 * recall has a table for each k; dcg an uncut one and one for each k; mrr an uncut one.
 *
 * @param metrics names; `auc` has no table, since its gain depends on the list's length too.
 * @param ks cut-offs, whole numbers of at least 1; repeats count once.
 * @returns one table per (metric, k), in the order of `metrics`.
 * @example
 * rankGains(['dcg'], [10]).map(({ k }) => k); // [null, 10]
 */
export function rankGains(metrics: readonly Metric[], ks: readonly number[]): RankGain[] {
  const cuts = [...new Set(ks)];
  return byRank(metrics).flatMap(([metric, { isUncut, isCut, gain }]) => [
    ...(isUncut
      ? [
          {
            metric,
            k: null,
            table: uncut(gain),
          },
        ]
      : []),
    ...(isCut
      ? cuts.map((k) => ({
          metric,
          k,
          table: tabulate((z) => gain(z, k), k),
        }))
      : []),
  ]);
}

/**
 * All configured measures in output order: gains by rank, set metrics, then gains by rank and
 * length.
 *
 * @example
 * measures(['auc', 'dcg'], [10]).map(({ metric }) => metric); // ['dcg', 'dcg', 'auc']
 */
export function measures(metrics: readonly Metric[], ks: readonly number[]): Measure[] {
  return [...rankGains(metrics, ks), ...setGains(metrics, ks), ...listGains(metrics)];
}

type Gain = (rank: number, k: number) => number;

/** Cache of the tables of uncut gains, which have `MAX_LIST` entries. */
const UNCUT = new Map<Gain, Float64Array>();

function uncut(gain: Gain): Float64Array {
  const known = UNCUT.get(gain);
  if (known !== undefined) return known;
  const table = tabulate((z) => gain(z, Number.POSITIVE_INFINITY), MAX_LIST);
  UNCUT.set(gain, table);
  return table;
}

function tabulate(gain: (rank: number) => number, limit: number): Float64Array {
  return Float64Array.from({ length: Math.min(limit, MAX_LIST) }, (_, rank) => gain(rank));
}
