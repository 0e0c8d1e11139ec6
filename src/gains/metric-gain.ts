import { dcgGain } from './dcg.js';
import { mrrGain } from './mrr.js';
import { recallGain } from './recall.js';
import { SET_METRICS, type SetMetric } from './set-measure.js';

/** Longest list an exposure may carry. */
const MAX_LIST = 10_000;

/** A metric whose gain depends on the rank alone, as a table by rank. */
export interface RankGain {
  readonly metric: 'recall' | 'dcg' | 'mrr';
  readonly k: number | null;
  /** λ per rank; ranks at or beyond its length gain 0. */
  readonly table: Float64Array;
}

/** A metric of a user's whole set at a cut-off. */
export interface SetGain {
  readonly metric: SetMetric;
  readonly k: number;
}

/** The set metrics that are asked for, each at every cut-off. */
export function setGains(metrics: readonly string[], ks: readonly number[]): SetGain[] {
  const asked = SET_METRICS.filter((metric) => metrics.includes(metric));
  return asked.flatMap((metric) => [...new Set(ks)].map((k) => ({ metric, k })));
}

/** 1 + rank for the ranks below K: where a set metric looks. */
export function placesBelow(k: number): Float64Array {
  return tabulate((z) => z + 1, k);
}

/**
 * Tables of the gains that a set of metrics asks for, uncut forms first, then by cut-off.
 *
 * recall is given at each k; dcg uncut and at each k; mrr uncut.
 *
 * @param metrics names; `auc` has no table, since its gain depends on the list's length too.
 * @param ks cut-offs, whole numbers of at least 1; repeats count once.
 * @returns one table per (metric, k), in the order of `metrics`.
 * @example
 * rankGains(['dcg'], [10]).map(({ k }) => k); // [null, 10]
 */
export function rankGains(metrics: readonly string[], ks: readonly number[]): RankGain[] {
  const cuts = [...new Set(ks)];
  const gains: RankGain[] = [];
  for (const metric of new Set(metrics)) {
    if (metric === 'recall') {
      for (const k of cuts) gains.push({ metric, k, table: tabulate((z) => recallGain(z, k), k) });
    } else if (metric === 'dcg') {
      gains.push({ metric, k: null, table: UNCUT_DCG });
      for (const k of cuts) gains.push({ metric, k, table: tabulate((z) => dcgGain(z, k), k) });
    } else if (metric === 'mrr') {
      gains.push({ metric, k: null, table: UNCUT_MRR });
    }
  }
  return gains;
}

/** A metric at a cut-off; null for one without. */
export interface Measure {
  readonly metric: RankGain['metric'] | SetMetric | 'auc';
  readonly k: number | null;
}

/**
 * All that is asked for, in the order in which the numbers of a model stand: what gains by rank, what
 * measures sets, and auc, which takes other lists.
 *
 * @example
 * measures(['auc', 'dcg'], [10]).map(({ metric }) => metric); // ['dcg', 'dcg', 'auc']
 */
export function measures(metrics: readonly string[], ks: readonly number[]): Measure[] {
  const auc: Measure[] = metrics.includes('auc') ? [{ metric: 'auc', k: null }] : [];
  return [...rankGains(metrics, ks), ...setGains(metrics, ks), ...auc];
}

function tabulate(gain: (rank: number) => number, limit: number): Float64Array {
  return Float64Array.from({ length: Math.min(limit, MAX_LIST) }, (_, rank) => gain(rank));
}

const UNCUT_DCG = tabulate(dcgGain, MAX_LIST);
const UNCUT_MRR = tabulate(mrrGain, MAX_LIST);
