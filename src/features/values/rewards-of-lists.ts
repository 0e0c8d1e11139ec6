import { PROPENSITY_KINDS, type PropensityOf } from '../../events/field.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { predictedReward } from './predicted-rewards.js';
import { isLogged, placesOf } from './request-shares.js';
import { eachRequest, halfOf, type PredictedRows, predictedByHalves } from './rewards-by-halves.js';

/** Predicted rewards of the items of logged lists. */
export interface ListPrediction {
  /** r̂ of each item row: the reward if the item's position is examined like the first one. */
  readonly rows: PredictedRows;
  /**
   * `[half][rank]`: e, the reward of a position relative to the first, for requests of users in
   * this half.
   */
  readonly looks: readonly [ArrayLike<number>, ArrayLike<number>];
}

/** Predictions by kind of propensities. */
export type ListPredictions = ReadonlyMap<PropensityOf, ListPrediction>;

/**
 * Predict the rewards of items in loggers' lists, for each kind of propensities; empty if none are
 * logged.
 *
 * @param theta by rank. Without it there is no prediction for `item` propensities.
 */
export function listPredictions(
  panes: readonly WindowRequests[],
  theta: ArrayLike<number> | undefined,
): ListPredictions {
  const found = new Map<PropensityOf, ListPrediction>();
  const kinds = new Set<PropensityOf>();
  eachRequest(panes, isLogged, ({ logged }, q) => {
    kinds.add(PROPENSITY_KINDS[logged!.kind[q] - 1]);
  });
  const places = placesOf(panes);
  if (kinds.has('slot') || kinds.has('conditional')) {
    const prediction = rewardsOfLists(panes, places, undefined);
    found.set('slot', prediction).set('conditional', prediction);
  }
  if (kinds.has('item') && theta !== undefined) {
    found.set('item', rewardsOfLists(panes, places, theta));
  }
  return found;
}

/**
 * Predict the reward of an item at a position, from a logger's requests by other users.
 *
 * q̂(i, k) = e_k r̂_i, with r̂ of `predictedReward` using e for θ. If θ is known, e = θ. Otherwise
 * e_k = ρ_k / ρ_0, with ρ_k the mean reward at rank k, shrunk like r̂ towards that of all
 * positions. This is not examination, since a logger ranks better items higher, but an approximate
 * prediction is enough: weights correct the rest. Users are divided into halves as for
 * `rewardsByHalves`, so q̂ depends neither on a request's list nor on its rewards.
 *
 * **Source**: cross-fitting (Chernozhukov et al., The Econometrics Journal 21, 2018); a prediction
 * per position: cascade-DR (Kiyohara et al., WSDM 2022).
 *
 * @param places number of ranks in use. @param theta by rank, if it is known.
 * @returns by pane and row; 8 bytes per row, and 32 per item during the computation. O(rows).
 */
export function rewardsOfLists(
  panes: readonly WindowRequests[],
  places: number,
  theta: ArrayLike<number> | undefined,
): ListPrediction {
  const drawn = panes.filter(({ logged }) => logged !== undefined);
  const looks = theta === undefined ? looksByPlace(drawn, places) : ([theta, theta] as const);
  return {
    rows: predictedByHalves(drawn, looks, isLogged),
    looks,
  };
}

/**
 * Compute e, the relative reward of each rank, for each half of the users from the requests of the
 * other half.
 */
function looksByPlace(
  panes: readonly WindowRequests[],
  places: number,
): [Float64Array, Float64Array] {
  const halves = [new PlaceRewards(places), new PlaceRewards(places)];
  eachRequest(panes, isLogged, (pane, q) => halves[1 - halfOf(pane, q)].learn(pane, q));
  const [own, other] = halves.map((half) => half.looks());
  return [own, other];
}

/** Rewards by position of logged lists. */
class PlaceRewards {
  /** By rank: rewards, and the number of times the position was shown. */
  readonly #rewards: Float64Array;
  readonly #shown: Float64Array;

  constructor(places: number) {
    this.#rewards = new Float64Array(places);
    this.#shown = new Float64Array(places);
  }

  learn({ firstItem, items, served, logged }: WindowRequests, q: number): void {
    const ranks = items.ranks[served[q]];
    // A list without items has no column of ranks.
    if (ranks === undefined) return;
    for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
      if (logged!.propensity[row] === 0) break;
      const rank = ranks[row];
      if (rank >= this.#rewards.length) continue;
      this.#rewards[rank] += items.reward[row];
      this.#shown[rank]++;
    }
  }

  /** e, the relative reward of each rank; 1 if nothing was rewarded. */
  looks(): Float64Array {
    const rewards = this.#rewards;
    const shown = this.#shown;
    const common = total(rewards) / Math.max(1, total(shown));
    if (!(common > 0)) return new Float64Array(rewards.length).fill(1);
    const first = predictedReward(rewards[0], shown[0], common);
    return rewards.map((each, k) => predictedReward(each, shown[k], common) / first);
  }
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0);
}
