import type { Aggregation } from '../../aggregations.js';
import { intervalFactor } from '../../uncertainty/interval.js';
import { ratingInterval } from './rating-interval.js';
import { type RatingMeasure, ROW_KINDS } from './rating-measures.js';
import type { RatingOptions } from './rating-options.js';
import type { RatingDifference, RatingEstimate } from './rating-report.js';
import { RatingSum } from './rating-sum.js';
import type { RatingWeights } from './rating-weights.js';
import type { UserRatings } from './user-ratings.js';

type ByAggregation = Record<Aggregation, number>;

/** A sum with what it measures, and the squares of its influences. */
export class MeasuredSum {
  readonly model: number;
  readonly measure: RatingMeasure;
  readonly sum: RatingSum;
  readonly #squares: ByAggregation = { user: 0, pooled: 0 };
  /** Σ (ψ − ψ of the reference)². */
  readonly #apart: ByAggregation = { user: 0, pooled: 0 };
  /** What the user under way moves the mean by, and the value. */
  #ofMean: ByAggregation = { user: 0, pooled: 0 };
  #own: ByAggregation = { user: 0, pooled: 0 };
  readonly #twin: MeasuredSum | undefined;
  /** 2 √R of roots: √ is smooth, it moves by 1 / (2 √R) of what R does. */
  #steepness: ByAggregation = { user: 1, pooled: 1 };

  /** @param twin one that measures the same mean, and looks at each user before this one. */
  constructor(model: number, measure: RatingMeasure, sum: RatingSum, twin?: MeasuredSum) {
    this.#twin = twin;
    this.model = model;
    this.measure = measure;
    this.sum = sum;
  }

  /** Between the passes, when the sum has settled. */
  settle(): void {
    if (!this.measure.isRoot) return;
    const of = (aggregation: Aggregation) => 2 * this.#value(aggregation) || 1;
    this.#steepness = { user: of('user'), pooled: of('pooled') };
  }

  /** What the user moves the value by. */
  look(user: UserRatings): void {
    const own = this.#own;
    if (this.#twin === undefined) {
      this.#ofMean.pooled = this.sum.influence(user, 'pooled');
      this.#ofMean.user = this.sum.influence(user, 'user');
    }
    const ofMean = this.#twin === undefined ? this.#ofMean : this.#twin.#ofMean;
    own.pooled = ofMean.pooled / this.#steepness.pooled;
    own.user = ofMean.user / this.#steepness.user;
    this.#squares.pooled += own.pooled * own.pooled;
    this.#squares.user += own.user * own.user;
  }

  /** After both have looked at the user. */
  compare(reference: MeasuredSum): void {
    this.#apart.pooled += (this.#own.pooled - reference.#own.pooled) ** 2;
    this.#apart.user += (this.#own.user - reference.#own.user) ** 2;
  }

  estimate(models: readonly string[], aggregation: Aggregation): RatingEstimate {
    const { sum, measure } = this;
    const value = this.#value(aggregation);
    const ess = sum.ess(aggregation);
    const stdErr = Math.sqrt(this.#squares[aggregation] * sum.factor(aggregation));
    const [lower, upper] = ratingInterval(value, stdErr, ess, measure.most);
    return {
      ...this.#identity(models, aggregation),
      ...{ value, stdErr, lower, upper, users: sum.users, ess, events: sum.rows },
      ...(sum.clippingBias !== undefined && { clippingBias: sum.clippingBias }),
    };
  }

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
    const half = stdErr === 0 ? 0 : intervalFactor(ess) * stdErr;
    return {
      ...{ ...this.#identity(models, aggregation), reference: models[reference.model] },
      ...{ value, stdErr, lower: value - half, upper: value + half },
      ...{ users: Math.min(own.users, other.users), ess },
    };
  }

  #value(aggregation: Aggregation): number {
    const mean = this.sum.value(aggregation);
    return this.measure.isRoot ? Math.sqrt(mean) : mean;
  }

  #identity(models: readonly string[], aggregation: Aggregation) {
    const { metric, k } = this.measure;
    return { model: models[this.model], metric, k, estimator: this.sum.estimator, aggregation };
  }
}

/** A sum for each model, measure and estimator, in this order. */
export function measuredSums(
  measures: readonly RatingMeasure[],
  models: number,
  items: number,
  weights: RatingWeights,
  estimators: RatingOptions['estimators'],
): MeasuredSum[] {
  return Array.from({ length: models }, (_, m) => m).flatMap((m) => {
    const made: MeasuredSum[][] = [];
    measures.forEach((measure, j) => {
      const place = { number: m * measures.length + j, kind: m * ROW_KINDS + measure.rows };
      made.push(
        estimators.map((estimator, e) => {
          const twin = made[measure.sameAs]?.[e];
          const sum = twin?.sum ?? new RatingSum(estimator, place, items, weights);
          return new MeasuredSum(m, measure, sum, twin);
        }),
      );
    });
    return made.flat();
  });
}
