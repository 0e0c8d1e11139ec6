import { upperGamma } from '../mathematics/distributions.js';

/** Stretches of equal length that a window is divided into. */
export const STRETCHES = 128;
/** Whether draws of the same time are alike, and how many: where `p` is small, arms took turns. */
export interface TurnTest {
  readonly p: number;
  /** Share of the pairs of draws of one stretch with the same arm, and what chance alone would make it. */
  readonly share: number;
  readonly expected: number;
}

/**
 * Reads off the log whether arms took turns over time, as in a switchback: then all draws of an hour
 * are one, and the errors of users are not those of the experiment.
 *
 *   T = Σ_b ((Σ d)² − Σ d²),   V = 2 Σ_b ((Σ v)² − Σ v²),   z = T / √V
 *
 * over stretches b, with d the place of the drawn arm less its mean by the shares, and v its variance:
 * the products of pairs within a stretch, each 0 on average where draws do not depend on each other. As T
 * is a sum of squares, ν + z√(2ν) goes by χ² with ν = (Σ_b (Σ v)²)² / Σ_b (Σ v)⁴ degrees of freedom.
 *
 * @example
 * new TurnSums().test().p; // 1
 */
export class TurnSums {
  /** Σ d and Σ v by stretch. */
  readonly #d = new Float64Array(STRETCHES);
  readonly #v = new Float64Array(STRETCHES);
  #dd = 0;
  #vv = 0;
  /** Σ Σ_a s_a². */
  #same = 0;
  #draws = 0;

  /** Adds a draw of the arm at a place. @param shareOf the chance of each. */
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

/** What is left of pairs by rounding is none. */
const ROUNDING = 1e-12;
