import type { ScaleReport } from '../results/scale-report.js';

/** 1 / P of each row: by item, or the row's own logged one. */
export interface AbsoluteScale {
  readonly report: ScaleReport;
  /** Per item; 0 leaves the item's rows out; null if the rows' logged propensities are used. */
  readonly inverse: Float64Array | null;
  /** ∂/∂γ of `inverse`; null if it does not depend on γ. */
  readonly slope: Float64Array | null;
}
