import { logistic } from './logits.js';
import {
  numberOf,
  type PackedLogistic,
  type PackedPropensities,
  packPropensities,
} from './packed-propensities.js';
import type { NaiveBayesFile, PropensityModel } from './propensity-file.js';

/** Learned probabilities that a rating is observed, looked up by user, item and value. */
export interface LearnedPropensities {
  readonly kind: PropensityModel['kind'];
  /**
   * Index of a user; −1 if the user is not known; 0 for all users if P does not depend on the user.
   */
  userOf(id: string): number;
  /**
   * Index of an item; −1 if the item is not known; 0 for all items if P does not depend on the
   * item.
   */
  itemOf(id: string): number;
  /**
   * Probability that the rating of an item by a user is observed. @param user from `userOf`. @param
   * item from `itemOf`.
   * @returns a probability in (0, 1]; NaN if it is not known.
   */
  propensity(user: number, item: number, rating: number): number;
}

/**
 * Look up the propensities of pairs in a learned model.
 *
 * nb: P(O | r) by the value of the rating, for any user; lr: σ(c + x_uᵀ W z_i + γ_u + β_i), for any
 * rating. Source: Schnabel et al. 2016, section 5. O(1), and for lr O(features of the item); the
 * caller should keep the indices of ids.
 *
 * @returns NaN for a user, an item or a value that the model does not know.
 * @example
 * const values = [{ rating: 1, chosen: 2, random: 3, propensity: 0.03 }];
 * const learned = learnedPropensities({ kind: 'nb', smoothing: 1, values });
 * learned.propensity(learned.userOf('u'), learned.itemOf('i'), 1); // 0.03
 */
export function learnedPropensities(model: PropensityModel): LearnedPropensities {
  return askedOf(packPropensities(model));
}

/**
 * Look up propensities in a packed model, which another thread may have packed. O(1), so a large
 * file does not block.
 */
export function askedOf(packed: PackedPropensities): LearnedPropensities {
  return packed.kind === 'nb' ? new ByRating(packed) : new ByPair(packed);
}

class ByRating implements LearnedPropensities {
  readonly kind = 'nb';
  readonly #values: ReadonlyMap<number, number>;

  constructor({ values }: NaiveBayesFile) {
    const known = values.filter(({ propensity }) => propensity > 0);
    // Rated rows store ratings as 32-bit floats.
    this.#values = new Map(
      known.map(({ rating, propensity }) => [Math.fround(rating), propensity]),
    );
  }

  userOf(): number {
    return 0;
  }

  itemOf(): number {
    return 0;
  }

  propensity(_user: number, _item: number, rating: number): number {
    return this.#values.get(Math.fround(rating)) ?? Number.NaN;
  }
}

class ByPair implements LearnedPropensities {
  readonly kind = 'lr';
  readonly #packed: PackedLogistic;

  constructor(packed: PackedLogistic) {
    this.#packed = packed;
  }

  userOf(id: string): number {
    return numberOf(this.#packed.users, id);
  }

  itemOf(id: string): number {
    return numberOf(this.#packed.items, id);
  }

  propensity(user: number, item: number): number {
    if (user < 0 || item < 0) return Number.NaN;
    const { base, taste, features, offset, width } = this.#packed;
    const row = item * width;
    const at = user * width;
    let logit = base[user] + offset[item];
    for (let k = 0; k < width; k++) {
      logit += features[row + k] * taste[at + k];
    }
    return logistic(logit);
  }
}
