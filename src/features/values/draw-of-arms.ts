import { TurnSums, type TurnTest } from '../../estimators/evidence/turns.js';
import { type DrawTest, drawTest } from '../../estimators/evidence/unit-of-draw.js';
import type { ServedLog } from './arms/served-log.js';
import { servedCounts } from './arms/share-strata.js';
import { type SampleRatioTest, sampleRatioTest } from './sample-ratio.js';

/** Randomisation of arms as determined from the log. */
export interface DrawOfArms {
  readonly test: DrawTest;
  readonly turns: TurnTest;
  /**
   * Number of requests by `[stratum · arms + arm]`. `served` counts all requests, `firstServed`
   * only the first of each user. Both are empty with `own`.
   */
  readonly served: Float64Array;
  readonly firstServed: Float64Array;
  /**
   * By arm: number of requests that it served, and the sum of its stated shares over all requests.
   * Only if each request has its own shares.
   */
  readonly own?: {
    readonly served: Float64Array;
    readonly stated: Float64Array;
  };
}

/**
 * Determine from the log how arms were randomised: the unit (see `drawTest`), whether arms
 * alternated over time, and how often each arm was served.
 */
export function drawOfArms(log: ServedLog): DrawOfArms {
  const test = drawTest(pairsOfUsers(log));
  // If users keep their arm, only their first request is a draw.
  const turns = turnsOf(log, !isByRequest(test));
  const none = new Float64Array(0);
  if (log.requests.share !== undefined) {
    return {
      test,
      turns,
      served: none,
      firstServed: none,
      own: servedByOwnShares(log),
    };
  }
  return {
    test,
    turns,
    ...servedByStrata(log),
  };
}

function isByRequest({ unit }: DrawTest): boolean {
  return unit === 'request' || unit === 'neither';
}

/** Return a function that gives the stated share of an arm at a request. */
export function shareOf({ requests, arms, shares }: ServedLog): (q: number, arm: number) => number {
  const { share, stratum } = requests;
  if (share === undefined) return (q, arm) => shares[stratum[q]][arm];
  return (q, arm) => share[q * arms.length + arm];
}

/**
 * Count disjoint pairs of a user's consecutive requests: all pairs, pairs with the same arm, and
 * the number of the latter expected with randomisation by request. Pairs whose two requests have
 * unequal shares are left out.
 */
function pairsOfUsers(log: ServedLog): Parameters<typeof drawTest>[0] {
  const { length, arm, user } = log.requests;
  const size = log.arms.length;
  const share = shareOf(log);
  const before = new Int32Array(usersOf(log)).fill(-1);
  let pairs = 0;
  let same = 0;
  let chance = 0;
  for (let q = 0; q < length; q++) {
    const first = before[user![q]];
    before[user![q]] = first < 0 ? q : -1;
    if (first < 0) continue;
    let ofPair = 0;
    let areEqual = true;
    for (let a = 0; a < size; a++) {
      const own = share(q, a);
      ofPair += own * own;
      if (own !== share(first, a)) {
        areEqual = false;
      }
    }
    if (!areEqual) continue;
    pairs++;
    if (arm[q] === arm[first]) {
      same++;
    }
    chance += ofPair;
  }
  return {
    pairs,
    same,
    chance,
  };
}

/**
 * Test whether arms alternated over time, from all requests or from the first request of each user.
 */
function turnsOf(log: ServedLog, isOfFirsts: boolean): TurnTest {
  const { length, arm, stretch } = log.requests;
  const sums = new TurnSums();
  if (stretch === undefined) return sums.test();
  const share = shareOf(log);
  const isFirst = isOfFirsts ? firstRequests(log) : undefined;
  for (let q = 0; q < length; q++) {
    if (isFirst?.[q] === 0) continue;
    sums.add(stretch[q], arm[q], log.arms.length, (a) => share(q, a));
  }
  return sums.test();
}

/** Number of requests by stratum and arm: of all requests, and of users' first requests. */
function servedByStrata(log: ServedLog): Pick<DrawOfArms, 'served' | 'firstServed'> {
  const { length, arm, stratum } = log.requests;
  const served = servedCounts(log);
  const firstServed = new Float64Array(served.length);
  const isFirst = firstRequests(log);
  for (let q = 0; q < length; q++) {
    if (isFirst[q] === 1) {
      firstServed[stratum[q] * log.arms.length + arm[q]]++;
    }
  }
  return { served, firstServed };
}

/**
 * By arm: number of requests that it served, and the sum of its stated shares over all requests.
 */
function servedByOwnShares({
  requests: { length, arm, share },
  arms,
}: ServedLog): NonNullable<DrawOfArms['own']> {
  const served = new Float64Array(arms.length);
  const stated = new Float64Array(arms.length);
  for (let q = 0; q < length; q++) {
    served[arm[q]]++;
    for (let a = 0; a < arms.length; a++) {
      stated[a] += share![q * arms.length + a];
    }
  }
  return { served, stated };
}

/** Mark each user's first request: 1 by request, otherwise 0. */
export function firstRequests(log: ServedLog): Uint8Array {
  const { length, user } = log.requests;
  const isFirst = new Uint8Array(length);
  const isKnown = new Uint8Array(usersOf(log));
  for (let q = 0; q < length; q++) {
    if (isKnown[user![q]] === 1) continue;
    isKnown[user![q]] = 1;
    isFirst[q] = 1;
  }
  return isFirst;
}

/** Number of users: one more than the largest user index of the log. */
export function usersOf({ requests: { length, user } }: ServedLog): number {
  let users = 0;
  for (let q = 0; q < length; q++) {
    users = Math.max(users, user![q] + 1);
  }
  return users;
}

/** Sample ratio test over all requests, or over users' first requests if users keep their arm. */
export function drawnRatio(
  { test, served, firstServed }: DrawOfArms,
  shares: ServedLog['shares'],
): SampleRatioTest {
  return sampleRatioTest(isByRequest(test) ? served : firstServed, shares);
}
