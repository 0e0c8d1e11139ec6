/** What the weights 1 / P of the observed ratings come to. */
export interface WeightFigures {
  /** Σ 1 / P over the observed ratings ÷ U · I; 1 if P is right, but for chance. */
  readonly inversePropensity: number;
  /** The largest 1 / P. */
  readonly largest: number;
  /** Kish's effective number of the ratings, (Σ 1 / P)² ÷ Σ 1 / P². */
  readonly ess: number;
}

/**
 * What the weights of observed ratings come to.
 *
 * Source: Kish 1965, 8.2, for the effective number. O(n).
 *
 * @param propensity P of each observed rating. @param pairs U · I.
 * @example
 * weightFigures([0.5, 0.25], 8).ess; // 1.8
 */
export function weightFigures(propensity: ArrayLike<number>, pairs: number): WeightFigures {
  let sum = 0;
  let squares = 0;
  let largest = 0;
  for (let r = 0; r < propensity.length; r++) {
    const weight = 1 / propensity[r];
    sum += weight;
    squares += weight * weight;
    if (weight > largest) largest = weight;
  }
  return { inversePropensity: sum / pairs, largest, ess: (sum * sum) / squares };
}
