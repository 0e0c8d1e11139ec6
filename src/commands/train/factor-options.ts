import type { Factors } from './factors.js';
import type { Loss } from './objective.js';

export interface FactorOptions {
  /** d, factors of a user or an item; 0 leaves offsets only. */
  readonly size: number;
  /** λ > 0, see `objective`. */
  readonly lambda: number;
  readonly seed: number;
  readonly loss: Loss;
  /** Sweeps at most, for the squared error. */
  readonly maxSweeps: number;
  /** A sweep that gains less, relative to the objective, is the last; for the squared error. */
  readonly tolerance: number;
}

/** What a fit came to. */
export interface FactorFit {
  readonly factors: Factors;
  readonly objective: number;
  readonly sweeps: number;
  /** Whether the tolerance was met within the sweeps. */
  readonly isConverged: boolean;
}

export const FACTOR_DEFAULTS = { maxSweeps: 200, tolerance: 1e-6, loss: 'squared' } as const;
