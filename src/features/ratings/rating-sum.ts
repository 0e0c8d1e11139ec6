import { ABSOLUTE, LEADING, UNCORRECTED } from '../../estimators/names.js';
import { AGGREGATIONS, type Aggregation } from '../../estimators/rules/weighting-rule.js';
import { type Denominators, jackknifeFactor } from '../../estimators/uncertainty/moments.js';
import type { DeltaSums } from './delta-sums.js';
import type { RatingEstimatorName } from './rating-options.js';
import type { RatingCounts, RatingWeights } from './rating-weights.js';
import type { TakenRows } from './taken-rows.js';
import type { UserRun } from './user-runs.js';
import type { WeighedRatings } from './weighed-ratings.js';

/**
 * Influence ψ_u of every user u on an estimate, by aggregation (over pairs, or mean over users).
 */
export type Influences = Readonly<Record<Aggregation, Float64Array>>;

/** Ratings of a window, with the quantities that all sums over them share. */
export interface SummedRatings {
  readonly ratings: WeighedRatings;
  readonly runs: readonly UserRun[];
  readonly counts: RatingCounts;
  readonly weights: RatingWeights;
  /** κ, count added to the randomised ratings of each value (additive smoothing). */
  readonly smoothing: number;
  /** Number of ratings that each user chose to give. */
  readonly chosen: Float64Array;
  /** Denominators of ips: number I of items for each user who rated, 0 for others. */
  readonly catalogues: Denominators;
}

const NONE = new Float64Array(0);

/**
 * An estimate of one model and measure by one estimator: the ratio R = Σ_u N_u / Σ_u D_u over users
 * u (pooled), and the mean of N_u / D_u (by user).
 *
 * naive: N = Σδ, D = n, the number of rated pairs. snips: N = Σwδ, D = Σw. ips: N = Σwδ, D = I for
 * each user who rated.
 *
 * The standard error of R comes from one influence per user, ψ_u = (N_u − R D_u) / ΣD or (N_u / D_u
 * − R) / U. Propensities by rating value c give w_c = U I (m_c + κ) / (n_c (m + κ C)), with m_c of
 * m random ratings, n_c chosen ratings, U users who rated and C values. With g_c = ∂R / ∂ ln w_c, a
 * user's own ratings add to ψ_u
 *
 *   Σ_c g_c (m_uc / (m_c + κ) − n_uc / n_c + 1{n_u > 0} / U − m_u / (m + κ C))
 *
 * Source: the delete-one jackknife, linearised (moments.ts); the chain rule for w. The computation
 * passes twice over users' sums, and over rows only for the terms of users' own ratings.
 */
export class RatingSum {
  readonly estimator: RatingEstimatorName;
  /** Number of rows of the users with a denominator D_u > 0. */
  readonly rows: number;
  /** For ips with a largest weight: value with clipped weights minus value without clipping. */
  readonly clippingBias: number | undefined;
  readonly #summed: SummedRatings;
  /** Numerator N_u of each user u. */
  readonly #numerators: Float64Array;
  /** Denominator D_u of each user u. */
  readonly #denominators: Denominators;
  /** The estimate by aggregation: R = ΣN / ΣD (pooled), and the mean of N_u / D_u (by user). */
  readonly #values: Record<Aggregation, number>;
  /** Term added to the influence of each user who chose to rate, since U counts these users. */
  readonly #rater: Record<Aggregation, number> = {
    pooled: 0,
    user: 0,
  };
  /**
   * Terms that each of a user's ratings adds to the user's influence: first the terms of chosen
   * ratings by rating value, then those of random ratings by rating value. Empty if w does not
   * depend on the ratings.
   */
  readonly #added: Record<Aggregation, Float64Array> = {
    pooled: NONE,
    user: NONE,
  };

  /**
   * Compute the estimate.
   *
   * @param deltas sums for the measure and model; they must not change until the influences are
   *   computed.
   */
  constructor(
    estimator: RatingEstimatorName,
    deltas: DeltaSums,
    taken: TakenRows,
    summed: SummedRatings,
  ) {
    const { counts, weights } = taken;
    this.estimator = estimator;
    this.#summed = summed;
    switch (estimator) {
      case UNCORRECTED:
        this.#numerators = deltas.plain;
        this.#denominators = counts;
        break;
      case LEADING:
        this.#numerators = deltas.weighted;
        this.#denominators = weights;
        break;
      case ABSOLUTE:
        this.#numerators = deltas.weighted;
        this.#denominators = summed.catalogues;
    }
    this.rows = estimator === LEADING ? taken.weighted : this.users > 0 ? counts.sum : 0;
    this.#values = this.#valuesOf(summed.runs);
    const isClipped = estimator === ABSOLUTE && summed.weights.most < Number.POSITIVE_INFINITY;
    this.clippingBias = isClipped ? -deltas.excess / this.#denominators.sum : undefined;
    if (estimator !== UNCORRECTED) {
      this.#followRatings(deltas, taken);
    }
  }

  /** Number of users with a denominator D_u > 0. */
  get users(): number {
    return this.#denominators.weighted;
  }

  /** Value of the estimate; NaN without users. */
  value(aggregation: Aggregation): number {
    return this.#values[aggregation];
  }

  /** Kish effective number of users. */
  ess(aggregation: Aggregation): number {
    const { sum, squares } = this.#denominators;
    return aggregation === 'pooled' ? sum ** 2 / squares : this.users;
  }

  /** Factor that turns Σψ² into the variance of the estimate. */
  factor(aggregation: Aggregation): number {
    return jackknifeFactor(this.users, this.ess(aggregation));
  }

  /** Write the influences ψ_u of a run of users into the columns. */
  influence(run: UserRun, { pooled, user }: Influences): void {
    const { from, to } = run;
    const numerators = this.#numerators;
    const { values, sum, weighted } = this.#denominators;
    const { pooled: ratio, user: mean } = this.#values;
    for (let u = from; u < to; u++) {
      const numerator = numerators[u];
      const denominator = values[u];
      const isIn = denominator > 0;
      pooled[u] = isIn ? (numerator - ratio * denominator) / sum : 0;
      user[u] = isIn ? (numerator / denominator - mean) / weighted : 0;
    }
    if (this.#added.pooled.length > 0) {
      this.#addRatings(run, pooled, user);
    }
  }

  #valuesOf(runs: readonly UserRun[]): Record<Aggregation, number> {
    const numerators = this.#numerators;
    const { values, sum, weighted } = this.#denominators;
    let total = 0;
    let means = 0;
    for (const { from, to } of runs) {
      let own = 0;
      let ownMeans = 0;
      for (let u = from; u < to; u++) {
        const denominator = values[u];
        if (!(denominator > 0)) continue;
        own += numerators[u];
        ownMeans += numerators[u] / denominator;
      }
      total += own;
      means += ownMeans;
    }
    return {
      pooled: total / sum,
      user: means / weighted,
    };
  }

  /**
   * Compute how users' own ratings affect the value through the weights w. Nothing is computed if w
   * is not estimated from the ratings.
   */
  #followRatings(deltas: DeltaSums, taken: TakenRows): void {
    const { weights, counts, smoothing } = this.#summed;
    const { byPlace } = weights;
    if (byPlace === undefined) return;
    const { chosen, random, users } = counts;
    const total = random.reduce((sum, count) => sum + count + smoothing, 0);
    for (const aggregation of AGGREGATIONS) {
      const slope = this.#slope(aggregation, byPlace, deltas, taken);
      const all = slope.reduce((sum, g) => sum + g, 0);
      this.#rater[aggregation] = all / users;
      const ofChosen = slope.map((g, c) => g && -g / chosen[c]);
      const ofRandom = slope.map((g, c) => (g && g / (random[c] + smoothing)) - all / total);
      this.#added[aggregation] = Float64Array.from([...ofChosen, ...ofRandom]);
    }
  }

  #addRatings({ from, to }: UserRun, pooled: Float64Array, user: Float64Array): void {
    const { ratings, chosen } = this.#summed;
    const { start, isRandom } = ratings.rated;
    const { place } = ratings;
    const ofPooled = this.#added.pooled;
    const ofUser = this.#added.user;
    const places = ofPooled.length / 2;
    const { pooled: raterPooled, user: raterUser } = this.#rater;
    for (let u = from; u < to; u++) {
      const isRater = chosen[u] > 0;
      let own = isRater ? raterPooled : 0;
      let ownUser = isRater ? raterUser : 0;
      for (let r = start[u]; r < start[u + 1]; r++) {
        const cell = place[r] + isRandom[r] * places;
        own += ofPooled[cell];
        ownUser += ofUser[cell];
      }
      pooled[u] += own;
      user[u] += ownUser;
    }
  }

  /** Derivative g_c = ∂R / ∂ ln w_c of the estimate R by the weight w_c of each rating value c. */
  #slope(
    aggregation: Aggregation,
    { weight, isFree }: NonNullable<RatingWeights['byPlace']>,
    deltas: DeltaSums,
    taken: TakenRows,
  ): Float64Array {
    const isRatio = this.estimator === LEADING;
    const { sum, weighted } = this.#denominators;
    const { pooled: ratio } = this.#values;
    return weight.map((w, c) => {
      if (isFree[c] === 0) return 0;
      if (aggregation === 'user' && isRatio) return (w * deltas.apartByPlace[c]) / weighted;
      const rows = isRatio ? ratio * taken.byPlace[c] : 0;
      return (w * (deltas.byPlace[c] - rows)) / sum;
    });
  }
}
