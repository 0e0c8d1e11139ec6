import type { CauseByArms } from '../feedback/cause-by-arms.js';
import type { FeedbackMode } from '../feedback/feedback-mode.js';
import type { EffectiveSampleSize, EstimateDifference, EstimateRow } from './estimate.js';
import type { SegmentNumbers } from './segment-report.js';

/** What users found by themselves, estimated like the whole. */
export interface UncausedEstimates {
  readonly results: readonly EstimateRow[];
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  /** By segment; only there where rows are divided. */
  readonly segments?: readonly SegmentNumbers[];
  /** Positive rows that no list caused, and users who have one. */
  readonly rows: number;
  readonly users: number;
}

/** How far a window's estimates rest on what shown lists caused. */
export interface FeedbackReport {
  readonly mode: FeedbackMode;
  /**
   * `named`: interactions name the lists that led to them; `arms`: none does, or not all do, and
   * the share follows from which lists were served; `unknown`: neither.
   */
  readonly source: 'named' | 'arms' | 'unknown';
  /** Share of the positive organic rows that shown lists caused; NaN where it is unknown. */
  readonly caused: number;
  /**
   * It is at least and at most so much: named + (1 − named) · max(0, κ̂ ± 2 standard errors). NaN
   * where it is unknown; `lower` is `caused` where names count as complete.
   */
  readonly lower: number;
  readonly upper: number;
  /** Share of the positive organic rows that name a list; NaN without rows. */
  readonly named: number;
  /** What lists caused of the rows that name none, as far as it shows in which lists were served. */
  readonly arms: CauseByArms | null;
  /** Models whose lists were served to users with positive rows. */
  readonly served: readonly string[];
  /**
   * Of the models with an estimate that is withheld or doubtful, and of the reference model; null where
   * there are none such, and where everything is known to be caused.
   */
  readonly uncaused: UncausedEstimates | null;
}
