import type { TestLog } from './test-log.js';

/** Participants of a test, one per row, with their activity from their first list on. */
export interface Participants {
  readonly length: number;
  /** By user of the log: the row, or −1 for users who do not take part. */
  readonly rowOf: Int32Array;
  /** Arm of the user's first list. */
  readonly arm: Int16Array;
  /** Time of the user's first list, ms. */
  readonly first: Float64Array;
  /** Assignment probability of the arm, as stated by the user's first list; NaN if not stated. */
  readonly share: Float64Array;
  /** By segment dimension: codes of the user's first list. */
  readonly codes: readonly Uint16Array[];
  /** N, number of lists from the user's first list on. */
  readonly lists: Float64Array;
  /** Y, reward from the user's first list on. */
  readonly reward: Float64Array;
  /** The part of the reward Y that has list ids. */
  readonly named: Float64Array;
  /**
   * x = ln(1 + number of the user's positive interactions before the first list). NaN if the log
   * has no positive interaction of anyone before that time.
   */
  readonly history: Float64Array;
}

/**
 * Select the participants: users with a served list at or after t₀, with or without rewards. A user
 * takes part from the first such list on.
 */
export function participantsOf({ users, lists, rewards }: TestLog, since: number): Participants {
  const rowOf = new Int32Array(users).fill(-1);
  const firstList: number[] = [];
  for (let r = 0; r < lists.length; r++) {
    if (lists.arm[r] < 0 || lists.ts[r] < since) continue;
    const user = lists.user[r];
    const row = rowOf[user];
    if (row < 0) {
      rowOf[user] = firstList.push(r) - 1;
    } else if (lists.ts[r] < lists.ts[firstList[row]]) {
      firstList[row] = r;
    }
  }
  const length = firstList.length;
  const first = Float64Array.from(firstList, (r) => lists.ts[r]);
  const count = new Float64Array(length);
  for (let r = 0; r < lists.length; r++) {
    const row = rowOf[lists.user[r]];
    if (row >= 0 && lists.arm[r] >= 0 && lists.ts[r] >= since) {
      count[row]++;
    }
  }
  const reward = new Float64Array(length);
  const named = new Float64Array(length);
  const before = new Float64Array(length);
  let begins = Number.POSITIVE_INFINITY;
  for (let r = 0; r < rewards.length; r++) {
    if (rewards.isPositive[r] === 1 && rewards.ts[r] < begins) {
      begins = rewards.ts[r];
    }
    const row = rowOf[rewards.user[r]];
    if (row < 0) continue;
    if (rewards.ts[r] < first[row]) {
      before[row] += rewards.isPositive[r];
    } else {
      reward[row] += rewards.worth[r];
      if (rewards.arm[r] >= 0) {
        named[row] += rewards.worth[r];
      }
    }
  }
  return {
    length,
    rowOf,
    first,
    arm: Int16Array.from(firstList, (r) => lists.arm[r]),
    share: Float64Array.from(firstList, (r) => lists.share[r]),
    codes: lists.codes.map((codes) => Uint16Array.from(firstList, (r) => codes[r])),
    lists: count,
    reward,
    named,
    history: before.map((positives, u) => (begins < first[u] ? Math.log1p(positives) : Number.NaN)),
  };
}

/**
 * List the rewards of participants with the day on which they came: one entry per reward, with the
 * participant's row.
 */
export function rewardsByDay(
  { rewards }: TestLog,
  { rowOf, first }: Participants,
  dayOf: (ts: number) => number,
): {
  readonly row: Int32Array;
  readonly day: Int32Array;
  readonly worth: Float64Array;
} {
  const row = new Int32Array(rewards.length);
  const day = new Int32Array(rewards.length);
  const worth = new Float64Array(rewards.length);
  let length = 0;
  for (let r = 0; r < rewards.length; r++) {
    const own = rowOf[rewards.user[r]];
    if (own < 0 || rewards.ts[r] < first[own]) continue;
    row[length] = own;
    day[length] = dayOf(rewards.ts[r]);
    worth[length] = rewards.worth[r];
    length++;
  }
  return {
    row: row.subarray(0, length),
    day: day.subarray(0, length),
    worth: worth.subarray(0, length),
  };
}
