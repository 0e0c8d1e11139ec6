import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import type { AbsoluteScale } from './scale.js';
import type { ItemColumns } from './selection.js';

/** Rows of a window, with the models and options of the estimates to compute from them. */
export interface LaneJob {
  readonly part: WindowPart;
  readonly columns: ItemColumns;
  /** Model names, in the order of the part's columns. */
  readonly models: readonly string[];
  readonly options: EstimateOptions;
  /** Whether the results need no row counts and no summaries of interventions. */
  readonly isUnsummarised?: boolean;
}

/**
 * Input of estimators that use the same rows, usually the organic ones; `options.estimators` lists
 * only these estimators.
 */
export interface OrganicJob extends LaneJob {
  readonly counts: ItemTotals;
  /** Propensities as probabilities; not null if an estimator needs them. */
  readonly scale: AbsoluteScale | null;
}

/** Context shared by the estimates of all lanes; a lane is one model on one family of metrics. */
export interface LaneContext {
  readonly models: readonly string[];
  /** Index of the reference model of differences; −1 for none. */
  readonly reference: number;
  /** Weighting rules of `options.estimators`, in their order. */
  readonly rules: readonly WeightingRule[];
  readonly options: EstimateOptions;
  /**
   * Factor of the standard error in an interval, by effective sample size; see `intervalFactors`.
   */
  readonly factorOf: (ess: number) => number;
}
