import type { Offsets } from './fit-logistic.js';

/** Stored propensities: P by the value of a rating, or by user and item. */
export type PropensityModel = NaiveBayesFile | LogisticFile;

/** Stored P(O | r) of a naive Bayes model, see `naiveBayesPropensity`. */
export interface NaiveBayesFile {
  readonly kind: 'nb';
  /** κ, the smoothing of the random sample's counts (ratings). */
  readonly smoothing: number;
  /** One entry for each value of a rating, in ascending order. */
  readonly values: readonly RatingPropensity[];
}

export interface RatingPropensity {
  readonly rating: number;
  /** n_r, ratings that users chose to give. */
  readonly chosen: number;
  /** m_r, ratings of randomly drawn items. */
  readonly random: number;
  /** P(O | r); 0 for a value that nobody chose. */
  readonly propensity: number;
}

/** The parameters of `fitLogistic`, with the ids of users and items. */
export interface LogisticFile {
  readonly kind: 'lr';
  readonly l2: number;
  readonly offsets: Offsets;
  /** q, the sampling rate of the negatives. */
  readonly rate: number;
  readonly seed: number;
  readonly intercept: number;
  /** W: a row for each feature of users, a column for each feature of items. */
  readonly weights: readonly (readonly number[])[];
  readonly users: LogisticSide;
  readonly items: LogisticSide;
  /** Σ_u P_ui of each item, over all users of the file; older files lack it. */
  readonly itemSums?: readonly number[];
}

/** Parameters of users or items, by index. */
export interface LogisticSide {
  readonly ids: readonly string[];
  /** Names of the features, one for each column; empty without a feature table. */
  readonly names: readonly string[];
  readonly features: readonly (readonly number[])[];
  /** γ_u of users, or β_i of items; null without offsets. */
  readonly offsets: readonly number[] | null;
}
