import type { Metric } from '../../estimators/names.js';

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /** Options of verdicts; without them there are none. */
    readonly decision?: DecisionOptions | undefined;
  }
}

/** Options of verdicts on pairs of models. */
export interface DecisionOptions {
  /** The deciding metric, whose gain depends on the rank alone. */
  readonly metric: {
    readonly metric: Metric;
    readonly k: number | null;
  };
  /** δ, the margin, as a share of the reference's value on the first day. */
  readonly margin: number;
  /** Reference model; without it all pairs are judged. */
  readonly control?: string | undefined;
  /** A day, event time, ms. Verdicts need at least one, and use whole days. */
  readonly dayMs: number;
  /** Time between two looks, ms: a multiple of the pane's length that divides a day. */
  readonly lookMs: number;
  /** Other settings that the sums depend on; a change restarts the comparison. */
  readonly settings: string;
}

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * Time between two looks: six hours, or the next longer part of a day that is a whole number of
 * panes.
 *
 * @returns undefined if no day ends with a pane.
 */
export function lookEvery(tickMs: number): number | undefined {
  return [6, 12, 24].map((hours) => hours * HOUR_MS).find((ms) => ms % tickMs === 0);
}
