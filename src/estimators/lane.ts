import type { WindowPart } from '../state/window-part.js';
import type { EstimateOptions, Metric } from './estimate.js';
import { Hits } from './hits.js';
import { type Denominators, RatioMoments } from './moments.js';
import { type Family, type Selection, StratumSums } from './selection.js';
import { slotOf, type UserSumsObserver } from './user-sums.js';
import type { Coefficients, WeightingRule } from './weighting-rule.js';

/** One metric of a lane with what its gain has shown so far. */
export interface LaneMetric {
  readonly metric: Metric;
  readonly k: number | null;
  /** Gain by rank; null for auc. */
  readonly table: Float64Array | null;
  readonly hits: Hits;
  least: number;
  most: number;
  /** Moments per estimator, in the order asked for. */
  readonly user: RatioMoments[];
  readonly pooled: RatioMoments[];
  /** Σ λ ∂a/∂γ and Σ λ ∂b/∂γ per estimator; 0 where it does not depend on γ. */
  readonly userSlope: Float64Array;
  readonly pooledSlope: Float64Array;
}

/** Sums of one estimator's weights over a lane. */
export interface LaneWeights {
  users: number;
  pooledUsers: number;
  squaredWeights: number;
  largestWeight: number;
  /** Σ ∂b/∂γ. */
  pooledSlope: number;
}

/**
 * The rows that one model is evaluated on for one family of metrics: auc needs lists that rank all
 * their candidates, the other metrics lists that are ranked among the catalogue.
 */
export class Lane {
  readonly model: number;
  readonly family: Family;
  readonly metrics: readonly LaneMetric[];
  readonly weights: readonly LaneWeights[];
  /** Rows that were added. */
  events = 0;
  /** n_v and s_v of the whole window. */
  readonly strata: StratumSums;
  stratumMean = new Float64Array(0);
  stratumSlope = new Float64Array(0);
  /** Take part in each chunk, in this order. */
  readonly observers: UserSumsObserver[] = [];

  constructor(
    model: number,
    family: Family,
    gains: readonly Pick<LaneMetric, 'metric' | 'k' | 'table'>[],
    options: EstimateOptions,
  ) {
    this.model = model;
    this.family = family;
    this.metrics = gains.map((gain) => ({
      ...gain,
      hits: new Hits(),
      least: Number.POSITIVE_INFINITY,
      most: 0,
      user: options.estimators.map(() => new RatioMoments()),
      pooled: options.estimators.map(() => new RatioMoments()),
      userSlope: new Float64Array(options.estimators.length),
      pooledSlope: new Float64Array(options.estimators.length),
    }));
    this.weights = options.estimators.map(() => ({
      users: 0,
      pooledUsers: 0,
      squaredWeights: 0,
      largestWeight: 0,
      pooledSlope: 0,
    }));
    this.strata = new StratumSums(options.strata);
  }

  /** Once the whole window is counted: s_v / n_v and its slope. */
  settleStrata(): void {
    const { rows, weight, slope } = this.strata;
    this.stratumMean = weight.map((s, v) => (rows[v] === 0 ? 0 : s / rows[v]));
    this.stratumSlope = slope.map((s, v) => (rows[v] === 0 ? 0 : s / rows[v]));
  }

  /** Moments by slot. */
  moments(): RatioMoments[] {
    return this.metrics.flatMap(({ user, pooled }) =>
      user.flatMap((moments, e) => [moments, pooled[e]]),
    );
  }

  /** Coefficients made for one lane serve another with the same rows only if this holds too. */
  hasStrataOf(other: Lane): boolean {
    return this.stratumMean.every((mean, v) => mean === other.stratumMean[v]);
  }

  /** Adds a chunk: its rows, and each estimator's coefficients for them. */
  add(
    selection: Selection,
    part: WindowPart,
    rules: readonly WeightingRule[],
    coefficients: readonly Coefficients[],
    sums: Float64Array,
  ): void {
    const ranks = part.ranks[this.model];
    this.events += selection.rows;
    for (const metric of this.metrics) {
      const { hits } = metric;
      if (metric.table === null) hits.takeByShare(selection, ranks, part.lists[this.model]);
      else hits.takeByRank(selection, ranks, metric.table);
      if (hits.size < selection.rows) metric.least = 0;
      metric.least = Math.min(metric.least, hits.least);
      metric.most = Math.max(metric.most, hits.most);
    }
    coefficients.forEach((own, e) => {
      addWeights(this.weights[e], own);
      this.metrics.forEach((metric, m) => {
        const { hits } = metric;
        const slot = slotOf(m, e, 0, coefficients.length);
        sums.fill(0, 0, selection.users);
        metric.user[e].add(sums, hits.addTo(sums, own.user), own.userDenominator);
        this.#show(slot, sums, own.userDenominator, selection);
        sums.fill(0, 0, selection.users);
        metric.pooled[e].add(sums, hits.addTo(sums, own.pooled), own.pooledDenominator);
        this.#show(slot + 1, sums, own.pooledDenominator, selection);
        if (!rules[e].dependsOnGamma) return;
        metric.userSlope[e] += hits.total(own.userSlope);
        metric.pooledSlope[e] += hits.total(own.pooledSlope);
      });
      if (rules[e].dependsOnGamma) this.weights[e].pooledSlope += own.pooledSlopeTotal;
    });
  }

  #show(slot: number, sums: Float64Array, denominators: Denominators, selection: Selection): void {
    for (const observer of this.observers) observer.observe(slot, sums, denominators, selection);
  }
}

function addWeights(total: LaneWeights, own: Coefficients): void {
  total.users += own.userDenominator.weighted;
  total.pooledUsers += own.pooledDenominator.weighted;
  total.squaredWeights += own.squaredWeights;
  total.largestWeight = Math.max(total.largestWeight, own.largestWeight);
}
