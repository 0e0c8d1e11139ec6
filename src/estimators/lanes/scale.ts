import type { ScaleReport } from '../results/scale-report.js';

/**
 * Inverse propensities 1 / P, with P a probability: by item, or from each row's logged propensity.
 */
export interface AbsoluteScale {
  readonly report: ScaleReport;
  /**
   * 1 / P by item; 0 leaves the item's rows out; null if the logged propensities of rows are used.
   */
  readonly inverse: Float64Array | null;
  /** ∂/∂γ of `inverse`; null if it does not depend on γ. */
  readonly slope: Float64Array | null;
}
