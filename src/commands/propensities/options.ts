import type { Config } from '../../config.js';
import type { Offsets } from '../../estimators/propensity/fit-logistic.js';

export const KINDS = ['nb', 'lr'] as const;
export type PropensityKind = (typeof KINDS)[number];

export interface PropensityOptions {
  readonly kind: PropensityKind;
  readonly config: Config;
  readonly events: readonly string[];
  /** Event files in which all ratings are of randomly drawn items. */
  readonly randomized: readonly string[];
  readonly userFeatures?: string | undefined;
  readonly itemFeatures?: string | undefined;
  readonly out: string;
  /** Smoothing κ of nb: number of random ratings added to each value. */
  readonly smoothing: number;
  readonly logistic: LogisticChoices;
  readonly seed: number;
  readonly json: boolean;
  readonly maxFaults: number;
}

export interface LogisticChoices {
  /** Whose intercepts are fitted (users, items); by default none with features, both without. */
  readonly offsets?: Offsets | undefined;
  /** Ridge strengths to choose from by cross-validation; a single one is used as it is. */
  readonly l2: readonly number[];
  readonly folds: number;
  /** Share q of the unrated pairs in the fit; by default about two million pairs. */
  readonly negatives?: number | undefined;
}
