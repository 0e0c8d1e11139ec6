/** Why a fitted γ may or may not be used. */
export const GAMMA_STATUSES = ['ok', 'too_few_levels', 'poor_fit', 'stale'] as const;
export type GammaStatus = (typeof GAMMA_STATUSES)[number];

export interface GammaFit {
  readonly ols: { readonly gamma: number; readonly stdErr: number; readonly r2: number };
  /** Levels that entered the fit. */
  readonly levels: number;
  /** Levels with items but without exposures, which the OLS fit leaves out. */
  readonly zeroLevels: number;
  readonly status: GammaStatus;
  /** f(n) = F_n / m_n on log2 bins: level is the bin's lower end. */
  readonly curve: readonly { readonly level: number; readonly exposuresPerItem: number }[];
}
