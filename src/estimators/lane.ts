import type { WindowPart } from '../state/window-part.js';
import type { EstimateOptions, Metric } from './estimate.js';
import { Hits } from './hits.js';
import { RatioMoments } from './moments.js';
import type { Family, Selection } from './selection.js';
import type { Coefficients } from './weighting-rule.js';

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
}

/** Sums of one estimator's weights over a lane. */
export interface LaneWeights {
  users: number;
  pooledUsers: number;
  squaredWeights: number;
  largestWeight: number;
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
  readonly stratumRows: Float64Array;
  readonly stratumWeight: Float64Array;
  stratumMean = new Float64Array(0);

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
    }));
    this.weights = options.estimators.map(() => ({
      users: 0,
      pooledUsers: 0,
      squaredWeights: 0,
      largestWeight: 0,
    }));
    this.stratumRows = new Float64Array(options.strata);
    this.stratumWeight = new Float64Array(options.strata);
  }

  /** Once the whole window is counted: s_v / n_v. */
  settleStrata(): void {
    this.stratumMean = this.stratumWeight.map((s, v) => {
      return this.stratumRows[v] === 0 ? 0 : s / this.stratumRows[v];
    });
  }

  /** Coefficients made for one lane serve another with the same rows only if this holds too. */
  hasStrataOf(other: Lane): boolean {
    return this.stratumMean.every((mean, v) => mean === other.stratumMean[v]);
  }

  /** Adds a chunk: its rows, and each estimator's coefficients for them. */
  add(
    selection: Selection,
    part: WindowPart,
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
      for (const { hits, user, pooled } of this.metrics) {
        sums.fill(0, 0, selection.users);
        user[e].add(sums, hits.addTo(sums, own.user), own.userDenominator);
        sums.fill(0, 0, selection.users);
        pooled[e].add(sums, hits.addTo(sums, own.pooled), own.pooledDenominator);
      }
    });
  }
}

function addWeights(total: LaneWeights, own: Coefficients): void {
  total.users += own.userDenominator.weighted;
  total.pooledUsers += own.pooledDenominator.weighted;
  total.squaredWeights += own.squaredWeights;
  total.largestWeight = Math.max(total.largestWeight, own.largestWeight);
}
