import type { NumberCodec } from '../../state/binary/number-codec.js';
import type { Hits } from '../lanes/hits.js';
import type { Denominators } from './moments.js';

/**
 * Sums of one estimator over the rows of a lane that its intervals take beside the moments: Σ c λ² of
 * each metric and form, c the coefficients, and Σ a² of the user form's. They merge by addition.
 *
 * A measure of whole sets has one value a user, so that a user is one row there: Σ N_u² / D_u.
 *
 * @example
 * new HitMoments(1).squaredGains(0, 1); // 0
 */
export class HitMoments {
  /** By metric, then by form. */
  readonly #squaredGains: Float64Array;
  /** Σ a_i². */
  squaredUserRows = 0;

  constructor(metrics: number) {
    this.#squaredGains = new Float64Array(2 * metrics);
  }

  /** Takes a chunk's hits of the m-th metric, right after `hits.addWithSquares`. */
  addHits(m: number, { userSquares, pooledSquares }: Hits): void {
    this.#squaredGains[2 * m] += userSquares;
    this.#squaredGains[2 * m + 1] += pooledSquares;
  }

  /** Takes the users' values of the m-th metric, which measures whole sets. */
  addSets(m: number, numerators: Float64Array, { values, users }: Denominators): void {
    let squares = 0;
    for (let u = 0; u < users; u++) {
      if (values[u] > 0) squares += (numerators[u] * numerators[u]) / values[u];
    }
    this.#squaredGains[2 * m] += squares;
  }

  /** Takes the sums of other users. */
  merge(other: HitMoments): void {
    this.squaredUserRows += other.squaredUserRows;
    for (let at = 0; at < this.#squaredGains.length; at++) {
      this.#squaredGains[at] += other.#squaredGains[at];
    }
  }

  /** Writes or reads the sums. */
  pass(through: NumberCodec): void {
    this.squaredUserRows = through.number(this.squaredUserRows);
    through.numbers(this.#squaredGains);
  }

  /** Σ c λ² of the m-th metric in one form: 0 by user, 1 pooled. */
  squaredGains(m: number, form: 0 | 1): number {
    return this.#squaredGains[2 * m + form];
  }
}
