import type { Config } from '../../config.js';
import type { Offsets } from '../../estimators/propensity/fit-logistic.js';

export const KINDS = ['nb', 'lr'] as const;
export type PropensityKind = (typeof KINDS)[number];

export interface PropensityOptions {
  readonly kind: PropensityKind;
  readonly config: Config;
  readonly events: readonly string[];
  /** Files whose ratings are all of randomly drawn items. */
  readonly randomized: readonly string[];
  readonly userFeatures?: string | undefined;
  readonly itemFeatures?: string | undefined;
  readonly out: string;
  /** Of nb: κ. */
  readonly smoothing: number;
  readonly logistic: LogisticChoices;
  readonly seed: number;
  readonly json: boolean;
  readonly maxFaults: number;
}

export interface LogisticChoices {
  /** By default none beside features, and both without. */
  readonly offsets?: Offsets | undefined;
  /** Strengths to choose from; where there is one, it is taken. */
  readonly l2: readonly number[];
  readonly folds: number;
  /** q of the negatives; by default as many as are fitted in seconds. */
  readonly negatives?: number | undefined;
}
