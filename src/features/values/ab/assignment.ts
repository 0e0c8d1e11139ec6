import { drawTest } from '../../../estimators/evidence/unit-of-draw.js';
import type { TestLog } from './test-log.js';

/** From this share of a user's following lists on that are of one arm, users keep their arms, */
const KEPT = 0.95;
/** unless more users of an arm than this end in another one. */
const MOST_MOVED = 0.1;
/** From this share of following lists on that two arms served at one instant, nobody was split. */
const MOST_JOINT = 0.5;

/** Whether users, or requests, were split. */
export interface Assignment {
  /** `joint`: lists of several models are of one request, so there is no test. */
  readonly unit: 'user' | 'request' | 'neither' | 'joint';
  /** Too few users return to tell. */
  readonly isAssumed: boolean;
  /** Share of following lists with one arm, and what chance alone would make it. */
  readonly same: number;
  readonly expected: number;
  /** Share of the lists that are not of their user's first arm. */
  readonly strays: number;
}

/**
 * What was split, by disjoint pairs of a user's following lists from an instant on.
 *
 * S of N pairs have one arm: S ≥ .99 N: by user. S ≥ .95 N, and of no arm's users with two lists do more
 * than .10 end in another one: by user. Independent: by request. Shares are those of the arms in these pairs.
 */
export function assignmentOf({ users, arms, lists }: TestLog, since: number): Assignment {
  const first = new Int16Array(users).fill(-1);
  const last = new Int16Array(users).fill(-1);
  const lastTs = new Float64Array(users);
  const isOdd = new Uint8Array(users);
  const served = new Float64Array(arms.length);
  let pairs = 0;
  let same = 0;
  let joint = 0;
  let strays = 0;
  let all = 0;
  for (let r = 0; r < lists.length; r++) {
    const arm = lists.arm[r];
    if (arm < 0 || lists.ts[r] < since) continue;
    const user = lists.user[r];
    all++;
    if (first[user] < 0) {
      first[user] = arm;
    } else if (isOdd[user] === 1) {
      pairs++;
      served[arm]++;
      served[last[user]]++;
      if (arm === last[user]) {
        same++;
      } else if (lists.ts[r] === lastTs[user]) {
        joint++;
      }
    }
    if (arm !== first[user]) {
      strays++;
    }
    isOdd[user] = 1 - isOdd[user];
    last[user] = arm;
    lastTs[user] = lists.ts[r];
  }
  const chance = served.reduce((total, each) => total + (each / (2 * pairs)) ** 2, 0);
  const found = drawTest({
    pairs,
    same,
    chance: pairs * chance,
  });
  const known = {
    same: found.share,
    expected: found.expected,
    strays: strays / all,
  };
  if (joint > MOST_JOINT * pairs) {
    return {
      unit: 'joint',
      isAssumed: false,
      ...known,
    };
  }
  const isMoved = mostMoved(first, last, arms.length) > MOST_MOVED;
  if (found.unit === 'unknown') {
    // Nothing tells, but that many users had several arms.
    return {
      unit: isMoved ? 'joint' : 'user',
      isAssumed: true,
      ...known,
    };
  }
  const keeps = found.unit !== 'request' && same >= KEPT * pairs && !isMoved;
  const unit = found.unit === 'user' || keeps ? 'user' : found.unit;
  return {
    unit,
    isAssumed: false,
    ...known,
  };
}

/** Of each arm's users the share whose last list is of another one: the largest. */
function mostMoved(first: Int16Array, last: Int16Array, arms: number): number {
  const all = new Float64Array(arms);
  const moved = new Float64Array(arms);
  for (let u = 0; u < first.length; u++) {
    if (first[u] < 0) continue;
    all[first[u]]++;
    if (last[u] !== first[u]) {
      moved[first[u]]++;
    }
  }
  return Math.max(0, ...all.map((users, a) => (users > 0 ? moved[a] / users : 0)));
}

/**
 * p-value below which an arm counts as started later: the probability that so many users lack
 * it by chance.
 */
const LEAST_P = 0.001;

/**
 * t₀: when the last of the arms first served a list, and which one had served alone for a day by then.
 *
 * All began together, and t₀ is the first list, if chance alone makes so many users come before that arm has
 * one: (1 − s)^n ≥ .001, s its share of the lists since.
 */
export function startOf({ users, arms, lists }: TestLog): {
  readonly since: number;
  readonly first: number | undefined;
} {
  const begins = new Float64Array(arms.length).fill(Number.POSITIVE_INFINITY);
  for (let r = 0; r < lists.length; r++) {
    const arm = lists.arm[r];
    if (arm >= 0 && lists.ts[r] < begins[arm]) {
      begins[arm] = lists.ts[r];
    }
  }
  const [earliest, second] = [...begins].sort((a, b) => a - b);
  const latest = Math.max(...begins);
  const last = begins.indexOf(latest);
  const isEarly = new Uint8Array(users);
  let early = 0;
  let own = 0;
  let since = 0;
  for (let r = 0; r < lists.length; r++) {
    if (lists.arm[r] < 0) continue;
    if (lists.ts[r] >= latest) {
      since++;
      if (lists.arm[r] === last) {
        own++;
      }
    } else if (isEarly[lists.user[r]] === 0) {
      isEarly[lists.user[r]] = 1;
      early++;
    }
  }
  const areTogether = (1 - own / since) ** early >= LEAST_P;
  const isAlone = second - earliest >= DAY_MS;
  return {
    since: areTogether ? earliest : latest,
    first: isAlone ? begins.indexOf(earliest) : undefined,
  };
}

export const DAY_MS = 86_400_000;
