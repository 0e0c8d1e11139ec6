import type { PropensityStamp } from '../estimators/propensity/used-propensities.js';
import { type InterventionName, interventionOf } from '../estimators/rules/registry.js';

/** How the rows of a set are weighted; the papers' names, in lower case. */
export type Strategy = InterventionName;

export const FORMATS = ['parquet', 'csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** Parts that a set can be drawn from. */
export const PARTS = ['test', 'train'] as const;
export type Part = (typeof PARTS)[number];

/** Everything that a set depends on, except the events. */
export interface SetPlan {
  readonly strategy: Strategy;
  /** Size of the set: a share of the part's rows, at most 1, or a number of rows. */
  readonly size: { readonly share: number } | { readonly rows: number };
  readonly seed: number;
  /**
   * Share of the pairs that the random split puts into the train part; null if train events have
   * separate sources.
   */
  readonly split: number | null;
  /** Exponent p of the item's factor, for wtd_h and wtd. */
  readonly exponent: number;
  /** κ, added to every count; 0 leaves out rows with a zero count. */
  readonly smoothing: number;
  /** Learned propensities P for wtd_h; weights are then 1 / P. */
  readonly propensities?: PropensityStamp | undefined;
  readonly part: Part;
  /** Whether all rows of the train part are also written. */
  readonly withTrain: boolean;
  readonly format: Format;
  /** Least value of a positive interaction. */
  readonly positiveMinValue: number;
  /**
   * Reward of each action. An action with reward 0 is not positive; an action that is not listed
   * is. Without this option, all actions are positive.
   */
  readonly actions?: Readonly<Record<string, number>>;
  /** Event time, ms: from ≤ ts < to; null for no bound. */
  readonly from: number | null;
  readonly to: number | null;
}

/** Whether a strategy's weights depend on the counts of the train part, and so on κ. */
export function isSmoothed(strategy: Strategy): boolean {
  const { weights } = interventionOf(strategy);
  return weights !== 'raked' && (weights.user !== null || weights.item !== null);
}

/** Whether a strategy uses the configurable exponent of the item's factor, `SetPlan.exponent`. */
export function hasExponent(strategy: Strategy): boolean {
  const { weights } = interventionOf(strategy);
  return weights !== 'raked' && weights.hasExponent === true;
}

/** Whether a strategy aims at the shares of randomised traffic. */
export function isTargeted(strategy: Strategy): boolean {
  const { weights } = interventionOf(strategy);
  return weights !== 'raked' && weights.isTargeted === true;
}
