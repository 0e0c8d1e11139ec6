import {
  type ArmContrast,
  addToMeans,
  armContrast,
  ContrastMeans,
  type ContrastRequest,
  ContrastSpread,
  meanSums,
  SPREAD_SUMS,
} from '../../estimators/evidence/arm-contrast.js';
import { addBalance, BALANCE_SUMS, balanceScore } from '../../estimators/evidence/balance.js';
import { firstDifference } from '../../estimators/evidence/first-difference.js';
import { type DrawTest, drawTest } from '../../estimators/evidence/unit-of-draw.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { inSlices } from '../../estimators/slices.js';
import { effectiveSampleSize } from '../../estimators/uncertainty/effective-sample-size.js';
import type { DividedLog, ServedLog } from './arms/served-log.js';
import { shareStrata } from './arms/share-strata.js';
import { type SampleRatioTest, sampleRatioTest } from './sample-ratio.js';

/** How an arm was drawn, read off the log. */
export interface DrawOfArms {
  readonly test: DrawTest;
  /** Requests served by [stratum · arms + arm], and users at their first requests. */
  readonly served: Float64Array;
  readonly firstServed: Float64Array;
}

/** How unlike the users of an arm were before it was drawn for them. */
export interface Imbalance {
  /** The arm whose users differ. */
  readonly model: string;
  readonly score: number;
  /** Mean of the arm's users by that of all, less 1. */
  readonly more: number;
}

/** A model against the control, both served by chance. */
export interface ArmPair extends ArmContrast {
  readonly model: string;
  /** Whether both lists were equal in every request. */
  readonly isAlike: boolean;
  /** Effective rewards of the arm that has fewer. */
  readonly rewards: number;
  /** What a request of the control earns. */
  readonly reference: number;
  /** Of the arm that is least balanced; undefined where it could not be checked. */
  readonly imbalance?: Imbalance;
}

/**
 * Reads off the log for what arms were drawn: see `drawTest`. Pairs of unequal shares are dropped.
 *
 * @param rounds bring all partitions together: one round.
 */
export function* drawOfArms(log: DividedLog, rounds: Rounds): Generator<void, DrawOfArms> {
  const cells = log.hasOwnShares ? 0 : log.shares.length * log.arms.length;
  const none = new NumberSums(3 + 2 * cells);
  const { values } = yield* rounds.gather(none, log.parts, function* look(into, part) {
    yield* addDraws(part, log, cells, into.values);
  });
  const [pairs, same, chance] = values;
  return {
    test: drawTest({ pairs, same, chance }),
    served: values.subarray(3, 3 + cells),
    firstServed: values.subarray(3 + cells),
  };
}

function* addDraws(
  { requests }: ServedLog,
  { arms, shares, hasOwnShares }: DividedLog,
  cells: number,
  into: Float64Array,
): Generator<void, void> {
  const { length, arm, stratum, share, user } = requests;
  const size = arms.length;
  const before = new Int32Array(usersOf(requests)).fill(-1);
  const shareOf = (q: number, a: number) =>
    hasOwnShares ? share![q * size + a] : shares[stratum[q]][a];
  const isKnown = new Uint8Array(before.length);
  yield* inSlices(length, (from, to) => {
    for (let q = from; q < to; q++) {
      const u = user![q];
      const first = before[u];
      if (cells > 0) {
        const cell = stratum[q] * size + arm[q];
        into[3 + cell]++;
        if (isKnown[u] === 0) into[3 + cells + cell]++;
      }
      isKnown[u] = 1;
      before[u] = first < 0 ? q : -1;
      if (first < 0) continue;
      let [chance, areEqual] = [0, true];
      for (let a = 0; a < size; a++) {
        const own = shareOf(q, a);
        chance += own * own;
        if (own !== shareOf(first, a)) areEqual = false;
      }
      if (!areEqual) continue;
      into[0]++;
      into[1] += arm[q] === arm[first] ? 1 : 0;
      into[2] += chance;
    }
  });
}

function usersOf({ length, user }: ServedLog['requests']): number {
  let users = 0;
  for (let q = 0; q < length; q++) users = Math.max(users, user![q] + 1);
  return users;
}

/** The test of shares, over requests, or over users at their first requests where they keep an arm. */
export function drawnRatio(
  { test, served, firstServed }: DrawOfArms,
  shares: DividedLog['shares'],
): SampleRatioTest {
  const isByRequest = test.unit === 'request' || test.unit === 'neither';
  return sampleRatioTest(isByRequest ? served : firstServed, shares);
}

/**
 * What the arms of an experiment earned, each against the control.
 *
 * See `ArmContrast` for D and its errors, by user; strata are those of `shareStrata`, and beyond 64 sets
 * of shares a request counts 1 / s. O(requests · arms + rows · arms).
 *
 * @param places no place at this rank or below it is seen. @param promised by partition and request,
 * for `balanceScore`; NaN where it is not known.
 * @param rounds bring all partitions together: two rounds.
 */
export function* armPairs(
  log: DividedLog,
  { served }: DrawOfArms,
  control: string,
  places: number,
  promised: readonly ArrayLike<number>[] | undefined,
  rounds: Rounds,
): Generator<void, ArmPair[]> {
  const reference = log.arms.findIndex(({ list }) => log.models[list] === control);
  if (reference < 0) return [];
  const others = [...log.arms.keys()].filter((a) => a !== reference);
  const strata = log.hasOwnShares ? undefined : shareStrata(served, log.shares, true);
  const count = strata?.count ?? 1;
  const pass = new PairPass(log, reference, others, places, (part, q) => ({
    stratum: strata === undefined ? 0 : strata.of[part.requests.stratum[q]],
    weight:
      strata === undefined
        ? 1 / part.requests.share![q * log.arms.length + part.requests.arm[q]]
        : 1,
  }));
  const own = meanSums(count);
  const balances = promised ? log.arms.length * (BALANCE_SUMS + 2) : 0;
  // By pair its means and unlike requests; then rewards by arm, then balances.
  const size = others.length * (own + 1) + 2 * log.arms.length;
  const found = yield* rounds.gather(
    new NumberSums(size + balances),
    log.parts,
    function* add(into, part) {
      const { values } = into;
      yield* pass.each(part, (p, request, reward, below, isAlike) => {
        addToMeans(values.subarray(p * own, (p + 1) * own), request, reward, below, isAlike);
        if (!isAlike) values[others.length * own + p]++;
      });
      yield* addRewards(part, values, others.length * (own + 1), places);
      if (promised)
        addBalances(part, log, promised[log.parts.indexOf(part)], values.subarray(size));
    },
  );
  const means = others.map(
    (_, p) => new ContrastMeans(found.values.subarray(p * own, (p + 1) * own), count),
  );
  const spreads = yield* rounds.gather(
    new NumberSums(others.length * SPREAD_SUMS),
    log.parts,
    function* spread(into, part) {
      const users = usersOf(part.requests);
      const ofPairs = others.map(() => new ContrastSpread(users));
      yield* pass.each(part, (p, request, reward, below, isAlike) => {
        ofPairs[p].add(means[p], request, reward, below, isAlike);
      });
      for (const [p, each] of ofPairs.entries()) {
        each.addTo(into.values.subarray(p * SPREAD_SUMS, (p + 1) * SPREAD_SUMS));
      }
    },
  );
  const rewardsOf = (arm: number) => {
    const at = others.length * (own + 1) + 2 * arm;
    return effectiveSampleSize(found.values[at], found.values[at + 1]);
  };
  return others.map((arm, p) => {
    const sums = spreads.values.subarray(p * SPREAD_SUMS, (p + 1) * SPREAD_SUMS);
    const imbalance = worst(
      (promised ? [arm, reference] : []).map((a) => {
        const at = size + a * (BALANCE_SUMS + 2);
        return imbalanceOf(log.models[log.arms[a].list], found.values, at);
      }),
    );
    return {
      ...armContrast(means[p], sums),
      model: log.models[log.arms[arm].list],
      isAlike: found.values[others.length * own + p] === 0,
      rewards: Math.min(rewardsOf(arm), rewardsOf(reference)),
      reference: means[p].reference,
      ...(imbalance && { imbalance }),
    };
  });
}

type Visit = (
  pair: number,
  request: ContrastRequest,
  reward: number,
  below: number,
  isAlike: boolean,
) => void;

/** Goes through the requests of a partition that one of a pair served, with what they earned. */
class PairPass {
  readonly #log: DividedLog;
  readonly #reference: number;
  readonly #others: readonly number[];
  readonly #places: number;
  readonly #weigh: (part: ServedLog, q: number) => { stratum: number; weight: number };

  constructor(
    log: DividedLog,
    reference: number,
    others: readonly number[],
    places: number,
    weigh: (part: ServedLog, q: number) => { stratum: number; weight: number },
  ) {
    this.#log = log;
    this.#reference = reference;
    this.#others = others;
    this.#places = places;
    this.#weigh = weigh;
  }

  *each(part: ServedLog, visit: Visit): Generator<void, void> {
    const { requests, items } = part;
    const { arms } = this.#log;
    const ranksOf = (arm: number) => items.ranks[arms[arm].list];
    let row = 0;
    yield* inSlices(requests.length, (from, to) => {
      for (let q = from; q < to; q++) {
        const first = row;
        while (row < items.length && items.request[row] === q) row++;
        const arm = requests.arm[q];
        const served = ranksOf(arm);
        // What lists have in common is known only where all of their items are there.
        const isListed = requests.isListed === undefined || requests.isListed[q] === 1;
        for (const [p, other] of this.#others.entries()) {
          if (arm !== other && arm !== this.#reference) continue;
          const place = isListed
            ? firstDifference(ranksOf(other), ranksOf(this.#reference), first, row, this.#places)
            : 0;
          let [reward, below] = [0, 0];
          for (let at = first; at < row; at++) {
            if (items.reward[at] === 0 || served[at] >= this.#places) continue;
            reward += items.reward[at];
            if (served[at] >= place) below += items.reward[at];
          }
          const request = {
            ...this.#weigh(part, q),
            side: (arm === other ? 1 : 0) as 0 | 1,
            user: requests.user![q],
          };
          visit(p, request, reward, below, place === Number.POSITIVE_INFINITY);
        }
      }
    });
  }
}

/** By arm Σ c and Σ c² of what was rewarded. */
function* addRewards(
  { requests, items, arms }: ServedLog,
  into: Float64Array,
  at: number,
  places: number,
): Generator<void, void> {
  yield* inSlices(items.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const reward = items.reward[row];
      if (reward === 0) continue;
      const arm = requests.arm[items.request[row]];
      if (items.ranks[arms[arm].list][row] >= places) continue;
      into[at + 2 * arm] += reward;
      into[at + 2 * arm + 1] += reward * reward;
    }
  });
}

/** By arm: `BALANCE_SUMS`, then Σ 1{a} and Σ 1{a} x, of users at their first requests. */
function addBalances(
  { requests }: ServedLog,
  { arms, shares, hasOwnShares }: DividedLog,
  x: ArrayLike<number>,
  into: Float64Array,
): void {
  const { length, user, arm, stratum, share } = requests;
  const isKnown = new Uint8Array(usersOf(requests));
  for (let q = 0; q < length; q++) {
    const u = user![q];
    if (isKnown[u] === 1) continue;
    isKnown[u] = 1;
    if (Number.isNaN(x[q])) continue;
    for (let a = 0; a < arms.length; a++) {
      const own = hasOwnShares ? share![q * arms.length + a] : shares[stratum[q]][a];
      const isServed = arm[q] === a ? 1 : 0;
      const at = a * (BALANCE_SUMS + 2);
      addBalance(into, at, x[q], isServed - own);
      into[at + BALANCE_SUMS] += isServed;
      into[at + BALANCE_SUMS + 1] += isServed * x[q];
    }
  }
}

function imbalanceOf(model: string, sums: Float64Array, at: number): Imbalance | undefined {
  const score = balanceScore(sums, at);
  if (Number.isNaN(score)) return undefined;
  const mean = sums[at + 1] / sums[at];
  const own = sums[at + BALANCE_SUMS + 1] / sums[at + BALANCE_SUMS];
  return { model, score, more: own / mean - 1 };
}

function worst(of: readonly (Imbalance | undefined)[]): Imbalance | undefined {
  const known = of.filter((each) => each !== undefined);
  if (known.length === 0) return undefined;
  return known.reduce((one, other) => (Math.abs(other.score) > Math.abs(one.score) ? other : one));
}
