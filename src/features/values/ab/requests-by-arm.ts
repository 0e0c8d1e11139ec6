import { mostRequests } from '../../../estimators/evidence/unit-of-draw.js';
import type { TestLog } from './test-log.js';

/** Lists of each arm and the rewards attributed to them by list id, by user of the log. */
export interface RequestsByArm {
  /** By arm and user: number of lists. */
  readonly requests: readonly Float64Array[];
  /** By arm and user: reward of these lists within the horizon. */
  readonly reward: readonly Float64Array[];
  /** By arm and user: reward of these lists after the horizon. */
  readonly late: readonly Float64Array[];
  /** By arm and user: interactions attributed to a list by id, if this list lacks the item. */
  readonly unlisted: readonly Float64Array[];
  /** By arm and user: all interactions attributed to a list by id. */
  readonly named: readonly Float64Array[];
  /** Share of the lists whose horizon has not passed. */
  readonly pending: number;
  /** Whether lists whose horizon has not passed are excluded. */
  readonly isPendingLeftOut: boolean;
}

/**
 * Lists whose horizon has not passed are excluded if they are at most this share of all lists. In a
 * short log more would be lost.
 */
const MOST_LEFT_OUT = 0.5;

/**
 * Collect the lists since a time, and their rewards, by arm and user.
 *
 * Only the first C lists of a user count, with C ten times the median and at least 20, so that
 * crawlers do not dominate. Lists whose horizon has not passed by the end are excluded, unless that
 * would be most of the log.
 */
export function requestsByArm(
  { users, arms, lists, rewards }: TestLog,
  since: number,
  {
    end,
    horizonMs,
  }: {
    readonly end: number;
    readonly horizonMs: number;
  },
): RequestsByArm {
  const isOf = (r: number) => lists.arm[r] >= 0 && lists.ts[r] >= since;
  let all = 0;
  let open = 0;
  const counts = new Int32Array(users);
  for (let r = 0; r < lists.length; r++) {
    if (!isOf(r)) continue;
    all++;
    if (lists.ts[r] + horizonMs > end) {
      open++;
    }
    counts[lists.user[r]]++;
  }
  const pending = open / all;
  const isPendingLeftOut = pending <= MOST_LEFT_OUT;
  const until = isPendingLeftOut ? end - horizonMs : Number.POSITIVE_INFINITY;
  const most = mostRequests(median(counts.filter((count) => count > 0)));
  const columns = () => arms.map(() => new Float64Array(users));
  const found = {
    requests: columns(),
    reward: columns(),
    late: columns(),
    unlisted: columns(),
    named: columns(),
  };
  const taken = new Int32Array(users);
  const stop = new Float64Array(users).fill(Number.POSITIVE_INFINITY);
  for (let r = 0; r < lists.length; r++) {
    if (!isOf(r)) continue;
    const user = lists.user[r];
    if (++taken[user] > most) {
      stop[user] = Math.min(stop[user], lists.ts[r]);
      continue;
    }
    if (lists.ts[r] <= until) {
      found.requests[lists.arm[r]][user]++;
    }
  }
  for (let r = 0; r < rewards.length; r++) {
    const arm = rewards.arm[r];
    const at = rewards.listTs[r];
    const user = rewards.user[r];
    if (arm < 0 || at < since || at >= stop[user] || at > until) continue;
    found.named[arm][user]++;
    if (rewards.isListed[r] === 0) {
      found.unlisted[arm][user]++;
    }
    const into = rewards.ts[r] - at > horizonMs ? found.late : found.reward;
    into[arm][user] += rewards.credit[r];
  }
  return {
    ...found,
    pending,
    isPendingLeftOut,
  };
}

function median(counts: Int32Array): number {
  const sorted = counts.toSorted();
  return sorted.length === 0 ? 0 : sorted[sorted.length >> 1];
}
