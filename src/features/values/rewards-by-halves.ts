import { addColumn, passItems } from '../../estimators/partitions/item-sums.js';
import { type ItemNames, NumberedSums, type Rounds } from '../../estimators/partitions/rounds.js';
import { inSlices } from '../../estimators/slices.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import { UNKNOWN_ITEM, UNUSABLE, type WindowRequests } from '../../state/requests/pane-requests.js';
import { predictedReward } from './predicted-rewards.js';

/** Requests between two yields, with all their items. */
const SLICE = 1024;

const SHAPE = 0x6861_6c66;

/** r̂ of each item row of a pane's requests. */
export type PredictedRows = ReadonlyMap<WindowRequests, Float64Array>;

/** The panes of one partition. */
export type RequestPart = readonly WindowRequests[];

/**
 * The reward that is expected of each item of each request if it is looked at, from other users.
 *
 * Users are divided into two halves by their clusters; r̂ of an item in a request of one half is
 * `predictedReward` over the requests of the other that arms served: of all panes that are kept, those
 * of which all items are there. So r̂ follows neither the arm that was drawn for the request nor what came of it,
 * and a doubly robust estimate with it is unbiased. It is the same all through a window: one that
 * learned as time goes on would vary within arms, and residuals from their means with it. Where the
 * other half has no requests r̂ = 0, and doubly robust is ips.
 *
 * **Source**: cross-fitting (Chernozhukov et al., The Econometrics Journal 21, 2018).
 *
 * @param parts panes by partition. @param theta by rank. @param rounds bring all partitions together:
 * one round, of columns of items.
 * @returns by pane and row; 8 bytes a row, and 32 an item while it is made. Yields now and then. O(rows).
 */
export function* rewardsByHalves(
  parts: readonly RequestPart[],
  theta: ArrayLike<number>,
  rounds: Rounds,
): Generator<void, PredictedRows> {
  const panes = parts.flat();
  const items = yield* itemsBelow(panes);
  const none = new HalvesRewards([theta, theta], items, rounds.names);
  const { halves } = yield* rounds.gather(none, parts, function* learn(own, part) {
    for (const pane of part) {
      yield* inSlices(
        pane.length,
        (from, to) => {
          for (let q = from; q < to; q++) {
            // What a logger's lists earned is no arm's reward.
            const isLogged = pane.logged !== undefined && pane.logged.kind[q] > 0;
            if (!isLogged) own.halves[pane.cluster[q] & 1].learn(pane, q);
          }
        },
        SLICE,
      );
    }
  });
  const found = new Map<WindowRequests, Float64Array>();
  for (const pane of panes) {
    const own = new Float64Array(pane.items.length);
    found.set(pane, own);
    yield* inSlices(
      pane.length,
      (from, to) => {
        for (let q = from; q < to; q++) halves[1 - (pane.cluster[q] & 1)].predict(pane, q, own);
      },
      SLICE,
    );
  }
  return found;
}

/** No item of the panes has this number or a larger one. */
export function* itemsBelow(panes: readonly WindowRequests[]): Generator<void, number> {
  let most = UNKNOWN_ITEM;
  for (const { items } of panes) {
    yield* inSlices(items.length, (from, to) => {
      for (let row = from; row < to; row++) most = Math.max(most, items.item[row]);
    });
  }
  return most + 1;
}

/** What some users' requests say of items. */
export class KnownRewards {
  readonly #theta: ArrayLike<number>;
  /** By item: rewards, then looks. */
  readonly byItem: readonly [Float64Array, Float64Array];
  /** The same of all items, of those that are not known here too. */
  readonly all = new Float64Array(2);

  constructor(theta: ArrayLike<number>, items: number) {
    this.#theta = theta;
    this.byItem = [new Float64Array(items), new Float64Array(items)];
  }

  /** Takes in what came of the list that was served. */
  learn({ served, depth, listedLevel, firstItem, items }: WindowRequests, q: number): void {
    const ranks = items.ranks[served[q]];
    // Of a list without items there is no column.
    if (served[q] === UNUSABLE || ranks === undefined || depth[q] < listedLevel) return;
    const [rewards, looks] = this.byItem;
    for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
      const look = this.#theta[ranks[row]] ?? 0;
      if (look === 0) continue;
      const item = items.item[row];
      this.all[0] += items.reward[row];
      this.all[1] += look;
      if (item === UNKNOWN_ITEM) continue;
      rewards[item] += items.reward[row];
      looks[item] += look;
    }
  }

  /** Of an item that is not known it is r₀, as of one that was never shown. */
  predict({ firstItem, items }: WindowRequests, q: number, into: Float64Array): void {
    const [allRewards, allLooks] = this.all;
    const common = allLooks > 0 ? allRewards / allLooks : 0;
    const [ofItem, looksOf] = this.byItem;
    for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
      const item = items.item[row];
      const isKnown = item !== UNKNOWN_ITEM;
      const [rewards, looks] = isKnown ? [ofItem[item], looksOf[item]] : [0, 0];
      into[row] = predictedReward(rewards, looks, common);
    }
  }
}

/**
 * What the requests of each half of the users say of items. What is not known here is left out, since
 * nothing is predicted of it, but for the sums over all items.
 */
export class HalvesRewards extends NumberedSums<HalvesRewards> {
  readonly halves: readonly [KnownRewards, KnownRewards];
  readonly #thetas: readonly [ArrayLike<number>, ArrayLike<number>];
  readonly #items: number;
  readonly #names: ItemNames | undefined;

  /** @param thetas by half, then by rank. @param names needed for bytes alone. */
  constructor(
    thetas: readonly [ArrayLike<number>, ArrayLike<number>],
    items: number,
    names: ItemNames | undefined,
  ) {
    super(SHAPE);
    this.#thetas = thetas;
    this.#items = items;
    this.#names = names;
    this.halves = [new KnownRewards(thetas[0], items), new KnownRewards(thetas[1], items)];
  }

  ofOthers(): HalvesRewards {
    return new HalvesRewards(this.#thetas, this.#items, this.#names);
  }

  merge(others: HalvesRewards): void {
    const theirs = [...others.#byItem(), ...others.#all()];
    for (const [c, own] of [...this.#byItem(), ...this.#all()].entries()) addColumn(own, theirs[c]);
  }

  pass(through: NumberCodec): void {
    for (const own of this.#all()) through.numbers(own);
    passItems(through, this.#byItem(), this.#names, 'own');
  }

  #byItem(): readonly Float64Array[] {
    return this.halves.flatMap(({ byItem }) => byItem);
  }

  #all(): readonly Float64Array[] {
    return this.halves.map(({ all }) => all);
  }
}
