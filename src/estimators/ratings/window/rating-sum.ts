import { AGGREGATIONS, type Aggregation } from '../../aggregations.js';
import { ABSOLUTE, LEADING, UNCORRECTED } from '../../names.js';
import { jackknifeFactor } from '../../uncertainty/moments.js';
import type { RatingEstimatorName } from './rating-options.js';
import type { RatingCounts, RatingWeights } from './rating-weights.js';
import type { UserRatings } from './user-ratings.js';

/** Where a sum finds a user's numerator, rows and weights; see `UserRatings`. */
export interface RatingPlace {
  /** Of model and measure. */
  readonly number: number;
  /** Of model and kind of row. */
  readonly kind: number;
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
 * Source: the delete-one jackknife, linearised (moments.ts); the chain rule for w. Two passes.
 */
export class RatingSum {
  readonly estimator: RatingEstimatorName;
  /** Users with D_u > 0, ΣD_u, ΣD_u², and rows. */
  users = 0;
  denominator = 0;
  squares = 0;
  rows = 0;
  #excess = 0;
  #numerator = 0;
  #means = 0;
  readonly #place: RatingPlace;
  readonly #items: number;
  readonly #weights: RatingWeights;
  /** By place of the rating: g of the ratio and of the mean over users; empty if w is fixed. */
  readonly #slope: Readonly<Record<Aggregation, Float64Array>>;
  /** By place: Σw of the rows; nothing if the denominator is not made of them. */
  readonly #weightOf: Float64Array;
  /** By place: what a random and a chosen rating add to ψ. */
  readonly #random: Record<Aggregation, Float64Array>;
  readonly #chosen: Record<Aggregation, Float64Array>;
  /** What a user adds who chose to rate. */
  readonly #rater: Record<Aggregation, number> = { pooled: 0, user: 0 };

  /** @param items I, of the catalogue. */
  constructor(
    estimator: RatingEstimatorName,
    place: RatingPlace,
    items: number,
    weights: RatingWeights,
  ) {
    this.estimator = estimator;
    this.#place = place;
    this.#items = items;
    this.#weights = weights;
    const places = estimator === UNCORRECTED ? 0 : (weights.byPlace?.weight.length ?? 0);
    const column = () => ({ pooled: new Float64Array(places), user: new Float64Array(places) });
    this.#slope = column();
    this.#weightOf = new Float64Array(places);
    this.#random = column();
    this.#chosen = column();
  }

  /** R and the mean of N / D, from the first pass. */
  #settled: Record<Aggregation, number> = { pooled: Number.NaN, user: Number.NaN };

  /** First pass. */
  add(user: UserRatings): void {
    const [numerator, denominator] = [this.#numeratorOf(user), this.#denominatorOf(user)];
    if (!(denominator > 0)) return;
    this.users++;
    this.#numerator += numerator;
    this.denominator += denominator;
    this.squares += denominator * denominator;
    this.#excess += user.excess[this.#place.number];
    this.#means += numerator / denominator;
    this.rows += user.rows[this.#place.kind];
    this.#addSlopes(user, numerator / denominator, denominator);
  }

  /** Between the passes. @param smoothing κ. */
  settle({ chosen, random, users }: RatingCounts, smoothing: number): void {
    const total = random.reduce((sum, count) => sum + count + smoothing, 0);
    const ratio = this.value('pooled');
    this.#settled = { pooled: ratio, user: this.value('user') };
    this.#weightOf.forEach((weight, c) => {
      this.#slope.pooled[c] -= ratio * weight;
    });
    for (const aggregation of AGGREGATIONS) {
      const scale = aggregation === 'pooled' ? this.denominator : this.users;
      const slope = this.#slope[aggregation].map((g) => g / scale);
      const all = slope.reduce((sum, g) => sum + g, 0);
      this.#rater[aggregation] = slope.length > 0 ? all / users : 0;
      this.#random[aggregation] = slope.map(
        (g, c) => (g && g / (random[c] + smoothing)) - all / total,
      );
      this.#chosen[aggregation] = slope.map((g, c) => g && g / chosen[c]);
    }
  }

  /** R; NaN without a user. */
  value(aggregation: Aggregation): number {
    return aggregation === 'pooled' ? this.#numerator / this.denominator : this.#means / this.users;
  }

  /** Of ips with a largest weight: clipped minus unclipped. */
  get clippingBias(): number | undefined {
    const isClipped = this.estimator === ABSOLUTE && this.#weights.most < Number.POSITIVE_INFINITY;
    return isClipped ? -this.#excess / this.denominator : undefined;
  }

  /** Kish effective number of users. */
  ess(aggregation: Aggregation): number {
    return aggregation === 'pooled' ? this.denominator ** 2 / this.squares : this.users;
  }

  /** What Σψ² is to be multiplied by. */
  factor(aggregation: Aggregation): number {
    return jackknifeFactor(this.users, this.ess(aggregation));
  }

  /** ψ_u; second pass. */
  influence(user: UserRatings, aggregation: Aggregation): number {
    const denominator = this.#denominatorOf(user);
    const isPooled = aggregation === 'pooled';
    let own = 0;
    if (denominator > 0) {
      const numerator = this.#numeratorOf(user);
      own = isPooled
        ? (numerator - this.#settled.pooled * denominator) / this.denominator
        : (numerator / denominator - this.#settled.user) / this.users;
    }
    const random = isPooled ? this.#random.pooled : this.#random.user;
    if (random.length === 0) return own;
    const chosen = isPooled ? this.#chosen.pooled : this.#chosen.user;
    if (user.ratings > 0) own += isPooled ? this.#rater.pooled : this.#rater.user;
    for (let c = 0; c < random.length; c++) {
      own += user.random[c] * random[c] - user.chosen[c] * chosen[c];
    }
    return own;
  }

  #numeratorOf(user: UserRatings): number {
    return (this.estimator === UNCORRECTED ? user.plain : user.weighted)[this.#place.number];
  }

  #denominatorOf(user: UserRatings): number {
    if (this.estimator === ABSOLUTE) return user.ratings > 0 ? this.#items : 0;
    return (this.estimator === UNCORRECTED ? user.rows : user.weights)[this.#place.kind];
  }

  /** Σ_u w_c N_uc of the ratio, whose R is not known yet, and Σ_u w_c (N_uc − R_u D_uc) / D_u. */
  #addSlopes(user: UserRatings, mean: number, denominator: number): void {
    const { byPlace } = this.#weights;
    const { pooled, user: ofUsers } = this.#slope;
    const places = pooled.length;
    for (let c = 0; c < places; c++) {
      if (byPlace!.isFree[c] === 0) continue;
      const gained = byPlace!.weight[c] * user.plainByPlace[this.#place.number * places + c];
      const rows = byPlace!.weight[c] * user.rowsByPlace[this.#place.kind * places + c];
      const isRatio = this.estimator === LEADING;
      pooled[c] += gained;
      this.#weightOf[c] += isRatio ? rows : 0;
      ofUsers[c] += (gained - (isRatio ? mean * rows : 0)) / denominator;
    }
  }
}
