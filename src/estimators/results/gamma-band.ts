/** How far a model's pooled value moves over the exponents that traffic may have. */
export interface GammaBand {
  readonly model: string;
  /** Least and greatest value over γ in [−1, 1]. */
  readonly lower: number;
  readonly upper: number;
  /** At γ = −1, which is naive, and at γ = 1, where all items have equal relevance. */
  readonly naive: number;
  readonly equal: number;
}

/** A γ at which two models change places. */
export interface GammaFlip {
  /** The model that is ahead below it, and the one that is ahead above. */
  readonly below: string;
  readonly above: string;
  readonly gamma: number;
}

/** What the choice of γ decides. */
export interface GammaSensitivity {
  readonly bands: readonly GammaBand[];
  /** Ascending by γ. */
  readonly flips: readonly GammaFlip[];
}
