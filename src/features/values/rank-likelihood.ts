import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import type { RankPatterns } from './rank-patterns.js';

/** Clicks on items with the same possible ranks. */
export interface ChosenPattern {
  /**
   * Ranks at which the items may be, as indices among the fitted ranks. `chances` and `clicks` have
   * one entry for each of these ranks.
   */
  readonly places: Int32Array;
  readonly chances: Float64Array;
  readonly clicks: Float64Array;
}

/**
 * Log likelihood, its gradient and its information with respect to log θ of all ranks except the
 * first.
 */
export interface Likelihood {
  readonly value: number;
  readonly score: Float64Array;
  readonly information: SquareMatrix;
}

/**
 * Compute the log likelihood Σ log(θ_k p_k / Σ_j θ_j p_j) over all clicks, k the clicked rank, with
 * its derivatives.
 */
export function likelihoodAt(chosen: readonly ChosenPattern[], logTheta: Float64Array): Likelihood {
  const size = logTheta.length - 1;
  const score = new Float64Array(size);
  const values = new Float64Array(size * size);
  let value = 0;
  for (const pattern of chosen) {
    const { places, clicks } = pattern;
    const all = clicks.reduce((sum, each) => sum + each, 0);
    if (all === 0 || places.length < 2) continue;
    const chance = chosenChances(pattern, logTheta);
    for (let i = 0; i < places.length; i++) {
      if (clicks[i] > 0) {
        value += clicks[i] * Math.log(chance[i]);
      }
      const k = places[i] - 1;
      if (k < 0) continue;
      score[k] += clicks[i] - all * chance[i];
      for (let j = 0; j < places.length; j++) {
        const l = places[j] - 1;
        if (l >= 0) {
          values[k * size + l] += all * chance[i] * ((i === j ? 1 : 0) - chance[j]);
        }
      }
    }
  }
  return {
    value,
    score,
    information: { size, values },
  };
}

/** Probability of each possible rank given a click: θ_k p_k / Σ_j θ_j p_j. */
function chosenChances({ places, chances }: ChosenPattern, logTheta: Float64Array): Float64Array {
  const chance = chances.map((each, i) => each * Math.exp(logTheta[places[i]]));
  const total = chance.reduce((sum, each) => sum + each, 0);
  return chance.map((each) => each / total);
}

/**
 * Compute S_u, the gradient of each cluster's log likelihood.
 *
 * @param used ranks to fit, in order.
 */
export function clusterScores(
  patterns: RankPatterns,
  chosen: readonly ChosenPattern[],
  used: readonly number[],
  logTheta: Float64Array,
): Float64Array[] {
  const { clusters, ranks } = patterns;
  const scores = Array.from({ length: clusters }, () => new Float64Array(used.length - 1));
  const chances = chosen.map((pattern) => chosenChances(pattern, logTheta));
  for (const [key, clicks] of patterns.clicksOf) {
    const clicked = used.indexOf(key % ranks);
    if (clicked < 0) continue;
    const cell = Math.floor(key / ranks);
    const pattern = Math.floor(cell / clusters);
    const score = scores[cell % clusters];
    if (clicked > 0) {
      score[clicked - 1] += clicks;
    }
    for (const [i, place] of chosen[pattern].places.entries()) {
      if (place > 0) {
        score[place - 1] -= clicks * chances[pattern][i];
      }
    }
  }
  return scores;
}
