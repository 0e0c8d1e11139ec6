import type { Random } from './random.js';

/**
 * Inclusion probabilities of a draw of `size` items proportional to `weights`.
 *
 * π_i = min(1, c · w_i) with c such that Σπ_i = size: items whose share exceeds 1 are certain, and
 * the rest of the draw is shared out among the others.
 *
 * **Source**: C.-E. Särndal, B. Swensson, J. Wretman, Model Assisted Survey Sampling, 3.6.1.
 *
 * @param weights one per item, ≥ 0
 * @returns one probability per item; items of weight 0 have 0. Fewer than `size` positive weights
 *   give 1 for each of them; none gives zeros.
 */
export function inclusionProbabilities(weights: Float64Array, size: number): Float64Array {
  const probabilities = new Float64Array(weights.length);
  const byWeight = Int32Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a]);
  // Sums from the smallest weight up: taking large weights off a total would leave only rounding.
  const rest = new Float64Array(weights.length + 1);
  for (let i = weights.length - 1; i >= 0; i--) rest[i] = rest[i + 1] + weights[byWeight[i]];
  let certain = 0;
  while (certain < size && certain < weights.length) {
    const weight = weights[byWeight[certain]];
    if (weight === 0 || (size - certain) * weight < rest[certain]) break;
    probabilities[byWeight[certain++]] = 1;
  }
  const places = size - certain;
  for (let i = certain; i < weights.length && weights[byWeight[i]] > 0; i++) {
    probabilities[byWeight[i]] = Math.min(1, (places * weights[byWeight[i]]) / rest[certain]);
  }
  return probabilities;
}

/**
 * Draws distinct items so that item i is included with probability π_i exactly.
 *
 * The items stand in random order on a line, item i over a stretch of length π_i; one uniform start
 * u and a step of 1 pick the items whose stretch holds u, u + 1, u + 2, …
 *
 * **Source**: W. G. Madow, On the Theory of Systematic Sampling, II (1949).
 *
 * @param probabilities π_i in [0, 1]; their sum is the size of the draw (within one if it is no
 *   whole number)
 * @param order scratch: a permutation of the item indices, shuffled in place
 * @returns item indices in the random order; empty if all π are 0
 */
export function systematicSample(
  probabilities: Float64Array,
  order: Int32Array,
  random: Random,
): number[] {
  random.shuffle(order);
  const drawn: number[] = [];
  let mark = random.next();
  let end = 0;
  for (const item of order) {
    if (probabilities[item] === 0) continue;
    end += probabilities[item];
    if (mark < end) {
      drawn.push(item);
      mark++;
    }
  }
  return drawn;
}
