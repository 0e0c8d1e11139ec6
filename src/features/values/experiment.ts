import type { Measured } from '../../estimators/evidence/anchored-rule.js';
import {
  type ArmContrast,
  addToMeans,
  armContrast,
  ContrastMeans,
  ContrastSpread,
  type ContrastVisit,
  meanSums,
  SPREAD_SUMS,
} from '../../estimators/evidence/arm-contrast.js';
import { addBalance, BALANCE_SUMS, balanceScore } from '../../estimators/evidence/balance.js';
import { firstDifference } from '../../estimators/evidence/first-difference.js';
import { addTurn, TURN_SUMS, type TurnTest, turnTest } from '../../estimators/evidence/turns.js';
import { type DrawTest, drawTest } from '../../estimators/evidence/unit-of-draw.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { inSlices } from '../../estimators/slices.js';
import { effectiveSampleSize } from '../../estimators/uncertainty/effective-sample-size.js';
import type { DividedLog, ServedLog } from './arms/served-log.js';
import { shareStrata } from './arms/share-strata.js';
import type { Covariate } from './covariates.js';
import { type SampleRatioTest, sampleRatioTest } from './sample-ratio.js';

/** How an arm was drawn, read off the log. */
export interface DrawOfArms {
  readonly test: DrawTest;
  readonly turns: TurnTest;
  /** Requests served by [stratum · arms + arm], and users at their first requests. */
  readonly served: Float64Array;
  readonly firstServed: Float64Array;
  /** Where each request has shares of its own, by arm the requests served, and the sum of its shares. */
  readonly own?: { readonly served: Float64Array; readonly stated: Float64Array };
}

/** How unlike the users of an arm were before it was drawn for them. */
export interface Imbalance {
  /** The arm whose users differ. */
  readonly model: string;
  readonly covariate: Covariate;
  readonly score: number;
  /** Mean of the covariate over the arm's users, and over all. */
  readonly own: number;
  readonly all: number;
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
  /** The same over the users with a value of a dimension, of those that are known of nearly all. */
  readonly segments: readonly ArmSegment[];
}

export interface ArmSegment {
  /** Dimension and value. */
  readonly of: readonly string[];
  readonly all: Measured;
  readonly leastUsers: number;
}

/** A visit with the place of the request. */
type RequestVisit = (...of: [...Parameters<ContrastVisit>, q: number]) => void;

/** Visits the requests whose users have a value too. */
function withSegments(
  visits: readonly ContrastVisit[],
  xs: readonly ArrayLike<number>[],
): RequestVisit {
  const [whole, ...others] = visits;
  return (stratum, side, weight, user, reward, below, isAlike, q) => {
    whole(stratum, side, weight, user, reward, below, isAlike);
    for (const [s, visit] of others.entries()) {
      if (xs[s][q] === 1) visit(stratum, side, weight, user, reward, below, isAlike);
    }
  };
}

/**
 * Reads off the log for what arms were drawn: see `drawTest`. Pairs of unequal shares are dropped.
 *
 * @param rounds bring all partitions together: one round.
 */
export function* drawOfArms(log: DividedLog, rounds: Rounds): Generator<void, DrawOfArms> {
  const size = log.arms.length;
  const cells = log.hasOwnShares ? size : log.shares.length * size;
  const turnsAt = 3 + 2 * cells;
  const sums = new NumberSums(turnsAt + 2 * TURN_SUMS);
  const { values } = yield* rounds.gather(sums, log.parts, function* look(into, part) {
    yield* addDraws(part, log, cells, into.values);
    yield* addTurns(part, log, into.values.subarray(turnsAt));
  });
  const [pairs, same, chance] = values;
  const test = drawTest({ pairs, same, chance });
  // Of users who keep their arm the first request is a draw.
  const draws = turnsAt + (isByRequest(test) ? 0 : TURN_SUMS);
  const found = { test, turns: turnTest(values.subarray(draws, draws + TURN_SUMS)) };
  const served = values.subarray(3, 3 + cells);
  const others = values.subarray(3 + cells, turnsAt);
  if (!log.hasOwnShares) return { ...found, served, firstServed: others };
  const none = new Float64Array(0);
  return { ...found, served: none, firstServed: none, own: { served, stated: others } };
}

function isByRequest({ unit }: DrawTest): boolean {
  return unit === 'request' || unit === 'neither';
}

/** Each draw, and behind that the first one of each user. */
function* addTurns(
  { requests }: ServedLog,
  { arms, shares, hasOwnShares }: DividedLog,
  into: Float64Array,
): Generator<void, void> {
  const { length, arm, stratum, share, user, stretch } = requests;
  if (stretch === undefined) return;
  const size = arms.length;
  const all = into.subarray(0, TURN_SUMS);
  const firsts = into.subarray(TURN_SUMS);
  const isKnown = new Uint8Array(usersOf(requests));
  yield* inSlices(length, (from, to) => {
    for (let q = from; q < to; q++) {
      const shareOf = (a: number) => (hasOwnShares ? share![q * size + a] : shares[stratum[q]][a]);
      addTurn(all, stretch[q], arm[q], size, shareOf);
      if (isKnown[user![q]] === 1) continue;
      isKnown[user![q]] = 1;
      addTurn(firsts, stretch[q], arm[q], size, shareOf);
    }
  });
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
      if (hasOwnShares) {
        into[3 + arm[q]]++;
        for (let a = 0; a < size; a++) into[3 + cells + a] += share![q * size + a];
      } else {
        const cell = stratum[q] * size + arm[q];
        into[3 + cell]++;
        if (isKnown[u] === 0) into[3 + cells + cell]++;
      }
      isKnown[u] = 1;
      before[u] = first < 0 ? q : -1;
      if (first < 0) continue;
      let chance = 0;
      let areEqual = true;
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
  return sampleRatioTest(isByRequest(test) ? served : firstServed, shares);
}

/**
 * What the arms of an experiment earned, each against the control.
 *
 * See `ArmContrast` for D and its errors, by user; strata are those of `shareStrata`, and beyond 64 sets
 * of shares a request counts 1 / s. O(requests · arms + rows · arms).
 *
 * @param places no place at this rank or below it is seen. @param covariates for `balanceScore`.
 * @param rounds bring all partitions together: two rounds.
 */
export function* armPairs(
  log: DividedLog,
  { served }: DrawOfArms,
  control: string,
  places: number,
  covariates: readonly Covariate[],
  rounds: Rounds,
): Generator<void, ArmPair[]> {
  const reference = log.arms.findIndex(({ list }) => log.models[list] === control);
  if (reference < 0) return [];
  const others = [...log.arms.keys()].filter((a) => a !== reference);
  const strata = log.hasOwnShares ? undefined : shareStrata(served, log.shares, true);
  const count = strata?.count ?? 1;
  const pass = new PairPass(log, reference, places, strata?.of);
  const own = meanSums(count);
  const segments = covariates.filter(({ kind }) => kind === 'segment');
  const forms = 1 + segments.length;
  const formOf = (p: number, form: number) => p * forms + form;
  const saidOf = (part: ServedLog) => segments.map(({ x }) => x[log.parts.indexOf(part)]);
  const balances = covariates.length * log.arms.length * (BALANCE_SUMS + 2);
  // By pair its means, of all and by segment, and unlike requests; then rewards by arm, then balances.
  const rewards = others.length * (forms * own + 1);
  const size = rewards + 2 * log.arms.length;
  const found = yield* rounds.gather(
    new NumberSums(size + balances),
    log.parts,
    function* add(into, part) {
      const { values } = into;
      for (const [p, other] of others.entries()) {
        const adds = Array.from({ length: forms }, (_, form) => {
          const at = formOf(p, form) * own;
          return addToMeans(values.subarray(at, at + own));
        });
        const add = withSegments(adds, saidOf(part));
        const unlike = others.length * forms * own + p;
        yield* pass.each(part, other, (stratum, side, weight, user, reward, below, isAlike, q) => {
          add(stratum, side, weight, user, reward, below, isAlike, q);
          if (!isAlike) values[unlike]++;
        });
      }
      yield* addRewards(part, values, rewards, places);
      const n = log.parts.indexOf(part);
      const xs = covariates.map(({ x }) => x[n]);
      yield* addBalances(part, log, xs, values.subarray(size));
    },
  );
  const means = Array.from(
    { length: others.length * forms },
    (_, f) => new ContrastMeans(found.values.subarray(f * own, (f + 1) * own), count),
  );
  const spreads = yield* rounds.gather(
    new NumberSums(means.length * SPREAD_SUMS),
    log.parts,
    function* spread(into, part) {
      const users = usersOf(part.requests);
      for (const [p, other] of others.entries()) {
        const own = Array.from({ length: forms }, () => new ContrastSpread(users));
        const adds = own.map((each, form) => each.adding(means[formOf(p, form)]));
        yield* pass.each(part, other, withSegments(adds, saidOf(part)));
        for (const [form, each] of own.entries()) {
          const at = formOf(p, form) * SPREAD_SUMS;
          each.addTo(into.values.subarray(at, at + SPREAD_SUMS));
        }
      }
    },
  );
  const contrastOf = (f: number) =>
    armContrast(means[f], spreads.values.subarray(f * SPREAD_SUMS, (f + 1) * SPREAD_SUMS));
  const rewardsOf = (arm: number) => {
    const at = rewards + 2 * arm;
    return effectiveSampleSize(found.values[at], found.values[at + 1]);
  };
  return others.map((arm, p) => {
    const imbalance = worst(
      covariates.flatMap((covariate, c) =>
        [arm, reference].map((a) => {
          const at = size + (c * log.arms.length + a) * (BALANCE_SUMS + 2);
          return imbalanceOf(log.models[log.arms[a].list], covariate, found.values, at);
        }),
      ),
    );
    return {
      ...contrastOf(formOf(p, 0)),
      model: log.models[log.arms[arm].list],
      isAlike: found.values[others.length * forms * own + p] === 0,
      rewards: Math.min(rewardsOf(arm), rewardsOf(reference)),
      reference: means[formOf(p, 0)].reference,
      ...(imbalance && { imbalance }),
      segments: segments.map(({ of }, s) => {
        const { all, leastUsers } = contrastOf(formOf(p, 1 + s));
        return { of, all, leastUsers };
      }),
    };
  });
}

/** Goes through the requests of a partition that one of a pair served, with what they earned. */
class PairPass {
  readonly #log: DividedLog;
  readonly #reference: number;
  readonly #places: number;
  readonly #strata: ArrayLike<number> | undefined;

  /** @param strata by number of the shares; without them a request counts 1 / s. */
  constructor(
    log: DividedLog,
    reference: number,
    places: number,
    strata: ArrayLike<number> | undefined,
  ) {
    this.#log = log;
    this.#reference = reference;
    this.#places = places;
    this.#strata = strata;
  }

  *each(part: ServedLog, other: number, visit: RequestVisit): Generator<void, void> {
    const { requests, items } = part;
    const { arm, user, share, stratum, isListed } = requests;
    const { arms } = this.#log;
    const reference = this.#reference;
    const places = this.#places;
    const strata = this.#strata;
    const [ranks, others] = [reference, other].map((a) => items.ranks[arms[a].list]);
    let row = 0;
    yield* inSlices(requests.length, (from, to) => {
      for (let q = from; q < to; q++) {
        const first = row;
        while (row < items.length && items.request[row] === q) row++;
        const side = arm[q] === other ? 1 : 0;
        if (side === 0 && arm[q] !== reference) continue;
        const served = side === 1 ? others : ranks;
        // What lists have in common is known only where all of their items are there.
        const place =
          isListed === undefined || isListed[q] === 1
            ? firstDifference(others, ranks, first, row, places)
            : 0;
        let reward = 0;
        let below = 0;
        for (let at = first; at < row; at++) {
          if (items.reward[at] === 0 || served[at] >= places) continue;
          reward += items.reward[at];
          if (served[at] >= place) below += items.reward[at];
        }
        const weight = strata === undefined ? 1 / share![q * arms.length + arm[q]] : 1;
        const of = strata === undefined ? 0 : strata[stratum[q]];
        visit(of, side, weight, user![q], reward, below, place === Number.POSITIVE_INFINITY, q);
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

/** By covariate and arm: `BALANCE_SUMS`, then Σ 1{a} and Σ 1{a} x, of users at their first requests. */
function* addBalances(
  { requests }: ServedLog,
  { arms, shares, hasOwnShares }: DividedLog,
  xs: readonly ArrayLike<number>[],
  into: Float64Array,
): Generator<void, void> {
  const { length, user, arm, stratum, share } = requests;
  const isKnown = new Uint8Array(usersOf(requests));
  yield* inSlices(length, (from, to) => {
    for (let q = from; q < to; q++) {
      const u = user![q];
      if (isKnown[u] === 1) continue;
      isKnown[u] = 1;
      for (const [c, { [q]: x }] of xs.entries()) {
        if (Number.isNaN(x)) continue;
        for (let a = 0; a < arms.length; a++) {
          const own = hasOwnShares ? share![q * arms.length + a] : shares[stratum[q]][a];
          const isServed = arm[q] === a ? 1 : 0;
          const at = (c * arms.length + a) * (BALANCE_SUMS + 2);
          addBalance(into, at, x, isServed - own);
          into[at + BALANCE_SUMS] += isServed;
          into[at + BALANCE_SUMS + 1] += isServed * x;
        }
      }
    }
  });
}

function imbalanceOf(
  model: string,
  covariate: Covariate,
  sums: Float64Array,
  at: number,
): Imbalance | undefined {
  const score = balanceScore(sums, at);
  if (Number.isNaN(score)) return undefined;
  const all = sums[at + 1] / sums[at];
  const own = sums[at + BALANCE_SUMS + 1] / sums[at + BALANCE_SUMS];
  return { model, covariate, score, own, all };
}

function worst(of: readonly (Imbalance | undefined)[]): Imbalance | undefined {
  const known = of.filter((each) => each !== undefined);
  if (known.length === 0) return undefined;
  return known.reduce((one, other) => (Math.abs(other.score) > Math.abs(one.score) ? other : one));
}
