import type { NumberCodec } from '../../state/binary/number-codec.js';
import type { Coefficients } from '../registry/coefficients.js';
import type { OwnSums, WeightingRule } from '../registry/weighting-rule.js';
import type { Hits } from '../rows/hits.js';
import { HitMoments } from '../uncertainty/hit-moments.js';
import { RatioMoments } from '../uncertainty/moments.js';

/**
 * What one estimator's coefficients come to over the rows of a lane. They are sums over users, so
 * that those of disjoint users merge to those of all, if one rule made the coefficients.
 */
export class EstimatorSums {
  /** By metric of the lane, in both forms. */
  readonly user: readonly RatioMoments[];
  readonly pooled: readonly RatioMoments[];
  /** Σ λ ∂a/∂γ and Σ λ ∂b/∂γ by metric, and Σ ∂b/∂γ; 0 where they do not depend on γ. */
  readonly userSlope: Float64Array;
  readonly pooledSlope: Float64Array;
  weightSlope = 0;
  /** Users with weight in each form. */
  users = 0;
  pooledUsers = 0;
  squaredWeights = 0;
  largestWeight = 0;
  /** A weighted mean of gains. */
  readonly isNormalized: boolean;
  /** Σ_u W_u and Σ_u W_u² where it is none. */
  weightSum = 0;
  squaredUserWeights = 0;
  readonly own: OwnSums | undefined;
  /** Where intervals are made of them. */
  readonly hits: HitMoments | null;

  constructor(rule: WeightingRule, metrics: number, keepsHits = false) {
    this.user = Array.from({ length: metrics }, () => new RatioMoments());
    this.pooled = Array.from({ length: metrics }, () => new RatioMoments());
    this.userSlope = new Float64Array(metrics);
    this.pooledSlope = new Float64Array(metrics);
    this.isNormalized = rule.denominator === undefined;
    this.own = rule.ownSums?.(metrics);
    this.hits = keepsHits ? new HitMoments(metrics) : null;
  }

  /** Takes the weights of a chunk. */
  addWeights(of: Coefficients): void {
    this.users += of.userDenominator.weighted;
    this.pooledUsers += of.pooledDenominator.weighted;
    this.squaredWeights += of.squaredWeights;
    this.largestWeight = Math.max(this.largestWeight, of.largestWeight);
    this.weightSum += of.weightSum;
    this.squaredUserWeights += of.squaredUserWeights;
    if (this.hits !== null) this.hits.squaredUserRows += of.squaredUserRows;
  }

  /** Takes the slopes of a metric's hits. */
  addSlopes(m: number, hits: Hits, coefficients: Coefficients): void {
    hits.addSlopes(coefficients);
    this.userSlope[m] += hits.userTotal;
    this.pooledSlope[m] += hits.pooledTotal;
  }

  /** Writes or reads the sums. */
  pass(through: NumberCodec): void {
    for (const moments of this.user) moments.pass(through);
    for (const moments of this.pooled) moments.pass(through);
    through.numbers(this.userSlope);
    through.numbers(this.pooledSlope);
    this.weightSlope = through.number(this.weightSlope);
    this.users = through.number(this.users);
    this.pooledUsers = through.number(this.pooledUsers);
    this.squaredWeights = through.number(this.squaredWeights);
    this.largestWeight = through.number(this.largestWeight);
    this.weightSum = through.number(this.weightSum);
    this.squaredUserWeights = through.number(this.squaredUserWeights);
    this.own?.pass(through);
    this.hits?.pass(through);
  }

  /** Takes the sums of other users. */
  merge(other: EstimatorSums): void {
    for (let m = 0; m < this.user.length; m++) {
      this.user[m].merge(other.user[m]);
      this.pooled[m].merge(other.pooled[m]);
      this.userSlope[m] += other.userSlope[m];
      this.pooledSlope[m] += other.pooledSlope[m];
    }
    this.weightSlope += other.weightSlope;
    this.users += other.users;
    this.pooledUsers += other.pooledUsers;
    this.squaredWeights += other.squaredWeights;
    this.largestWeight = Math.max(this.largestWeight, other.largestWeight);
    this.weightSum += other.weightSum;
    this.squaredUserWeights += other.squaredUserWeights;
    if (other.own !== undefined) this.own?.merge(other.own);
    if (other.hits !== null) this.hits?.merge(other.hits);
  }
}
