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
  /**
   * Smoothing κ of naive Bayes (nb): number of random ratings that are added to each rating value.
   */
  readonly smoothing: number;
  readonly logistic: LogisticChoices;
  readonly seed: number;
  readonly json: boolean;
  readonly maxFaults: number;
}

export interface LogisticChoices {
  /**
   * Which intercepts are fitted: of users, of items, both or none. By default none if there are
   * features, and both without features.
   */
  readonly offsets?: Offsets | undefined;
  /** Ridge strengths among which cross-validation chooses. A single strength is used as it is. */
  readonly l2: readonly number[];
  readonly folds: number;
  /**
   * Share q of the unrated (user, item) pairs that the fit uses; by default about two million
   * pairs.
   */
  readonly negatives?: number | undefined;
}
