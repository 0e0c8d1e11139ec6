import { drawTest } from '../../../estimators/evidence/unit-of-draw.js';
import type { TestLog } from './test-log.js';

/** Share of a user's consecutive lists with the same arm above which users keep their arms. */
const KEPT = 0.95;
/** Users keep their arms only if at most this share of the users of each arm end in another arm. */
const MOST_MOVED = 0.1;
/**
 * There is no split if two arms served at the same time in more than this share of the pairs of
 * consecutive lists.
 */
const MOST_JOINT = 0.5;

/** How arms were assigned. */
export interface Assignment {
  /** `joint`: requests have lists of several models, so there is no test. */
  readonly unit: 'user' | 'request' | 'neither' | 'joint';
  /** Whether the unit is an assumption, since too few users return to determine it. */
  readonly isAssumed: boolean;
  /**
   * Share of pairs of a user's consecutive lists that have the same arm, and the share expected
   * with randomisation by request.
   */
  readonly same: number;
  readonly expected: number;
  /** Share of lists that are of another arm than their user's first list. */
  readonly strays: number;
}

/**
 * Determine the unit of randomisation from disjoint pairs of a user's consecutive lists, from a
 * time on.
 *
 * S of N pairs have the same arm. Randomisation is by user if S ≥ .99 N, or if S ≥ .95 N and in
 * every arm at most .10 of the users that began there end in another arm. It is by request if the
 * arms of a pair are independent, given how often these pairs have each arm. It is `joint` if most
 * pairs have two arms at the same time.
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
    // There is no other sign than the number of users with several arms.
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

/** Share of an arm's first users whose last list is of another arm; the maximum over arms. */
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
 * p-value below which an arm counts as started later than the others. p is the probability that the
 * arm misses, by chance, every user who comes before its first list.
 */
const LEAST_P = 0.001;

/**
 * Find the start t₀ of the test, and the arm that had served alone before it.
 *
 * t₀ is the time of the first list of the arm that started last, unless all arms may have begun
 * together. Let n users have lists before that time, and s be this arm's share of the later lists.
 * If randomisation explains n, that is (1 − s)^n ≥ .001, t₀ is the time of the first list of the
 * log.
 *
 * `first` is the arm that served alone for a day or more before the second arm; undefined if there
 * is none.
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
