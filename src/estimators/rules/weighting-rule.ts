import type { MeasuredHits } from '../lanes/expected-set.js';
import type { Selection } from '../lanes/selection.js';
import type { Guarantee } from '../uncertainty/guarantees.js';
import type { Coefficients } from './coefficients.js';

/** The two forms of a mean: over users of their own means, or over the rows of all. */
export const AGGREGATIONS = ['user', 'pooled'] as const;

export type Aggregation = (typeof AGGREGATIONS)[number];

/**
 * What an estimator makes of a user's rows. Every estimator here is linear in the gain, so it is
 * known by its coefficients: R = Σ_u N_u / Σ_u D_u with
 * user form: N_u = Σ_i a_i λ_i and D_u as given; pooled form: N_u = Σ_i b_i λ_i, D_u = Σ_i b_i.
 */
export interface WeightingRule {
  /**
   * Where a metric of whole sets means anything: `rows`, the rows themselves are the set; `drawn`,
   * sets of them are drawn, and b is the chance that a row is in one.
   */
  readonly sets?: 'rows' | 'drawn';
  /** Whether the weights depend on γ: then `weigh` writes their slopes too. */
  readonly dependsOnGamma?: boolean;
  /** D_u of the pooled form, where it is not Σ_i b_i: a rule that does not normalise itself. */
  readonly denominator?: number;
  /** Writes a, D_u of the user form and b for every row of the selection. */
  weigh(selection: Selection, out: Coefficients): void;
  /**
   * Whether `weigh` leaves Σ a_i² over all rows; else a user's rows are taken to share D_u in
   * proportion to b_i.
   */
  readonly squaresUserRows?: boolean;
  /** New sums of its own, where its results take more than the moments of the ratio. */
  ownSums?(metrics: number): OwnSums;
  /** What its results say beside value and error, and needs no sums. */
  extras?(result: FoundResult, measured: MeasuredHits): ResultExtras;
}

/** Sums over users that one estimator keeps of a lane beside its moments. */
export interface OwnSums {
  /** Takes a chunk, with the hits of each metric in it. */
  add(rows: Selection, coefficients: Coefficients, measured: readonly MeasuredHits[]): void;
  /** What they add to the result of the m-th metric. */
  extras(result: FoundResult, measured: MeasuredHits, m: number): ResultExtras;
}

/** The result that extras are for. */
export interface FoundResult {
  readonly aggregation: Aggregation;
  readonly value: number;
  readonly denominator: number;
  readonly users: number;
}

/** Fields of an estimate that not every estimator has. */
export interface ResultExtras {
  readonly guarantees?: readonly Guarantee[];
  readonly samplingStdErr?: number;
  readonly uncorrected?: number;
  readonly withinUserEss?: number;
}
