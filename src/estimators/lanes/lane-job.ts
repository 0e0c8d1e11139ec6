import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import type { AbsoluteScale } from './scale.js';
import type { ItemColumns } from './selection.js';

/** Rows of a window, and the numbers to compute from them. */
export interface LaneJob {
  readonly part: WindowPart;
  readonly columns: ItemColumns;
  /** In the order of the part's columns. */
  readonly models: readonly string[];
  readonly options: EstimateOptions;
  /** Whether nobody asks how many rows there are, nor what interventions make of them. */
  readonly isUnsummarised?: boolean;
}

/** What the estimators of organic rows are computed from; of the options `estimators` are those. */
export interface OrganicJob extends LaneJob {
  readonly counts: ItemTotals;
  /** Not null if an estimator needs it. */
  readonly scale: AbsoluteScale | null;
}

/** What all numbers of lanes are made by. */
export interface LaneContext {
  readonly models: readonly string[];
  /** Number of the model that differences are taken to; −1 for none. */
  readonly reference: number;
  /** Those of `options.estimators`, in their order. */
  readonly rules: readonly WeightingRule[];
  readonly options: EstimateOptions;
  /** See `intervalFactors`. */
  readonly factorOf: (ess: number) => number;
}
