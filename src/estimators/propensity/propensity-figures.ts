import type { RidgeScore } from './cross-validate.js';
import type { Margins, ReliabilityBin } from './fit-figures.js';
import type { OtherKind } from './used-propensities.js';
import type { WeightFigures } from './weight-figures.js';

/** How far learned propensities are to be trusted. */
export interface PropensityFigures {
  readonly weights: WeightFigures;
  readonly meanRating: MeanRatings;
  /** Of lr alone: nb adds up by construction, and knows P of observed pairs only. */
  readonly fit: LogisticFigures | null;
  /** Beside the other kind, if both could be learned. */
  readonly comparison: OtherKind | null;
}

/** Mean rating of all pairs, as estimated from what users chose to rate. */
export interface MeanRatings {
  /** Of the ratings as they are. */
  readonly plain: number;
  /** Σ y/P ÷ Σ 1/P. */
  readonly weighted: number;
  /** Σ y/P ÷ pairs. */
  readonly overPairs: number;
  /** Of the randomly drawn items; null if there are none. */
  readonly random: { readonly value: number; readonly stdErr: number } | null;
}

export interface LogisticFigures {
  readonly margins: Margins;
  readonly reliability: readonly ReliabilityBin[];
  readonly validation: Validation;
}

export interface Validation {
  readonly folds: number;
  /** For each strength that was tried. */
  readonly scores: readonly RidgeScore[];
  /** Mean ln P(o) with the same P for all pairs (nats). */
  readonly constant: number;
  /** The best strength is the least or the largest that was tried. */
  readonly isAtEdge: boolean;
}
