import type { FeedbackMode } from './feedback/feedback-mode.js';
import type { EstimatorName, IntervalMethod, Metric } from './names.js';
import type { SegmentAxes } from './results/segment-report.js';
import type { UserForm } from './rules/estimator.js';
import type { GuaranteeName } from './uncertainty/guarantees.js';

export const STRATA_SCHEMES = [
  'popularity-width',
  'propensity-width',
  'popularity-rank',
  'log',
] as const;

/**
 * Where the counts behind weights come from. `train`: events apart from the window, if there are
 * any; `all`: the window too.
 */
export const WEIGHTS_FROM = ['train', 'all'] as const;

export type WeightsFrom = (typeof WEIGHTS_FROM)[number];

export type StrataScheme = (typeof STRATA_SCHEMES)[number];

/** Options of the estimates of one tick. */
export interface EstimateOptions {
  readonly metrics: readonly Metric[];
  readonly ks: readonly number[];
  readonly estimators: readonly EstimatorName[];
  /** Exponent of presentation bias; propensities are n^((γ+1)/2). */
  readonly gamma: number;
  /** Standard error of γ, which widens intervals; 0 if γ is given. */
  readonly gammaStdErr: number;
  /** Half the width of what else is known of γ, by randomised traffic; 1.96 errors if not given. */
  readonly gammaHalfWidth?: number;
  readonly interval: IntervalMethod;
  /** Bounds to give beside the interval. */
  readonly guarantees: readonly GuaranteeName[];
  /** Model that the others are compared with; undefined: the first; one that is not there: none. */
  readonly reference: string | undefined;
  /** What the mean over users takes of a user; `plain` if nothing is said. */
  readonly userForm?: UserForm;
  readonly strata: number;
  readonly strataScheme: StrataScheme;
  /** What importance weights count beside what is known apart: the window too, or not. */
  readonly weightsFrom?: WeightsFrom;
  /** What an item without a count weighs: as if counted `smoothing` times, or left out. */
  readonly cold: 'smooth' | 'drop';
  readonly smoothing: number;
  /** Size of the catalogue: a list of unstated candidates that is this long ranks all of them. */
  readonly catalogueSize: number;
  /** Share of the rows that an intervention keeps. */
  readonly sampleShare: number;
  /** Test sets to draw of each intervention, and the seed of the first; none by default. */
  readonly draws?: number;
  readonly seed?: number;
  /** Exponent of the item posterior in wtd_h. */
  readonly posteriorExponent: number;
  /**
   * How to treat estimates that rest on interactions driven by recommendations; `ignore` by
   * default.
   */
  readonly feedback?: FeedbackMode;
  /** Names of the estimates that were withheld the last time; see `nameOf` in `feedback`. */
  readonly withheldBefore?: ReadonlySet<string>;
  /** Why the rows do not say whom lists reached; undefined if they do. */
  readonly noReach?: string;
  /** Segment dimensions of the rows; none by default. */
  readonly segments?: SegmentAxes;
}
