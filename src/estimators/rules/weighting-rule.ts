import type { MeasuredHits } from '../lanes/expected-set.js';
import type { Selection } from '../lanes/selection.js';
import type { Guarantee } from '../uncertainty/guarantees.js';
import type { Coefficients } from './coefficients.js';

/** Aggregations: a mean over users of their own means, or a mean over all rows. */
export const AGGREGATIONS = ['user', 'pooled'] as const;

export type Aggregation = (typeof AGGREGATIONS)[number];

/**
 * Rule by which an estimator assigns coefficients to a user's rows. Every estimator here is linear
 * in the gains λ_i: R = Σ_u N_u / Σ_u D_u over users u. User form: N_u = Σ_i a_i λ_i, D_u set by
 * the rule; pooled form: N_u = Σ_i b_i λ_i, D_u = Σ_i b_i.
 */
export interface WeightingRule {
  /**
   * How set metrics are computed. `rows`: over the rows themselves. `drawn`: over sets that are
   * drawn from the rows, where b_i is the probability that a set contains row i. Undefined: the
   * rule does not support set metrics.
   */
  readonly sets?: 'rows' | 'drawn';
  /** Whether the weights depend on γ; `weigh` then writes their slopes too. */
  readonly dependsOnGamma?: boolean;
  /** D_u of the pooled form if it is not Σ_i b_i, for a rule that is not self-normalised. */
  readonly denominator?: number;
  /** Write a_i and b_i of every row of the selection, and each user's D_u of the user form. */
  weigh(selection: Selection, out: Coefficients): void;
  /**
   * Whether `weigh` sets Σ a_i² over all rows. Otherwise it is computed as if each user's a_i were
   * D_u divided in proportion to b_i.
   */
  readonly squaresUserRows?: boolean;
  /** Create additional sums over the rows, if results need more than the moments of the ratio. */
  ownSums?(metrics: number): OwnSums;
  /** Additional fields of results that need no sums. */
  extras?(result: FoundResult, measured: MeasuredHits): ResultExtras;
}

/** Sums that one estimator collects for a lane in addition to the moments of the ratio. */
export interface OwnSums {
  /** Add the rows of a chunk, with the hits of each metric among them. */
  add(rows: Selection, coefficients: Coefficients, measured: readonly MeasuredHits[]): void;
  /** Additional fields of the result of the m-th metric. */
  extras(result: FoundResult, measured: MeasuredHits, m: number): ResultExtras;
}

/** A computed estimate, from which a rule derives additional fields. */
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
