import { beyondRounding, isAbove } from '../mathematics/edges.js';

/** Denominators D_u of the users of a chunk, with their sums, computed once for all metrics. */
export class Denominators {
  values: Float64Array;
  /** Number of `values` in use. */
  users = 0;
  /** Users with D_u > 0. */
  weighted = 0;
  sum = 0;
  squares = 0;

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
  }

  /** Compute the sums over the first `users` values, which must be set before. */
  settle(users: number): void {
    let weighted = 0;
    let sum = 0;
    let squares = 0;
    for (let u = 0; u < users; u++) {
      const weight = this.values[u];
      if (weight > 0) {
        weighted++;
      }
      sum += weight;
      squares += weight * weight;
    }
    this.users = users;
    this.weighted = weighted;
    this.sum = sum;
    this.squares = squares;
  }
}

/**
 * Sums over users of a ratio estimator R = Σ N_u / Σ D_u, centred so that no precision is lost as
 * users are added.
 *
 * Beside ΣN, ΣD and ΣD² it keeps Q = Σ (N_u − R D_u)² and C = Σ (N_u − R D_u) D_u about the ratio R
 * of the users so far. Moving to another ratio R′ = R + δ is exact:
 * Q′ = Q − 2 δ C + δ² ΣD², C′ = C − δ ΣD². A constant gain leaves Q at rounding level, where ΣN² −
 * 2 R ΣND + R² ΣD² would lose half of the precision.
 * Source: the pairwise update of Chan, Golub & LeVeque 1983, carried over from means to ratios.
 *
 * @example
 * const ones = new Denominators(2);
 * ones.values.fill(1);
 * ones.settle(2);
 * const moments = new RatioMoments();
 * moments.add(Float64Array.of(1, 0), 1, ones, Int32Array.of(0));
 * moments.ratio; // 0.5
 * moments.stdErr(2); // 0.5
 */
export class RatioMoments {
  numerator = 0;
  denominator = 0;
  squaredDenominator = 0;
  private residual = 0;
  private cross = 0;

  /** Ratio R; NaN without users of weight. */
  get ratio(): number {
    return this.numerator / this.denominator;
  }

  /**
   * Add users. A user without a hit has N_u = 0 and adds only R D_u, so a sum over these users
   * follows from ΣD². O(users with a hit).
   *
   * @param numerators N_u. @param total Σ N_u. @param denominators D_u ≥ 0 of the same users.
   * @param withHits users whose N_u may differ from 0, each once.
   */
  add(
    numerators: Float64Array,
    total: number,
    denominators: Denominators,
    withHits: Int32Array,
  ): void {
    const { values, sum, squares } = denominators;
    if (!(sum > 0)) return;
    const ratio = total / sum;
    let q = 0;
    let c = 0;
    let own = 0;
    for (let h = 0; h < withHits.length; h++) {
      const u = withHits[h];
      const weight = values[u];
      const error = numerators[u] - ratio * weight;
      q += error * error;
      c += error * weight;
      own += weight * weight;
    }
    const others = ratio * Math.max(0, squares - own);
    this.addSums(total, sum, squares, q + ratio * others, c - others);
  }

  private addSums(n: number, d: number, dd: number, q: number, c: number): void {
    if (this.denominator === 0) {
      this.numerator = n;
      this.denominator = d;
      this.squaredDenominator = dd;
      this.residual = q;
      this.cross = c;
      return;
    }
    const before = this.ratio;
    this.numerator += n;
    this.denominator += d;
    const own = this.ratio - before;
    const other = this.ratio - n / d;
    const ownDd = this.squaredDenominator;
    this.residual +=
      q - 2 * (own * this.cross + other * c) + own * own * ownDd + other * other * dd;
    this.cross += c - own * ownDd - other * dd;
    this.squaredDenominator += dd;
  }

  /** Σ N_u². */
  get squaredNumerator(): number {
    return this.squaresAbout(-this.ratio);
  }

  /** Σ (D_u − N_u)²: squared misses per user, for weighted means of gains in [0, 1]. */
  get squaredComplement(): number {
    return this.squaresAbout(1 - this.ratio);
  }

  /** Σ (N_u − R D_u − x D_u)². */
  private squaresAbout(x: number): number {
    return Math.max(0, this.residual - 2 * x * this.cross + x * x * this.squaredDenominator);
  }

  /** Spread between users: Σ (N_u − R D_u)² / (ΣD)²; 0 if it is rounding error only. */
  get spread(): number {
    const { ratio, squaredDenominator, residual, denominator } = this;
    return beyondRounding(residual, ratio * ratio * squaredDenominator) / denominator ** 2;
  }

  /**
   * Standard error of R, clustered by user.
   *
   * √((U − 1) / U · Σ (N_u − R D_u)²) / (ΣD (1 − 1/E)), E the Kish effective sample size of the
   * D_u; with D_u = 1 this is s / √U.
   * Source: the delete-one-user jackknife, whose Σ ((N_u − R D_u) / (ΣD − D_u))² needs ΣD before
   * the first user; here each D_u is replaced by its weighted mean ΣD / E. At E = 27 it is within 1
   * % of the jackknife, while the linearised error is 2.5 % too small.
   *
   * @param users U with D_u > 0.
   * @returns NaN below two users, or if one has all the weight: the spread is unknown.
   */
  stdErr(users: number): number {
    const ess = this.denominator ** 2 / this.squaredDenominator;
    return Math.sqrt(this.spread * jackknifeFactor(users, ess));
  }
}

/**
 * Jackknife factor (U − 1) / U / (1 − 1/E)², by which Σ (N_u − R D_u)² / (ΣD)² is multiplied for
 * the variance of R. NaN below two users, or if one user has all the weight (E = 1).
 *
 * @param users U. @param ess E, the Kish effective number of users.
 */
export function jackknifeFactor(users: number, ess: number): number {
  // Rounding leaves an E of 1 a little above or below it.
  if (users < 2 || !isAbove(ess, 1)) return Number.NaN;
  return ((users - 1) / users) * (ess / (ess - 1)) ** 2;
}
