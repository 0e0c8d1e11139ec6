import { upperGamma } from '../mathematics/distributions.js';

/** Number of time slices of equal length that a window is divided into. */
export const STRETCHES = 128;
/**
 * Result of the test whether assignments in the same time slice are alike. A small `p` means that
 * arms alternated over time.
 */
export interface TurnTest {
  readonly p: number;
  /**
   * `share`: share of the pairs of assignments in one time slice that have the same arm;
   * `expected`: the share expected under randomisation.
   */
  readonly share: number;
  readonly expected: number;
}

/**
 * Test whether arms alternated over time, as in a switchback. All assignments of an hour are then
 * dependent, and errors clustered by user are too small.
 *
 *   T = Σ_b ((Σ d)² − Σ d²),   V = 2 Σ_b ((Σ v)² − Σ v²),   z = T / √V
 *
 * over time slices b, with d the assigned arm's index minus its expectation, and v its variance.
 * The products of pairs within a slice average 0 if assignments are independent. As T is a sum of
 * squares, the p-value is that of ν + z√(2ν) under χ² with ν = (Σ_b (Σ v)²)² / Σ_b (Σ v)⁴ degrees
 * of freedom.
 *
 * @example
 * new TurnSums().test().p; // 1
 */
export class TurnSums {
  /** Σ d and Σ v by time slice. */
  readonly #d = new Float64Array(STRETCHES);
  readonly #v = new Float64Array(STRETCHES);
  #dd = 0;
  #vv = 0;
  /**
   * Σ over assignments of Σ_a s_a², the probability that another assignment would give the same
   * arm.
   */
  #same = 0;
  #draws = 0;

  /** Add an assignment. @param stretch time slice. @param shareOf the probability of each arm. */
  add(stretch: number, arm: number, arms: number, shareOf: (arm: number) => number): void {
    let mean = 0;
    let square = 0;
    let same = 0;
    for (let a = 0; a < arms; a++) {
      const share = shareOf(a);
      mean += share * a;
      square += share * a * a;
      same += share * share;
    }
    const d = arm - mean;
    const v = square - mean * mean;
    this.#d[stretch] += d;
    this.#v[stretch] += v;
    this.#dd += d * d;
    this.#vv += v * v;
    this.#same += same;
    this.#draws++;
  }

  test(): TurnTest {
    let alike = -this.#dd;
    let all = -this.#vv;
    let fourths = 0;
    let weights = 0;
    let total = 0;
    for (let b = 0; b < STRETCHES; b++) {
      const d = this.#d[b];
      const v = this.#v[b];
      alike += d * d;
      all += v * v;
      weights += v * v;
      fourths += v ** 4;
      total += v;
    }
    const expected = this.#same / this.#draws;
    if (!(all > ROUNDING * weights)) {
      return {
        p: 1,
        share: expected,
        expected,
      };
    }
    const freedom = weights ** 2 / fourths;
    const score = alike / Math.sqrt(2 * all);
    const p = upperGamma(freedom / 2, Math.max(0, freedom + score * Math.sqrt(2 * freedom)) / 2);
    const correlation = (alike * this.#vv) / total / all;
    return {
      p,
      share: expected + (1 - expected) * Math.min(1, correlation),
      expected,
    };
  }
}

/**
 * If Σ_b ((Σ v)² − Σ v²) is at most this share of Σ_b (Σ v)², it is rounding error (see
 * `TurnSums`).
 */
const ROUNDING = 1e-12;
