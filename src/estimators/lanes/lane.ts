import { UNRANKED, type WindowPart } from '../../state/panes/window-part.js';
import type { Metric } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { type Coefficients, measuresSets, type WeightingRule } from '../registry/weighting-rule.js';
import { CHUNK_ROWS } from '../rows/chunks.js';
import type { ExpectedSet } from '../rows/expected-set.js';
import { Hits, RankedRows } from '../rows/hits.js';
import { type Family, type Selection, StratumSums } from '../rows/selection.js';
import { Denominators, RatioMoments } from '../uncertainty/moments.js';
import { slotOf, type UserSumsObserver } from './user-sums.js';

/** One metric of a lane with what its gain has shown so far. */
export interface LaneMetric {
  readonly metric: Metric;
  readonly k: number | null;
  /** Gain by rank; null for auc. */
  readonly table: Float64Array | null;
  /** What measures a user's whole set; null for a mean of gains. Its `table` holds places. */
  readonly set: ExpectedSet | null;
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

/** What a lane makes of a chunk on the way; all lanes share it. */
export class LaneScratch {
  readonly ranked = new RankedRows();
  /** Numerators of the chunk's users in both forms. */
  user = new Float64Array(CHUNK_ROWS);
  pooled = new Float64Array(CHUNK_ROWS);

  readonly #nobody = new Denominators(CHUNK_ROWS);

  /** Denominators of 0. */
  nobody(users: number): Denominators {
    if (users > this.#nobody.values.length) this.#nobody.values = new Float64Array(users);
    this.#nobody.settle(users);
    return this.#nobody;
  }

  reserve(users: number): void {
    if (users <= this.user.length) return;
    this.user = new Float64Array(users);
    this.pooled = new Float64Array(users);
  }

  clear(users: number): void {
    this.user.fill(0, 0, users);
    this.pooled.fill(0, 0, users);
  }
}

/** Sums of one estimator's weights over a lane. */
export interface LaneWeights {
  users: number;
  pooledUsers: number;
  squaredWeights: number;
  largestWeight: number;
  /** Σ ∂b/∂γ. */
  pooledSlope: number;
  /** A weighted mean of gains; ips is none. */
  readonly isNormalized: boolean;
  /** Σ_u W_u and Σ_u W_u² where it is none. */
  weightSum: number;
  squaredUserWeights: number;
}

/**
 * The rows that one model is evaluated on for one family of metrics: auc needs lists that rank all
 * their candidates, the other metrics lists that are ranked among the catalogue.
 */
export class Lane {
  readonly model: number;
  readonly family: Family;
  readonly metrics: readonly LaneMetric[];
  /** Ranks at or above it gain nothing. */
  readonly rankLimit: number;
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
    gains: readonly Pick<LaneMetric, 'metric' | 'k' | 'table' | 'set'>[],
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
    const limits = gains.map(({ table }) => table?.length ?? UNRANKED);
    this.rankLimit = Math.max(...limits);
    this.weights = options.estimators.map((name) => ({
      users: 0,
      pooledUsers: 0,
      squaredWeights: 0,
      largestWeight: 0,
      pooledSlope: 0,
      isNormalized: name !== 'ips',
      weightSum: 0,
      squaredUserWeights: 0,
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
    scratch: LaneScratch,
  ): void {
    this.events += selection.rows;
    const { ranked } = scratch;
    ranked.take(selection, part.ranks[this.model], this.rankLimit);
    for (const metric of this.metrics) {
      const { hits } = metric;
      if (metric.table === null) hits.takeByShare(ranked, selection, part.lists[this.model]);
      else hits.takeByRank(ranked, metric.table);
      const { least, most } = metric.set === null ? hits : UNIT;
      if (hits.size < selection.rows) metric.least = 0;
      metric.least = Math.min(metric.least, least);
      metric.most = Math.max(metric.most, most);
    }
    scratch.reserve(selection.users);
    for (let e = 0; e < coefficients.length; e++) {
      const own = coefficients[e];
      addWeights(this.weights[e], own);
      for (let m = 0; m < this.metrics.length; m++) {
        const { hits, user, pooled, userSlope, pooledSlope } = this.metrics[m];
        const slot = slotOf(m, e, 0, coefficients.length);
        scratch.clear(selection.users);
        if (this.metrics[m].set !== null) {
          this.addSets(m, e, selection, rules[e], own, scratch);
          continue;
        }
        hits.addTo(scratch.user, scratch.pooled, own);
        user[e].add(scratch.user, hits.userTotal, own.userDenominator);
        pooled[e].add(scratch.pooled, hits.pooledTotal, own.pooledDenominator);
        for (const observer of this.observers) {
          observer.observe(slot, scratch.user, own.userDenominator, selection);
          observer.observe(slot + 1, scratch.pooled, own.pooledDenominator, selection);
        }
        if (!rules[e].dependsOnGamma) continue;
        hits.addSlopes(own);
        userSlope[e] += hits.userTotal;
        pooledSlope[e] += hits.pooledTotal;
      }
      if (rules[e].dependsOnGamma) this.weights[e].pooledSlope += own.pooledSlopeTotal;
    }
  }

  /** A set metric under one estimator; it has a form by user alone, where it has one. */
  private addSets(
    m: number,
    e: number,
    selection: Selection,
    rule: WeightingRule,
    own: Coefficients,
    scratch: LaneScratch,
  ): void {
    const { hits, user, set } = this.metrics[m];
    const nobody = scratch.nobody(selection.users);
    let present = nobody;
    if (measuresSets(rule)) {
      present = own.userDenominator;
      const chances = rule.draws === true ? own.pooled : null;
      const total = set!.addTo(scratch.user, selection, hits, chances, present.values);
      user[e].add(scratch.user, total, present);
    }
    const slot = slotOf(m, e, 0, this.weights.length);
    for (const observer of this.observers) {
      observer.observe(slot, scratch.user, present, selection);
      observer.observe(slot + 1, scratch.pooled, nobody, selection);
    }
  }
}

/** Values of a set lie between them, whatever they are. */
const UNIT = { least: 0, most: 1 };

function addWeights(total: LaneWeights, own: Coefficients): void {
  total.users += own.userDenominator.weighted;
  total.pooledUsers += own.pooledDenominator.weighted;
  total.squaredWeights += own.squaredWeights;
  total.largestWeight = Math.max(total.largestWeight, own.largestWeight);
  total.weightSum += own.weightSum;
  total.squaredUserWeights += own.squaredUserWeights;
}
