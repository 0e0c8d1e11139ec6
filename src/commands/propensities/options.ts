import type { Config } from '../../config.js';
import type { Offsets } from '../../estimators/propensity/fit-logistic.js';

export const KINDS = ['nb', 'lr'] as const;
export type PropensityKind = (typeof KINDS)[number];

export interface PropensityOptions {
  readonly kind: PropensityKind;
  readonly config: Config;
  readonly events: readonly string[];
  /** Files in which all ratings are of randomly drawn items. */
  readonly randomized: readonly string[];
  readonly userFeatures?: string | undefined;
  readonly itemFeatures?: string | undefined;
  readonly out: string;
  /** κ, only for nb. */
  readonly smoothing: number;
  readonly logistic: LogisticChoices;
  readonly seed: number;
  readonly json: boolean;
  readonly maxFaults: number;
}

export interface LogisticChoices {
  /** Offsets; by default none with features, and both without. */
  readonly offsets?: Offsets | undefined;
  /** Strengths of the ridge to choose from; a single one is used as it is. */
  readonly l2: readonly number[];
  readonly folds: number;
  /** Share q of the negatives in the fit; by default as many as can be fitted in seconds. */
  readonly negatives?: number | undefined;
}
