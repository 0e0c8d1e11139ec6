import type { Selection } from '../lanes/selection.js';
import { Denominators } from '../uncertainty/moments.js';

/**
 * Properties of a `WeightingRule` that say which sums the rule sets itself: the denominator of the
 * pooled form, and Σ a_i².
 */
interface OwnShare {
  readonly denominator?: number;
  readonly squaresUserRows?: boolean;
}

/**
 * Coefficients a_i and b_i that a rule assigns to the gains of the rows of a few users, in the user
 * form and in the pooled form of an estimate, with their sums. See `WeightingRule`.
 */
export class Coefficients {
  /** Coefficient a_i of each row in the user form; set only for rows with `selection.gainful`. */
  user: Float64Array;
  /** Denominator D_u of each user in the user form; 0 leaves the user out. */
  userDenominator: Denominators;
  /** Coefficient b_i of each row in the pooled form. */
  pooled: Float64Array;
  /** Denominator D_u of each user in the pooled form: Σ b_i, or a constant of the rule. */
  pooledDenominator: Denominators;
  /**
   * ∂a_i/∂γ and ∂b_i/∂γ, if the rule depends on γ, for the same rows as a_i; D_u of the user form
   * never depends on γ.
   */
  userSlope: Float64Array;
  pooledSlope: Float64Array;
  /** Σ ∂b_i/∂γ. */
  pooledSlopeTotal = 0;
  /** Σ b_i² of each user. */
  pooledSquares: Float64Array;
  /** Σ b_i² (`squaredWeights`) and largest b_i (`largestWeight`) over all rows. */
  squaredWeights = 0;
  largestWeight = 0;
  /**
   * Σ_u W_u (`weightSum`) and Σ_u W_u² (`squaredUserWeights`), W_u = Σ b_i over the rows of user u;
   * only for a rule that is not self-normalised.
   */
  weightSum = 0;
  squaredUserWeights = 0;
  /** Σ a_i² over all rows. */
  squaredUserRows = 0;
  /**
   * Σ b_i (1 − b_i). If b is an inclusion probability, it is the variance of the number of rows
   * drawn.
   */
  drawVariance = 0;

  constructor(capacity: number) {
    this.user = new Float64Array(capacity);
    this.userDenominator = new Denominators(capacity);
    this.pooled = new Float64Array(capacity);
    this.pooledDenominator = new Denominators(capacity);
    this.pooledSquares = new Float64Array(capacity);
    this.userSlope = new Float64Array(capacity);
    this.pooledSlope = new Float64Array(capacity);
  }

  reserve(capacity: number): void {
    if (capacity <= this.user.length) return;
    this.user = new Float64Array(capacity);
    this.userDenominator = new Denominators(capacity);
    this.pooled = new Float64Array(capacity);
    this.pooledDenominator = new Denominators(capacity);
    this.pooledSquares = new Float64Array(capacity);
    this.userSlope = new Float64Array(capacity);
    this.pooledSlope = new Float64Array(capacity);
  }

  /** Compute the sums from the coefficients, except those that the rule sets itself. */
  settle({ users, start }: Selection, { denominator, squaresUserRows = false }: OwnShare): void {
    const { pooled, pooledSquares, userDenominator } = this;
    let variance = 0;
    let squares = 0;
    let largest = 0;
    let userRows = 0;
    for (let u = 0; u < users; u++) {
      let total = 0;
      let own = 0;
      for (let i = start[u]; i < start[u + 1]; i++) {
        const weight = pooled[i];
        total += weight;
        own += weight * weight;
        squares += weight * weight;
        variance += weight * (1 - weight);
        if (weight > largest) {
          largest = weight;
        }
      }
      this.pooledDenominator.values[u] = total;
      pooledSquares[u] = own;
      if (total > 0) {
        userRows += own * (userDenominator.values[u] / total) ** 2;
      }
    }
    if (!squaresUserRows) {
      this.squaredUserRows = userRows;
    }
    this.userDenominator.settle(users);
    this.pooledDenominator.settle(users);
    if (denominator !== undefined) {
      this.replaceDenominator(users, denominator);
    }
    this.drawVariance = variance;
    this.squaredWeights = squares;
    this.largestWeight = largest;
  }

  private replaceDenominator(users: number, denominator: number): void {
    this.weightSum = this.pooledDenominator.sum;
    this.squaredUserWeights = this.pooledDenominator.squares;
    this.pooledDenominator.values.fill(denominator, 0, users);
    this.pooledDenominator.settle(users);
  }
}
