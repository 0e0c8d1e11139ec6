import { beyondRounding } from '../../estimators/mathematics/edges.js';
import { AGGREGATIONS, type Aggregation } from '../../estimators/rules/weighting-rule.js';
import { intervalFactor, logitInterval } from '../../estimators/uncertainty/interval.js';
import { NO_REASONS } from '../../rows/reading.js';
import type { RatingMeasure } from './rating-measures.js';
import type { RatingDifference, RatingRow } from './rating-report.js';
import type { Influences, RatingSum } from './rating-sum.js';
import type { UserRun } from './user-runs.js';

type ByAggregation = Record<Aggregation, number>;

/**
 * The estimate of one model and measure, with the sums of users' squared influences ψ from which
 * its standard error is computed.
 */
export class MeasuredSum {
  readonly model: number;
  readonly measure: RatingMeasure;
  readonly sum: RatingSum;
  /** The estimate of the reference model for the same measure and estimator. */
  readonly reference: MeasuredSum | undefined;
  /** Σψ² over users, ψ the influence of a user on the mean. */
  readonly #squares: ByAggregation = {
    user: 0,
    pooled: 0,
  };
  /** Σ (ψ − ψ of the reference)² over users, for the difference from the reference. */
  readonly #apart: ByAggregation = {
    user: 0,
    pooled: 0,
  };
  /**
   * Derivative of the value by the mean R: 1 / (2 √R) if the value is a root (delta method),
   * otherwise 1.
   */
  readonly #slope: ByAggregation = {
    user: 1,
    pooled: 1,
  };

  /**
   * Prepare the estimate.
   *
   * @param reference undefined for the reference itself, or without one.
   */
  constructor(model: number, measure: RatingMeasure, sum: RatingSum, reference?: MeasuredSum) {
    this.model = model;
    this.measure = measure;
    this.sum = sum;
    this.reference = reference;
    if (!measure.isRoot) return;
    for (const aggregation of AGGREGATIONS) {
      this.#slope[aggregation] = 1 / (2 * this.#value(aggregation) || 1);
    }
  }

  /**
   * Add the squared influences of a run of users on the value, and on its difference from the
   * reference.
   */
  addSquares({ from, to }: UserRun, own: Influences, other: Influences): void {
    for (const aggregation of AGGREGATIONS) {
      const influence = own[aggregation];
      const slope = this.#slope[aggregation];
      let squares = 0;
      for (let u = from; u < to; u++) {
        squares += influence[u] * influence[u];
      }
      this.#squares[aggregation] += squares * slope * slope;
      if (this.reference === undefined) continue;
      const influenceOfOther = other[aggregation];
      const slopeOfOther = this.reference.#slope[aggregation];
      let apart = 0;
      for (let u = from; u < to; u++) {
        const difference = influence[u] * slope - influenceOfOther[u] * slopeOfOther;
        apart += difference * difference;
      }
      this.#apart[aggregation] += apart;
    }
  }

  /** The result row of the estimate. */
  estimate(models: readonly string[], aggregation: Aggregation): RatingRow {
    const { sum, measure } = this;
    const value = this.#value(aggregation);
    const ess = sum.ess(aggregation);
    const stdErr = Math.sqrt(this.#squares[aggregation] * sum.factor(aggregation));
    const [lower, upper] = ratingInterval(value, stdErr, ess, measure.most);
    return {
      ...this.#identity(models, aggregation),
      value,
      stdErr,
      lower,
      upper,
      ess,
      counts: {
        users: sum.users,
        pairs: sum.rows,
      },
      status: 'given',
      reasons: NO_REASONS,
      ...(sum.clippingBias !== undefined && { more: { clippingBias: sum.clippingBias } }),
    };
  }

  /** The result row of this model's value minus the reference's, paired by user. */
  difference(
    reference: MeasuredSum,
    models: readonly string[],
    aggregation: Aggregation,
  ): RatingDifference {
    const [own, other] = [this, reference].map((each) => each.estimate(models, aggregation));
    const ess = Math.min(own.ess, other.ess);
    const value = own.value - other.value;
    const { sum } = own.ess < other.ess ? this : reference;
    const stdErr = Math.sqrt(this.#apart[aggregation] * sum.factor(aggregation));
    const isKnown = beyondRounding(stdErr * stdErr, (own.value + other.value) ** 2) === 0;
    const half = isKnown ? 0 : intervalFactor(ess) * stdErr;
    return {
      ...this.#identity(models, aggregation),
      reference: models[reference.model],
      value,
      stdErr,
      lower: value - half,
      upper: value + half,
      ess,
      counts: { users: Math.min(own.counts.users, other.counts.users) },
      status: 'given',
      reasons: NO_REASONS,
    };
  }

  #value(aggregation: Aggregation): number {
    const mean = this.sum.value(aggregation);
    return this.measure.isRoot ? Math.sqrt(mean) : mean;
  }

  #identity(models: readonly string[], form: Aggregation) {
    const { metric, k } = this.measure;
    const { estimator } = this.sum;
    return {
      family: 'ratings',
      model: models[this.model],
      metric,
      k,
      estimator,
      form,
    };
  }
}

/**
 * 95 % interval of a mean of δ ≥ 0.
 *
 * Symmetric in the logarithm, V exp(± t stdErr / V), or on the logit scale if δ is at most 1; t at
 * ESS − 1 degrees of freedom. Errors are skewed; their logarithm is less skewed.
 *
 * @param value V ≥ 0. @param most upper bound of δ; Infinity if δ is unbounded.
 * @returns [V, V] if the standard error is 0; [0, most] if it is unknown.
 * @example
 * ratingInterval(1, 0.1, 1e6, Infinity).map((limit) => Math.round(limit * 1000)); // [822, 1217]
 */
export function ratingInterval(
  value: number,
  stdErr: number,
  ess: number,
  most: number,
): [number, number] {
  const factor = intervalFactor(ess);
  if (beyondRounding(stdErr * stdErr, value * value) === 0) return [value, value];
  if (most === 1) return logitInterval(value, stdErr, factor);
  if (!(value > 0) || !(stdErr * factor < Number.POSITIVE_INFINITY)) return [0, most];
  const half = (factor * stdErr) / value;
  return [value * Math.exp(-half), value * Math.exp(half)];
}
