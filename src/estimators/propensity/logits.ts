import type { LogisticModel } from './logistic-model.js';
import type { SparseRows } from './sparse-rows.js';

/** Features of users (x) and of items (z). */
export interface PairFeatures {
  readonly users: SparseRows;
  readonly items: SparseRows;
}

/**
 * Writes the logits of one user's pairs.
 *
 * logit = c + γ_u + β_i + x_uᵀ W z_i, by t = Wᵀ x_u first: O(named features of the user × width of
 * the items' + named features of the pairs).
 *
 * @param items of the pairs, from `first` to `end`. @param logits takes them, at the same places.
 */
export function userLogits(
  { intercept, weights, userOffsets, itemOffsets }: LogisticModel,
  features: PairFeatures,
  user: number,
  items: Int32Array,
  [first, end]: readonly [number, number],
  logits: Float64Array,
): void {
  const { start, column, value } = features.items;
  const taste = userTaste(weights, features, user);
  const base = intercept + userOffsets[user];
  for (let pair = first; pair < end; pair++) {
    const item = items[pair];
    let logit = base + itemOffsets[item];
    for (let f = start[item]; f < start[item + 1]; f++) logit += value[f] * taste[column[f]];
    logits[pair] = logit;
  }
}

/** Wᵀ x_u: what the user's features make of each feature of an item. */
function userTaste(weights: Float64Array, { users, items }: PairFeatures, user: number) {
  const taste = new Float64Array(items.width);
  for (let f = users.start[user]; f < users.start[user + 1]; f++) {
    const row = users.column[f] * items.width;
    for (let k = 0; k < items.width; k++) taste[k] += users.value[f] * weights[row + k];
  }
  return taste;
}
