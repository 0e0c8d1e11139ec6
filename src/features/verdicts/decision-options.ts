import type { Metric } from '../../estimators/names.js';

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /** Options of verdicts; without them there are none. */
    readonly decision?: DecisionOptions | undefined;
  }
}

/** How it is decided which of two models is better. */
export interface DecisionOptions {
  /** A gain by rank alone. */
  readonly metric: {
    readonly metric: Metric;
    readonly k: number | null;
  };
  /** δ, as a share of the reference's value on the first day. */
  readonly margin: number;
  /** The model that the others are compared with; all pairs are judged without. */
  readonly control?: string | undefined;
  /** A day, event time, ms: what a verdict needs at least, and in whole. */
  readonly dayMs: number;
  /** Time between two looks, ms; a day is a multiple of it, and it is one of panes. */
  readonly lookMs: number;
  /** What the sums depend on beside: where it changes they start again. */
  readonly settings: string;
}

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * The time between two looks: six hours, or the next longer part of a day that panes divide.
 *
 * @returns undefined where no day ends with a pane.
 */
export function lookEvery(tickMs: number): number | undefined {
  return [6, 12, 24].map((hours) => hours * HOUR_MS).find((ms) => ms % tickMs === 0);
}
