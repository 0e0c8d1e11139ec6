import { incompleteBeta } from '../../estimators/mathematics/distributions.js';
import { levelsOf } from '../../state/counts/levels.js';
import type { LevelShift } from './level-shift.js';

/**
 * Number of bins with about equal shares of interactions; one more bin has the items without
 * earlier interactions.
 */
const EQUAL_BINS = 10;
/** Number of all bins. */
export const POPULARITY_BINS = EQUAL_BINS + 1;

/**
 * Assign items to bins with about equal shares of earlier interactions. The first bin has the
 * rarest items, the last but one the most popular items, and the last one items without
 * interactions.
 *
 * bin = ⌊10 · (S(<n) + S(≤n)) / 2⌋, with S(<n) and S(≤n) the shares of all interactions on items
 * with counts below n, and up to n. Items with the same count share a bin, so the order of items
 * does not matter.
 * **Source**: our own; deciles of cumulative popularity. O(items).
 *
 * @param popularity n_i ≥ 0 per item, from before the binned events. @param items number of items.
 * @returns bin of each item, 0 to 10.
 * @example
 * popularityBins(Float64Array.of(0, 1, 9), 3); // [10, 0, 5]
 */
export function popularityBins(popularity: Float64Array, items: number): Uint8Array {
  const { count, items: at, total } = levelsOf(popularity, items);
  const binOf = new Map<number, number>();
  let below = 0;
  for (let level = 0; level < count.length; level++) {
    const share = count[level] * at[level];
    const middle = (below + share / 2) / total;
    binOf.set(count[level], Math.min(EQUAL_BINS - 1, Math.floor(EQUAL_BINS * middle)));
    below += share;
  }
  const bins = new Uint8Array(items);
  for (let item = 0; item < items; item++) {
    const n = popularity[item];
    bins[item] = n > 0 ? binOf.get(n)! : EQUAL_BINS;
  }
  return bins;
}

/**
 * Sum item counts by bin. Items after the end of `bins` are new, so they are in the bin of items
 * without earlier interactions.
 */
export function binned(counts: ArrayLike<number>, size: number, bins: Uint8Array): number[] {
  const sums = new Array<number>(POPULARITY_BINS).fill(0);
  for (let item = 0; item < size; item++) {
    sums[item < bins.length ? bins[item] : EQUAL_BINS] += counts[item];
  }
  return sums;
}

/**
 * Share of events on popular items. These are the most popular items that together had about half
 * of the earlier interactions.
 *
 * @param counts events by bin, at least one in total.
 */
export function headShare(counts: readonly number[]): number {
  const sum = (own: readonly number[]) => own.reduce((total, count) => total + count, 0);
  return sum(counts.slice(EQUAL_BINS / 2, EQUAL_BINS)) / sum(counts);
}

/** Pseudo-count added to each bin, so that the logarithm of an empty bin's share exists. */
const PSEUDO_COUNT = 0.5;

/** Compute the shares of bins, with ½ added to each count. */
export function smoothedShares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count + PSEUDO_COUNT, 0);
  return counts.map((count) => (count + PSEUDO_COUNT) / total);
}

/**
 * Divergences between two distributions, each with the factor that turns it into a χ² statistic
 * under no change.
 */
const DIVERGENCES = {
  psi: {
    of: populationStabilityIndex,
    scale: 1,
  },
  js: {
    of: jensenShannon,
    scale: 8,
  },
} as const;
/** Name of a divergence. */
export type DivergenceName = keyof typeof DIVERGENCES;

/** Smallest probability whose logarithm is taken, so that scores are finite. */
const LEAST = 1e-300;

/**
 * State of `homogeneity` for one series. It consists of plain numbers, so it can be stored
 * directly.
 */
export interface HomogeneityState {
  /** Reference distribution: Σ counts by bin over earlier panes. */
  reference: number[];
  /** Number of panes in the reference. */
  panes: number;
  /** Sum of the test statistics T of the compared panes; see `homogeneity`. */
  statistic: number;
  /** Sum of the degrees of freedom of the compared panes' statistics. */
  df: number;
  /** Share of events on popular items, in the reference and in the newest pane. */
  head?: LevelShift;
}

export function newHomogeneity(): HomogeneityState {
  return {
    reference: [],
    panes: 0,
    statistic: 0,
    df: 0,
  };
}

/** Binned events of a pane. */
interface BinnedPane {
  /** Events by bin; the number of bins never changes. */
  readonly counts: readonly number[];
  /** Design effect of users; 1 if events are independent. */
  readonly designEffect: number;
}

/** How a pane updates the state. */
interface Taught {
  /** Number of panes that only train the reference, at least 2. */
  readonly learn: number;
  /** Whether the pane is added to the reference. */
  readonly teaches?: boolean;
}

/**
 * Score how unlikely it is that a pane's counts and those of the panes before it have the same
 * distribution, then add the pane to the reference.
 *
 * T = c · D(pane, reference) / (1/n + 1/m), c = 1 for PSI and 8 for JS, n and m the numbers of
 * events. Without a change and with independent events T ~ χ²_{B−1}, B the number of bins with an
 * event in either. Events of a user are correlated, so T is divided by a design effect: the largest
 * of 1, that of the users (n / ESS), and the past ratio of Σ T to Σ (B − 1). The past ratio is an
 * estimate from ν degrees of freedom, so T / deff / (B − 1) ~ F_{B−1, ν}. score = −log10
 * P(F > T / deff / (B − 1)).
 * **Source**: Rao & Scott 1981 (first-order correction by a mean design effect).
 *
 * @param state changed in place.
 * @returns null during training, and without events.
 * @example
 * const pane = { counts: [10, 20], designEffect: 1 };
 * homogeneity(newHomogeneity(), pane, 'psi', { learn: 2 }); // null: the first pane is the reference
 */
export function homogeneity(
  state: HomogeneityState,
  { counts, designEffect }: BinnedPane,
  divergence: DivergenceName,
  { learn, teaches = true }: Taught,
): number | null {
  const events = total(counts);
  if (events === 0) return null;
  const before = total(state.reference);
  let score: number | null = null;
  if (before > 0) {
    state.head = {
      before: headShare(state.reference),
      now: headShare(counts),
    };
    const { of, scale } = DIVERGENCES[divergence];
    const [now, then] = occupied(counts, state.reference);
    const df = now.length - 1;
    const statistic = (scale * of(now, then)) / (1 / events + 1 / before);
    if (state.panes >= Math.max(2, learn) && state.df > 0 && df > 0) {
      const effect = Math.max(1, designEffect, state.statistic / state.df);
      const tail = fTail(statistic / effect / df, df, state.df);
      score = -Math.log10(Math.max(LEAST, tail));
    }
    if (teaches) {
      state.statistic += statistic;
      state.df += df;
    }
  }
  if (!teaches) return score;
  state.reference = counts.map((count, b) => count + (state.reference[b] ?? 0));
  state.panes++;
  return score;
}

function occupied(counts: readonly number[], reference: readonly number[]): [number[], number[]] {
  const bins = counts.flatMap((count, b) => (count + reference[b] > 0 ? [b] : []));
  return [bins.map((b) => counts[b]), bins.map((b) => reference[b])];
}

/** P(F > f) for an F distribution with d1 and d2 degrees of freedom. */
function fTail(f: number, d1: number, d2: number): number {
  const x = d2 / (d2 + d1 * f);
  return incompleteBeta(x, (d1 * f) / (d2 + d1 * f), d2 / 2, d1 / 2);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Population stability index between two binned samples.
 *
 * Σ_b (p_b − q_b) ln(p_b / q_b), p and q the bins' shares with ½ added to each count.
 * Without a change it is about (1/n + 1/m) χ²_{B−1}, so no fixed bound such as 0.1 or 0.25 fits
 * samples of every size.
 * **Source**: Kullback & Leibler 1951, the divergence J; Yurdakul 2018 for its distribution.
 *
 * @param counts of the bins, in events. @param reference of the same bins.
 * @returns ≥ 0; 0 without bins.
 * @example
 * populationStabilityIndex([10, 20], [10, 20]); // 0
 */
export function populationStabilityIndex(
  counts: readonly number[],
  reference: readonly number[],
): number {
  const q = smoothedShares(reference);
  return smoothedShares(counts).reduce((sum, p, b) => sum + (p - q[b]) * Math.log(p / q[b]), 0);
}

/**
 * Jensen–Shannon divergence between two binned samples, in nats.
 *
 * ½ Σ_b p_b ln(p_b / r_b) + ½ Σ_b q_b ln(q_b / r_b), r = (p + q) / 2, shares with ½ added to each
 * count. Without a change it is about (1/n + 1/m) χ²_{B−1} / 8.
 * **Source**: Lin 1991, equation 3.8, at equal weights; its distribution by a second-order expansion.
 *
 * @param counts of the bins, in events. @param reference of the same bins.
 * @returns in [0, ln 2]; 0 without bins.
 * @example
 * jensenShannon([10, 20], [10, 20]); // 0
 */
export function jensenShannon(counts: readonly number[], reference: readonly number[]): number {
  const q = smoothedShares(reference);
  return smoothedShares(counts).reduce((sum, p, b) => {
    const r = (p + q[b]) / 2;
    return sum + (p * Math.log(p / r) + q[b] * Math.log(q[b] / r)) / 2;
  }, 0);
}
