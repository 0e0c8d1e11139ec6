import { drawnRanks } from './drawn-ranks.js';
import type { ServedLog } from './served-log.js';
import type { ShareStrata } from './share-strata.js';

/**
 * Probability that an item of a request is examined under the mixture of all arms, with its
 * derivatives by log θ.
 *
 * P_qi = Σ_a s_a θ_{r_a(i)}; an arm with lists randomised from M candidates contributes s_a Σ_k θ_k
 * / M over the ranks k that they fill. θ_k is the examination probability of rank k, θ_0 = 1, 0
 * beyond θ's length.
 */
export class Mixture {
  /** P of the row for which `look` was called last. */
  chance = 0;
  /**
   * Ranks at which the item may be examined, and the part of P from each rank. Only the first
   * `terms` entries count; their parts sum to P. A rank may occur twice.
   */
  readonly ranks: Int32Array;
  readonly parts: Float64Array;
  terms = 0;
  readonly #log: ServedLog;
  readonly #share: ArrayLike<number>;
  readonly #isByRequest: boolean;
  readonly #theta: Float64Array;
  /** By rank: sum of θ over the ranks before it. */
  readonly #thetaBefore: Float64Array;

  constructor(log: ServedLog, strata: ShareStrata, theta: Float64Array) {
    this.#log = log;
    this.#share = strata.share;
    this.#isByRequest = strata.isByRequest;
    this.#theta = theta;
    this.#thetaBefore = new Float64Array(theta.length + 1);
    for (const [k, each] of theta.entries()) {
      this.#thetaBefore[k + 1] = this.#thetaBefore[k] + each;
    }
    const most = log.arms.length + theta.length;
    this.ranks = new Int32Array(most);
    this.parts = new Float64Array(most);
  }

  /** Compute P for a row of the items. */
  look(row: number): void {
    const { arms, items, requests } = this.#log;
    const q = items.request[row];
    const first = (this.#isByRequest ? q : requests.stratum[q]) * arms.length;
    let chance = 0;
    let drawn = 0;
    this.terms = 0;
    for (let a = 0; a < arms.length; a++) {
      const share = this.#share[first + a];
      if (arms[a].isUniform === true) {
        // No list was drawn if the arm could not be served.
        if (requests.candidates![q] > 0) {
          drawn += share / requests.candidates![q];
        }
        continue;
      }
      const rank = items.ranks[arms[a].list][row];
      if (rank >= this.#theta.length || share === 0) continue;
      const part = share * this.#theta[rank];
      this.#add(rank, part);
      chance += part;
    }
    this.chance = chance;
    if (drawn === 0) return;
    const { start, end } = drawnRanks(requests, q, this.#theta.length);
    this.chance += drawn * (this.#thetaBefore[end] - this.#thetaBefore[start]);
    for (let k = start; k < end; k++) {
      this.#add(k, drawn * this.#theta[k]);
    }
  }

  /** Add `by` · ∂ log(θ_rank / P) / ∂ log θ_k to a gradient, for every rank k. */
  addGradient(gradient: Float64Array, offset: number, rank: number, by: number): void {
    gradient[offset + rank] += by;
    const scale = by / this.chance;
    for (let j = 0; j < this.terms; j++) {
      gradient[offset + this.ranks[j]] -= scale * this.parts[j];
    }
  }

  #add(rank: number, part: number): void {
    this.ranks[this.terms] = rank;
    this.parts[this.terms++] = part;
  }
}
