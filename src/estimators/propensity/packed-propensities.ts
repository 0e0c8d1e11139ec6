import { type PackedIds, packIds } from './packed-ids.js';
import type { LogisticFile, NaiveBayesFile, PropensityModel } from './propensity-file.js';

/** What learned propensities are asked in: as they are kept, or as arrays if they are large. */
export type PackedPropensities = NaiveBayesFile | PackedLogistic;

/** P = σ(base_u + Σ_k features_ik taste_uk + offset_i), rows one after the other. */
export interface PackedLogistic {
  readonly kind: 'lr';
  readonly users: PackedIds;
  readonly items: PackedIds;
  /** c + γ_u, and Wᵀ x_u. */
  readonly base: Float64Array;
  readonly taste: Float64Array;
  /** Numbers in a row of `taste` and of `features`. */
  readonly width: number;
  readonly features: Float64Array;
  /** β. */
  readonly offset: Float64Array;
  /** Σ_u P_ui; left out where the file lacks it. */
  readonly itemSums?: Float64Array;
}

/**
 * Packs what was learned, so that one thread can read a file and another one ask.
 *
 * O(users · features of both sides + items · features).
 *
 * @example
 * packPropensities({ kind: 'nb', smoothing: 1, values: [] }).kind; // 'nb'
 */
export function packPropensities(model: PropensityModel): PackedPropensities {
  if (model.kind === 'nb') return model;
  const { users, items, weights, intercept, itemSums } = model;
  const width = weights[0]?.length ?? 0;
  const features = new Float64Array(items.ids.length * width);
  items.features.forEach((row, item) => {
    features.set(row.slice(0, width), item * width);
  });
  return {
    ...{ kind: 'lr', users: packIds(users.ids), items: packIds(items.ids), width, features },
    base: Float64Array.from(users.ids, (_, u) => intercept + (users.offsets?.[u] ?? 0)),
    taste: tastes(model, width),
    offset: Float64Array.from(items.ids, (_, item) => items.offsets?.[item] ?? 0),
    ...(itemSums && { itemSums: Float64Array.from(itemSums) }),
  };
}

function tastes({ users, weights }: LogisticFile, width: number): Float64Array {
  const taste = new Float64Array(users.ids.length * width);
  users.features.forEach((row, user) => {
    const at = user * width;
    row.forEach((x, a) => {
      for (let k = 0; k < width; k++) taste[at + k] += x * weights[a][k];
    });
  });
  return taste;
}
