/** Why a fitted γ may or may not be used. */
export const GAMMA_STATUSES = ['ok', 'too_few_levels', 'poor_fit', 'stale'] as const;
export type GammaStatus = (typeof GAMMA_STATUSES)[number];

/** Which fit of γ is meant: the paper's line through the levels, or the Poisson regression. */
export const GAMMA_FITS = ['ols', 'poisson'] as const;
export type GammaFitName = (typeof GAMMA_FITS)[number];

/** The items with counts from `level` to twice that. */
export interface CurvePoint {
  readonly level: number;
  /** Geometric mean of their counts: where the bin stands on the axis of ln n. */
  readonly meanLevel: number;
  readonly exposuresPerItem: number;
}

export interface GammaFit {
  readonly ols: {
    readonly gamma: number;
    readonly stdErr: number;
    readonly r2: number;
    /** a of ln f(n) = a + γ ln n. */
    readonly intercept: number;
  };
  readonly poisson: {
    readonly gamma: number;
    readonly intercept: number;
    /** Robust to items that differ. */
    readonly stdErr: number;
    /** φ: variance of a level's exposures over what Poisson counts have; far above 1, items differ. */
    readonly dispersion: number;
  };
  /** Levels that entered the OLS fit; the Poisson fit takes the zero levels too. */
  readonly levels: number;
  /** Levels with items but without exposures, which the OLS fit leaves out. */
  readonly zeroLevels: number;
  readonly status: GammaStatus;
  /** f(n) = F_n / m_n on log2 bins. */
  readonly curve: readonly CurvePoint[];
}
