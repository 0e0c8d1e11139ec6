import type { MeasuredHits } from '../lanes/expected-set.js';
import type { Selection } from '../lanes/selection.js';
import type { Guarantee } from '../uncertainty/guarantees.js';
import type { Coefficients } from './coefficients.js';

/** Aggregations: a mean over users of their own means, or a mean over all rows. */
export const AGGREGATIONS = ['user', 'pooled'] as const;

export type Aggregation = (typeof AGGREGATIONS)[number];

/**
 * Coefficients that an estimator assigns to a user's rows. Every estimator here is linear in the
 * gain: R = Σ_u N_u / Σ_u D_u. User form: N_u = Σ_i a_i λ_i with D_u as given; pooled form: N_u =
 * Σ_i b_i λ_i, D_u = Σ_i b_i.
 */
export interface WeightingRule {
  /**
   * Support for set metrics: `rows`, the rows themselves are the set; `drawn`, sets are drawn, and
   * b is the probability that a row is in one.
   */
  readonly sets?: 'rows' | 'drawn';
  /** Whether the weights depend on γ; `weigh` then writes their slopes too. */
  readonly dependsOnGamma?: boolean;
  /** D_u of the pooled form if it is not Σ_i b_i, for a rule that is not self-normalised. */
  readonly denominator?: number;
  /** Write a, D_u of the user form and b for every row of the selection. */
  weigh(selection: Selection, out: Coefficients): void;
  /**
   * Whether `weigh` sets Σ a_i² over all rows; otherwise a user's rows are assumed to share D_u in
   * proportion to b_i.
   */
  readonly squaresUserRows?: boolean;
  /** Create additional sums, if results need more than the moments of the ratio. */
  ownSums?(metrics: number): OwnSums;
  /** Additional fields of results that need no sums. */
  extras?(result: FoundResult, measured: MeasuredHits): ResultExtras;
}

/** Sums over users that one estimator keeps for a lane beside its moments. */
export interface OwnSums {
  /** Add a chunk, with the hits of each metric in it. */
  add(rows: Selection, coefficients: Coefficients, measured: readonly MeasuredHits[]): void;
  /** Additional fields of the result of the m-th metric. */
  extras(result: FoundResult, measured: MeasuredHits, m: number): ResultExtras;
}

/** A result, as input of additional fields. */
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
