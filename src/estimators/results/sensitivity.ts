import type { Measure } from '../metrics/metric-gain.js';
import type { UNCORRECTED } from '../names.js';

/** How far a model's pooled value moves over the exponents that traffic may have. */
export interface GammaBand {
  readonly model: string;
  /** Least and greatest value over γ in [−1, 1]. */
  readonly lower: number;
  readonly upper: number;
  /** At γ = −1, which is naive, and at γ = 1, where all items have equal relevance. */
  readonly [UNCORRECTED]: number;
  readonly equal: number;
}

/** A γ at which two models change places. */
export interface GammaFlip {
  /** The model that is ahead below it, and the one that is ahead above. */
  readonly below: string;
  readonly above: string;
  readonly gamma: number;
  /** No other model is ahead of them there: who leads changes. */
  readonly isOfLeaders: boolean;
}

/** What the choice of γ decides. */
export interface GammaSensitivity {
  readonly bands: readonly GammaBand[];
  /** Ascending by γ. */
  readonly flips: readonly GammaFlip[];
}

/** The rare items that nothing of a model's lists reaches. */
export interface UnreachedTail {
  readonly model: string;
  /** Least count n_i of the items that it gains on. */
  readonly below: number;
  /** Share of the importance weight on items of fewer counts: R is 0 there, on no evidence. */
  readonly weight: number;
  /** Gain there, if they gained as much a row as those above. */
  readonly expected: number;
}

/** The same of one measure, by pooled snips. */
export interface MeasureSensitivity extends Measure, GammaSensitivity {
  /** By model that gains something, at the γ in use. */
  readonly tails: readonly UnreachedTail[];
}
