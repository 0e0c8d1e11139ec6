import { incompleteBeta } from '../../estimators/mathematics/distributions.js';
import { jensenShannon } from './jensen-shannon.js';
import type { LevelShift } from './level-shift.js';
import { headShare } from './popularity-bins.js';
import { populationStabilityIndex } from './psi.js';

/** Divergences with a χ² null: by which factor they become a χ². */
const DIVERGENCES = {
  psi: { of: populationStabilityIndex, scale: 1 },
  js: { of: jensenShannon, scale: 8 },
} as const;
export type DivergenceName = keyof typeof DIVERGENCES;

/** Below it a probability is not a number in a logarithm any more. */
const LEAST = 1e-300;

/** Counts of the panes so far, and how much more than χ² the divergence varied. Plain numbers. */
export interface HomogeneityState {
  /** Σ counts by bin: the reference. */
  reference: number[];
  /** Panes in the reference. */
  panes: number;
  /** Σ T and Σ degrees of freedom of the panes compared. */
  statistic: number;
  df: number;
  /** Share of the popular items in the panes before the newest, and in it. */
  head?: LevelShift;
}

export function newHomogeneity(): HomogeneityState {
  return { reference: [], panes: 0, statistic: 0, df: 0 };
}

/**
 * How unlikely it is that a pane's counts and those of the panes before it have one distribution.
 * The pane then joins the reference.
 *
 * T = c · D(pane, reference) / (1/n + 1/m), c = 1 for PSI and 8 for JS, n and m the events: without
 * a change and with independent events T ~ χ²_{B−1}, B the bins with an event in either. Events of
 * a user hang together, so T is divided by a design effect, at least that of the users (n / ESS),
 * and at least what T was in the past in relation to B − 1. The latter is an estimate from ν
 * degrees of freedom, so T / deff / (B − 1) ~ F_{B−1, ν}.
 * score = −log10 P(F > T / deff / (B − 1)).
 * **Source**: Rao & Scott 1981 (first-order correction by a mean design effect).
 *
 * @param state changed in place. @param counts of the bins, in events, always as many bins.
 * @param designEffect of the users; 1 if events are independent. @param learn panes that only
 * teach, at least 2.
 * @returns null while learning, and without events.
 * @example
 * homogeneity(newHomogeneity(), [10, 20], 'psi', 1, 2); // null: the first pane is the reference
 */
export function homogeneity(
  state: HomogeneityState,
  counts: readonly number[],
  divergence: DivergenceName,
  designEffect: number,
  learn: number,
  teaches = true,
): number | null {
  const events = total(counts);
  if (events === 0) return null;
  const before = total(state.reference);
  let score: number | null = null;
  if (before > 0) {
    state.head = { before: headShare(state.reference), now: headShare(counts) };
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

/** P(F > f) with d1 and d2 degrees of freedom. */
function fTail(f: number, d1: number, d2: number): number {
  const x = d2 / (d2 + d1 * f);
  return incompleteBeta(x, (d1 * f) / (d2 + d1 * f), d2 / 2, d1 / 2);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
