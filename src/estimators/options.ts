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
 * Which events the popularity counts behind importance weights include. `train`: those outside the
 * window, if there are any; `all`: also those in the window.
 */
export const WEIGHTS_FROM = ['train', 'all'] as const;

export type WeightsFrom = (typeof WEIGHTS_FROM)[number];

export type StrataScheme = (typeof STRATA_SCHEMES)[number];

/** Options of the estimates of one tick. */
export interface EstimateOptions {
  readonly metrics: readonly Metric[];
  readonly ks: readonly number[];
  readonly estimators: readonly EstimatorName[];
  /**
   * γ, the exponent of presentation bias; the propensity of an item counted n times is n^((γ+1)/2).
   */
  readonly gamma: number;
  /** Standard error of γ, which widens intervals; 0 if γ is fixed. */
  readonly gammaStdErr: number;
  /** Half-width of the 95 % interval of γ from randomised traffic; 1.96 standard errors by default. */
  readonly gammaHalfWidth?: number;
  readonly interval: IntervalMethod;
  /** Bounds to report in addition to the interval. */
  readonly guarantees: readonly GuaranteeName[];
  /**
   * Reference model of differences. Undefined: the first model; an unknown name: no differences.
   */
  readonly reference: string | undefined;
  /** How a user's value in the mean over users is computed; `plain` by default. */
  readonly userForm?: UserForm;
  readonly strata: number;
  readonly strataScheme: StrataScheme;
  /** Which events the popularity counts behind importance weights include. */
  readonly weightsFrom?: WeightsFrom;
  /**
   * `smooth`: an item without a count is weighted as if counted `smoothing` times; `drop`: its rows
   * are left out.
   */
  readonly cold: 'smooth' | 'drop';
  readonly smoothing: number;
  /**
   * Number of items in the catalogue. A list that does not state its number of candidates ranks all
   * candidates if it is as long as the catalogue.
   */
  readonly catalogueSize: number;
  /** Share of the rows that an intervention keeps. */
  readonly sampleShare: number;
  /**
   * Number of test sets to draw for each intervention (`draws`, 0 by default), and random seed of
   * the first set (`seed`).
   */
  readonly draws?: number;
  readonly seed?: number;
  /** Exponent of the item's factor in the sampling weights of wtd and wtd_h. */
  readonly posteriorExponent: number;
  /**
   * How to treat estimates that rest on interactions driven by recommendations; `ignore` by
   * default.
   */
  readonly feedback?: FeedbackMode;
  /** Names of the estimates that were withheld at the last tick; see `nameOf` in `feedback`. */
  readonly withheldBefore?: ReadonlySet<string>;
  /** Reason why it is not known which users were reached by lists; undefined if it is known. */
  readonly noReach?: string;
  /** Segment dimensions of the rows; none by default. */
  readonly segments?: SegmentAxes;
}
