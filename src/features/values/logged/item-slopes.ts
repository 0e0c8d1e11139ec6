import type { WindowRequests } from '../../../state/requests/pane-requests.js';
import { type ExpectedLists, gainsByRank, type ShownRows, type Target } from './expected-gains.js';
import type { LoggedSums } from './logged-sums.js';

/**
 * Forms of an item value: weighted sum, self-normalised, doubly robust, doubly robust with
 * shrinkage.
 */
export type ItemForm = 'weighted' | 'normalised' | 'doubly' | 'shrunk';

/**
 * Derivatives of sums over logged items with respect to log θ_k.
 *
 * w = θ_{r_m} / P depends on θ through the item's rank in the target's list; the logged propensity
 * P counts as known. A randomised list has the item at rank k with a probability proportional to
 * θ_k. 40 bytes per rank.
 */
export class ItemSlopes {
  /**
   * By rank k: derivative by log θ_k of Σ w c, of Σ θ_s w with s the served rank, of Σ θ_s, and of
   * the sums of the two doubly robust forms.
   */
  readonly #weighted: Float64Array;
  readonly #control: Float64Array;
  readonly #shown: Float64Array;
  readonly #doubly: Float64Array;
  readonly #shrunk: Float64Array;
  /** Number of ranks from the first down to the last one with a derivative. */
  deepest = 0;
  readonly #target: Target;

  constructor(target: Target, places: number) {
    this.#target = target;
    this.#weighted = new Float64Array(places);
    this.#control = new Float64Array(places);
    this.#shown = new Float64Array(places);
    this.#doubly = new Float64Array(places);
    this.#shrunk = new Float64Array(places);
  }

  /** Add the shown items of a request. */
  add(shown: ShownRows, { reward, propensity, target, predicted }: ExpectedLists): void {
    const { theta, shrinkage = 0 } = this.#target;
    const { pane, q, first, end, at, top } = shown;
    for (let row = first; row < end; row++) {
      const n = at + row - first;
      const rank = top + row - first;
      const weight = target[n] / propensity[n];
      const look = theta[rank] ?? 0;
      const shrunk = (shrinkage * weight) / (weight * weight + shrinkage) || 0;
      const beyond = reward[n] - predicted[n];
      this.#shown[rank] += look;
      this.#control[rank] += look * weight;
      this.#doubly[rank] -= weight * predicted[n];
      this.#shrunk[rank] -= shrunk * predicted[n];
      this.#reach(rank);
      if (weight === 0) continue;
      // Derivative of λ w / (w² + λ) by log w.
      const bend = (shrunk * (shrinkage - weight * weight)) / (weight * weight + shrinkage);
      for (const [k, share] of this.#ranksOf(pane, q, row)) {
        this.#weighted[k] += share * weight * reward[n];
        this.#control[k] += share * look * weight;
        this.#doubly[k] += share * weight * beyond;
        this.#shrunk[k] += share * bend * beyond;
      }
    }
    for (const [rank, gain] of gainsByRank(this.#target, shown)) {
      this.#doubly[rank] += gain;
      this.#shrunk[rank] += gain;
      this.#reach(rank);
    }
  }

  /** ∂ V / ∂ log θ_k by rank. @param value of the form, from the sums. */
  of(
    form: ItemForm,
    value: number,
    { requests, weighted, weights, shown }: LoggedSums,
  ): Float64Array {
    const all = total(requests);
    if (form === 'weighted') return this.#weighted.map((each) => each / all);
    if (form === 'doubly') return this.#doubly.map((each) => each / all);
    if (form === 'shrunk') return this.#shrunk.map((each) => each / all);
    const { theta } = this.#target;
    const looked = (column: Float64Array) => {
      const places = this.#shown.length;
      return column.reduce((sum, each, cell) => sum + (theta[cell % places] ?? 0) * each, 0);
    };
    const x = total(weighted);
    const c = looked(weights);
    const t = looked(shown);
    return this.#weighted.map((each, k) => {
      // V X_k / ΣX, written so that it is defined if nothing was rewarded.
      const ofRewards = x === 0 ? 0 : (each * t) / (c * all);
      return ofRewards + value * (this.#shown[k] / t - this.#control[k] / c);
    });
  }

  /** ∂ mean Σ θ_s (w − 1) / ∂ log θ_k by rank, per request. */
  ofBalance({ requests }: LoggedSums): Float64Array {
    const all = total(requests);
    return this.#control.map((each, k) => (each - this.#shown[k]) / all);
  }

  /**
   * The ranks at which the target's list has an item, each with its share of the item's examination
   * probability.
   */
  #ranksOf(
    { items, drawn }: WindowRequests,
    q: number,
    row: number,
  ): [rank: number, share: number][] {
    const { column, theta } = this.#target;
    if (drawn?.model[q] !== column || drawn.candidates[q] === 0) {
      const rank = items.ranks[column]![row];
      this.#reach(rank);
      return [[rank, 1]];
    }
    const ranks = Array.from(
      { length: drawn.end[q] - drawn.start[q] },
      (_, n) => drawn.start[q] + n,
    );
    const looks = ranks.map((k) => theta[k] ?? 0);
    const all = looks.reduce((sum, each) => sum + each, 0);
    this.#reach(drawn.end[q] - 1);
    return ranks.map((k, n) => [k, looks[n] / all]);
  }

  #reach(rank: number): void {
    if (rank >= this.deepest) {
      this.deepest = rank + 1;
    }
  }
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0);
}
