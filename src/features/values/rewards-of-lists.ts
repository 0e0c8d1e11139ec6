import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { LargestNumbers } from '../../estimators/partitions/sparse-columns.js';
import { inSlices } from '../../estimators/slices.js';
import { PROPENSITY_KINDS, type PropensityOf } from '../../events/field.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { predictedReward } from './predicted-rewards.js';
import {
  HalvesRewards,
  itemsBelow,
  type PredictedRows,
  type RequestPart,
} from './rewards-by-halves.js';

/** Requests between two yields, with all their items. */
const SLICE = 1024;

/** What is expected of the items of logged lists. */
export interface ListPrediction {
  /** r̂ of each item row, if its place is looked at as the first is. */
  readonly rows: PredictedRows;
  /** By half of the users: e by rank, how much of that a place gains, for requests of this half. */
  readonly looks: readonly [ArrayLike<number>, ArrayLike<number>];
}

/** By what propensities are of. */
export type ListPredictions = ReadonlyMap<PropensityOf, ListPrediction>;

/**
 * What is expected of the items of lists that loggers were served, for each of what their propensities
 * are of; nothing where none are logged.
 *
 * @param parts panes by partition. @param theta by rank, for items: they are not predicted without it.
 * @param rounds bring all partitions together: one round, and one or two for each kind.
 */
export function* listPredictions(
  parts: readonly RequestPart[],
  theta: ArrayLike<number> | undefined,
  rounds: Rounds,
): Generator<void, ListPredictions> {
  const found = new Map<PropensityOf, ListPrediction>();
  const none = new LargestNumbers(1 + PROPENSITY_KINDS.length);
  const { values } = yield* rounds.gather(none, parts, function* look(own, panes) {
    own.add(Math.max(0, ...panes.map((pane) => pane.places)));
    const { values: isFound } = own;
    yield* eachLogged(panes, ({ logged }, q) => {
      isFound[logged!.kind[q]] = 1;
    });
  });
  const isLogged = (of: PropensityOf) => values[1 + PROPENSITY_KINDS.indexOf(of)] === 1;
  const places = Math.max(0, values[0]);
  if (isLogged('slot') || isLogged('conditional')) {
    const prediction = yield* rewardsOfLists(parts, places, undefined, rounds);
    found.set('slot', prediction).set('conditional', prediction);
  }
  if (isLogged('item') && theta !== undefined) {
    found.set('item', yield* rewardsOfLists(parts, places, theta, rounds));
  }
  return found;
}

/**
 * The reward that is expected of an item at a place, from the requests of other users that a logger
 * was served.
 *
 * q̂(i, k) = e_k r̂_i, r̂ of `predictedReward` with e for θ. Where θ is known e = θ. Else e_k = ρ_k / ρ_0,
 * ρ_k the reward of a place at rank k, shrunk towards that of all places as r̂ is: no examination, since
 * a logger puts better items higher, but a prediction has only to come close, and weights make up for
 * what it misses. Users are divided into halves as for `rewardsByHalves`, and so q̂ follows neither what
 * was drawn for a request nor what came of it.
 *
 * **Source**: cross-fitting (Chernozhukov et al., The Econometrics Journal 21, 2018); a prediction a
 * place: cascade-DR (Kiyohara et al., WSDM 2022).
 *
 * @param parts panes by partition. @param places no item stands at this rank or below it.
 * @param theta by rank, where it is known. @param rounds bring all partitions together: one round, of
 * columns of items, and one more where θ is not known.
 * @returns by pane and row; 8 bytes a row, and 32 an item while it is made. Yields now and then. O(rows).
 */
export function* rewardsOfLists(
  parts: readonly RequestPart[],
  places: number,
  theta: ArrayLike<number> | undefined,
  rounds: Rounds,
): Generator<void, ListPrediction> {
  const panes = parts.flat();
  const looks =
    theta === undefined ? yield* looksByPlace(parts, places, rounds) : ([theta, theta] as const);
  const items = yield* itemsBelow(panes);
  const none = new HalvesRewards(looks, items, rounds.names);
  const { halves } = yield* rounds.gather(none, parts, function* learn(own, part) {
    yield* eachLogged(part, (pane, q) => own.halves[otherHalf(pane, q)].learn(pane, q));
  });
  const rows = new Map<WindowRequests, Float64Array>();
  for (const pane of panes) {
    if (pane.logged !== undefined) rows.set(pane, new Float64Array(pane.items.length));
  }
  yield* eachLogged(panes, (pane, q) => {
    halves[halfOf(pane, q)].predict(pane, q, rows.get(pane)!);
  });
  return { rows, looks: [looks[0], looks[1]] };
}

/** To which half the user of a request belongs. */
export function halfOf({ cluster }: WindowRequests, q: number): 0 | 1 {
  return (cluster[q] & 1) as 0 | 1;
}

/** What is learned of a request is used for the other half. */
function otherHalf(pane: WindowRequests, q: number): 0 | 1 {
  return halfOf(pane, q) === 0 ? 1 : 0;
}

/** e by rank, for requests of each half from those of the other. */
function* looksByPlace(
  parts: readonly RequestPart[],
  places: number,
  rounds: Rounds,
): Generator<void, [Float64Array, Float64Array]> {
  // By half: rewards by place, then how often each was shown.
  const none = new NumberSums(4 * places);
  const { values } = yield* rounds.gather(none, parts, function* look(into, panes) {
    yield* eachLogged(panes, (pane, q) => {
      const first = 2 * places * otherHalf(pane, q);
      const { firstItem, items, served, logged } = pane;
      const ranks = items.ranks[served[q]];
      // Of a list without items there is no column.
      if (ranks === undefined) return;
      for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
        if (logged!.propensity[row] === 0) break;
        const rank = ranks[row];
        if (rank >= places) continue;
        into.values[first + rank] += items.reward[row];
        into.values[first + places + rank]++;
      }
    });
  });
  const [own, other] = [0, 1].map((half) => {
    const column = (n: number) => values.subarray(n * places, (n + 1) * places);
    const rewards = column(2 * half);
    const shown = column(2 * half + 1);
    const common = total(rewards) / Math.max(1, total(shown));
    const first = predictedReward(rewards[0], shown[0], common);
    return rewards.map((each, k) =>
      common > 0 ? predictedReward(each, shown[k], common) / first : 1,
    );
  });
  return [own, other];
}

function* eachLogged(
  panes: readonly WindowRequests[],
  visit: (pane: WindowRequests, q: number) => unknown,
): Generator<void, void> {
  for (const pane of panes) {
    const { logged, length } = pane;
    if (logged === undefined) continue;
    yield* inSlices(
      length,
      (from, to) => {
        for (let q = from; q < to; q++) if (logged.kind[q] > 0) visit(pane, q);
      },
      SLICE,
    );
  }
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0);
}
