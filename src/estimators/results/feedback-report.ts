import type { CauseByArms } from '../feedback/cause-by-arms.js';
import type { FeedbackMode } from '../feedback/feedback-mode.js';
import type { EffectiveSampleSize, Estimate, EstimateDifference } from './estimate.js';

/** What users found by themselves, estimated like the whole. */
export interface UncausedEstimates {
  readonly results: readonly Estimate[];
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  /** Positive rows that no list caused, and users who have one. */
  readonly rows: number;
  readonly users: number;
}

/** How far a window's estimates rest on what shown lists caused. */
export interface FeedbackReport {
  readonly mode: FeedbackMode;
  /**
   * `named`: interactions name the lists that led to them; `arms`: none does, and the share follows
   * from which lists were served; `unknown`: neither.
   */
  readonly source: 'named' | 'arms' | 'unknown';
  /** Share of the positive organic rows that shown lists caused; NaN where it is unknown. */
  readonly caused: number;
  /** The share as far as it follows from which lists were served, with names or without. */
  readonly arms: CauseByArms | null;
  /**
   * Of the models with an estimate that is withheld or doubtful, and of the reference model; null where
   * there are none such, and where everything is known to be caused.
   */
  readonly uncaused: UncausedEstimates | null;
}
