import type { LearnedPropensities } from '../../propensity/learned/learned-propensities.js';
import type { SetIds } from '../rows/hashed-ids.js';

/**
 * Sampling weights of pairs by learned propensities: w = 1 / P, P the chance that the pair is observed.
 *
 * As in wtd_h each pair of a user and an item is to be as likely as any other, w = P_mar(u, i | O) /
 * P_mnar(u, i | O) with the first the same for all; but the second follows from what was learned of the
 * pair, P(u, i | O) ∝ P(O | u, i), where wtd_h takes its user and its item for independent and counts
 * each. A split takes the same share of all pairs, so P of the whole serves its parts. Only ratios matter.
 *
 * **Source**: Carraro & Bridge 2020, eqs. 11 to 14, for the weights; Schnabel et al. 2016, section 5, for
 * the propensities. 4 bytes a user and an item.
 */
export class LearnedWeights {
  readonly #learned: LearnedPropensities;
  readonly #users: Int32Array;
  readonly #items: Int32Array;

  /** @param ids all that rows name. */
  constructor({ users, items }: SetIds, learned: LearnedPropensities) {
    this.#learned = learned;
    this.#users = Int32Array.from({ length: users.size }, (_, id) =>
      learned.userOf(users.ids.text(id)),
    );
    this.#items = Int32Array.from({ length: items.size }, (_, id) =>
      learned.itemOf(items.ids.text(id)),
    );
  }

  /** Of a pair by its numbers and the value of its row; 0, never drawn, if nothing is known of it. */
  of(user: number, item: number, value: number): number {
    const propensity = this.#learned.propensity(this.#users[user], this.#items[item], value);
    return propensity > 0 ? 1 / propensity : 0;
  }
}
