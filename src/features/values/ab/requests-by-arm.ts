import { mostRequests } from '../../../estimators/evidence/unit-of-draw.js';
import type { TestLog } from './test-log.js';

/** What lists of each arm earned by the interactions that name them, by user of the log. */
export interface RequestsByArm {
  /** By arm and user: lists, and what they earned within the horizon. */
  readonly requests: readonly Float64Array[];
  readonly reward: readonly Float64Array[];
  /** What came later, */
  readonly late: readonly Float64Array[];
  /** and interactions that name a list without their item, and those that name any. */
  readonly unlisted: readonly Float64Array[];
  readonly named: readonly Float64Array[];
  /** Share of the lists whose horizon has not passed, and whether these are left out. */
  readonly pending: number;
  readonly isPendingLeftOut: boolean;
}

/** More lists than this may not be left out: a short log would have none. */
const MOST_LEFT_OUT = 0.5;

/**
 * Lists and their rewards by arm and user, from an instant on.
 *
 * Of a user's lists only the first C count, C ten times the median and at least 20: a crawler would decide
 * alone. Lists whose horizon has not passed by the end are left out, unless that would be most of the log.
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
