/** Status of a fitted γ: usable, or the reason why not. */
export const GAMMA_STATUSES = ['ok', 'too_few_levels', 'poor_fit', 'stale'] as const;
export type GammaStatus = (typeof GAMMA_STATUSES)[number];

/** Methods of fitting γ: the paper's regression line through the levels, or Poisson regression. */
export const GAMMA_FITS = ['ols', 'poisson'] as const;
export type GammaFitName = (typeof GAMMA_FITS)[number];

/** Point of the exposure curve: the items with counts from `level` to below twice that. */
export interface CurvePoint {
  readonly level: number;
  /** Geometric mean of the items' counts, the bin's location on the axis of ln n. */
  readonly meanLevel: number;
  readonly exposuresPerItem: number;
}

export interface GammaFit {
  readonly ols: {
    readonly gamma: number;
    readonly stdErr: number;
    readonly r2: number;
    /** Intercept a of the line ln f(n) = a + γ ln n. */
    readonly intercept: number;
  };
  readonly poisson: {
    readonly gamma: number;
    readonly intercept: number;
    /** Standard error, robust to differences between items. */
    readonly stdErr: number;
    /**
     * φ: variance of a level's exposures relative to Poisson counts; far above 1 if items differ.
     */
    readonly dispersion: number;
  };
  /** Number of levels in the OLS fit; the Poisson fit also uses levels without exposures. */
  readonly levels: number;
  /** Levels with items but without exposures, which the OLS fit leaves out. */
  readonly zeroLevels: number;
  readonly status: GammaStatus;
  /** Exposures per item by count, f(n) = F_n / m_n, in bins of a factor of 2. */
  readonly curve: readonly CurvePoint[];
}
