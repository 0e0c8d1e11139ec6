import { ABSOLUTE, LEADING, UNCORRECTED } from '../../estimators/names.js';
import { AGGREGATIONS, type Aggregation } from '../../estimators/rules/weighting-rule.js';
import { type Denominators, jackknifeFactor } from '../../estimators/uncertainty/moments.js';
import type { DeltaSums } from './delta-sums.js';
import type { RatingEstimatorName } from './rating-options.js';
import type { RatingCounts, RatingWeights } from './rating-weights.js';
import type { TakenRows } from './taken-rows.js';
import type { UserRun } from './user-runs.js';

/** ψ_u of every user, by aggregation. */
export type Influences = Readonly<Record<Aggregation, Float64Array>>;

/** Sums over the users of all partitions. */
export interface MergedSums {
  readonly excess: number;
  readonly byPlace: Float64Array;
  readonly apartByPlace: Float64Array;
  /** ΣN and Σ N / D. */
  readonly numerator: number;
  readonly means: number;
}

const NONE = new Float64Array(0);

/** What is known of the users beside their sums. */
export interface RatingUsers {
  /** Ratings that each chose to give. */
  readonly ratings: Float64Array;
  /** I for each who rated, 0 for others. */
  readonly catalogues: Denominators;
}

/**
 * The ratio R = Σ_u N_u / Σ_u D_u of one model, measure and estimator, and the mean of N_u / D_u.
 *
 * naive: N = Σδ, D = n. snips: N = Σwδ, D = Σw. ips: N = Σwδ, D = I for each user who rated.
 *
 * The error of R is made of one influence a user, ψ_u = (N_u − R D_u) / ΣD or (N_u / D_u − R) / U.
 * Propensities by the value c of the rating have w_c = U I (m_c + κ) / (n_c (m + κ C)), from m_c
 * random ratings of m, n_c chosen ones, U users who rated and C values. So by g_c = ∂R / ∂ ln w_c the
 * user's own ratings add
 *
 *   Σ_c g_c (m_uc / (m_c + κ) − n_uc / n_c + 1{n_u > 0} / U − m_u / (m + κ C))
 *
 * Source: the delete-one jackknife, linearised (moments.ts); the chain rule for w. The sums of users
 * are gone through twice, their rows only for what their ratings add.
 */
export class RatingSum {
  readonly estimator: RatingEstimatorName;
  /** Rows of users with D_u > 0. */
  readonly rows: number;
  readonly #taken: TakenRows;
  readonly #users: RatingUsers;
  readonly #weights: RatingWeights;
  readonly #numerators: Float64Array;
  readonly #denominators: Denominators;
  #merged: MergedSums = { excess: 0, byPlace: NONE, apartByPlace: NONE, numerator: 0, means: 0 };
  /** What a user adds who chose to rate. */
  readonly #rater: Record<Aggregation, number> = { pooled: 0, user: 0 };
  /** What a chosen rating adds by place, then a random one; empty if w is fixed. */
  readonly #added: Record<Aggregation, Float64Array>;

  /** @param sums of the measure and model, read until the influences are known. */
  constructor(
    estimator: RatingEstimatorName,
    sums: DeltaSums,
    taken: TakenRows,
    users: RatingUsers,
    weights: RatingWeights,
  ) {
    this.estimator = estimator;
    this.#taken = taken;
    this.#users = users;
    this.#weights = weights;
    this.#numerators = estimator === UNCORRECTED ? sums.plain : sums.weighted;
    const { counts, weights: ofWeights } = taken;
    this.#denominators =
      estimator === ABSOLUTE ? users.catalogues : estimator === LEADING ? ofWeights : counts;
    this.rows = estimator === LEADING ? taken.weighted : this.users > 0 ? counts.sum : 0;
    this.#added = { pooled: NONE, user: NONE };
  }

  /** Users with D_u > 0. */
  get users(): number {
    return this.#denominators.weighted;
  }

  /** ΣN and Σ N / D over the users of some runs. */
  sumsOf(runs: readonly UserRun[]): readonly [numerator: number, means: number] {
    let numerator = 0;
    let means = 0;
    for (const run of runs) {
      const [own, ownMeans] = this.#sumsOfRun(run);
      numerator += own;
      means += ownMeans;
    }
    return [numerator, means];
  }

  #sumsOfRun({ from, to, first }: UserRun): readonly [number, number] {
    const numerators = this.#numerators;
    const { values } = this.#denominators;
    let numerator = 0;
    let means = 0;
    for (let u = first + from; u < first + to; u++) {
      const denominator = values[u];
      if (!(denominator > 0)) continue;
      numerator += numerators[u];
      means += numerators[u] / denominator;
    }
    return [numerator, means];
  }

  /** When all users are in. @param smoothing κ. */
  settle(merged: MergedSums, { chosen, random, users }: RatingCounts, smoothing: number): void {
    this.#merged = merged;
    const { byPlace } = this.#weights;
    if (byPlace === undefined || this.estimator === UNCORRECTED) return;
    const total = random.reduce((sum, count) => sum + count + smoothing, 0);
    for (const aggregation of AGGREGATIONS) {
      const slope = this.#slope(aggregation, byPlace);
      const all = slope.reduce((sum, g) => sum + g, 0);
      this.#rater[aggregation] = all / users;
      const ofRandom = slope.map((g, c) => (g && g / (random[c] + smoothing)) - all / total);
      const ofChosen = slope.map((g, c) => g && -g / chosen[c]);
      this.#added[aggregation] = Float64Array.from([...ofChosen, ...ofRandom]);
    }
  }

  /** R; NaN without a user. */
  value(aggregation: Aggregation): number {
    const { sum, weighted } = this.#denominators;
    return aggregation === 'pooled' ? this.#merged.numerator / sum : this.#merged.means / weighted;
  }

  /** Of ips with a largest weight: clipped minus unclipped. */
  get clippingBias(): number | undefined {
    const isClipped = this.estimator === ABSOLUTE && this.#weights.most < Number.POSITIVE_INFINITY;
    return isClipped ? -this.#merged.excess / this.#denominators.sum : undefined;
  }

  /** Kish effective number of users. */
  ess(aggregation: Aggregation): number {
    const { sum, squares } = this.#denominators;
    return aggregation === 'pooled' ? sum ** 2 / squares : this.users;
  }

  /** What Σψ² is to be multiplied by. */
  factor(aggregation: Aggregation): number {
    return jackknifeFactor(this.users, this.ess(aggregation));
  }

  /** ψ_u of the run’s users; after `settle`, while the sums of the measure still stand. */
  influence(run: UserRun, { pooled, user }: Influences): void {
    const { from, to, first } = run;
    const numerators = this.#numerators;
    const { values, sum, weighted } = this.#denominators;
    const ratio = this.value('pooled');
    const mean = this.value('user');
    for (let u = first + from; u < first + to; u++) {
      const numerator = numerators[u];
      const denominator = values[u];
      const isIn = denominator > 0;
      pooled[u] = isIn ? (numerator - ratio * denominator) / sum : 0;
      user[u] = isIn ? (numerator / denominator - mean) / weighted : 0;
    }
    if (this.#added.pooled.length > 0) this.#addRatings(run, pooled, user);
  }

  #addRatings({ rows, from, to, first }: UserRun, pooled: Float64Array, user: Float64Array): void {
    const { start, isRandom } = rows.part;
    const { place } = rows;
    const { ratings } = this.#users;
    const ofPooled = this.#added.pooled;
    const ofUser = this.#added.user;
    const places = ofPooled.length / 2;
    const { pooled: raterPooled, user: raterUser } = this.#rater;
    for (let s = from; s < to; s++) {
      const isRater = ratings[first + s] > 0;
      let own = isRater ? raterPooled : 0;
      let ownUser = isRater ? raterUser : 0;
      for (let r = start[s]; r < start[s + 1]; r++) {
        const cell = place[r] + isRandom[r] * places;
        own += ofPooled[cell];
        ownUser += ofUser[cell];
      }
      pooled[first + s] += own;
      user[first + s] += ownUser;
    }
  }

  /** g by place of the rating. */
  #slope(aggregation: Aggregation, byPlace: NonNullable<RatingWeights['byPlace']>): Float64Array {
    const isRatio = this.estimator === LEADING;
    const { sum, weighted } = this.#denominators;
    const { byPlace: gained, apartByPlace: apart } = this.#merged;
    const ratio = this.value('pooled');
    return byPlace.weight.map((weight, c) => {
      if (byPlace.isFree[c] === 0) return 0;
      if (aggregation === 'user' && isRatio) return (weight * apart[c]) / weighted;
      const rows = isRatio ? ratio * this.#taken.byPlace[c] : 0;
      return (weight * (gained[c] - rows)) / sum;
    });
  }
}
