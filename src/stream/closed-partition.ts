import type { CountedUsers } from '../estimators/diagnostics/heavy-users.js';
import { isCapped } from '../state/counts/popularity-rule.js';
import type { Reach } from '../state/counts/reach.js';
import type { ClosedPanes } from '../state/panes/closed-panes.js';
import type { RowSource } from '../state/panes/group-by-user.js';
import { windowRequests } from '../state/requests/window-requests.js';
import type { UserTable } from './ids.js';
import type { MonitorOptions } from './options.js';
import { sampleLevel } from './sample-limits.js';
import type { TickPartition } from './tick-input.js';

/** The closed side of a partition with all users that were kept in it. */
export interface ClosedSide {
  readonly closed: ClosedPanes;
  /** The users' ids; only where users are resampled, sets drawn, or lists valued by requests. */
  readonly users?: UserTable | undefined;
  /** Whom its lists reached, of the users of this depth or more; undefined where they are not here. */
  readonly reach?: (
    from: number,
    to: number,
    items: number,
    level: number,
  ) => Generator<void, Reach>;
}

/**
 * A partition whose panes through this one are closed. Its sample is of one level with that of all
 * other partitions: a user's chance to be in it must not depend on where the user lives.
 */
export function closedPartition(
  pane: number,
  options: MonitorOptions,
  { closed, users, reach }: ClosedSide,
): TickPartition {
  return {
    level: sampleLevel(closed, pane, options),
    seen: closed.seen,
    users: isCapped(options.popularity) ? countedUsers(closed, users) : undefined,
    *sampled(level) {
      const kept = yield* closed.sampled(level);
      const source: RowSource = {
        closed: kept,
        userCounts: closed.userCounts.counts,
        keyOf: users && ((user) => users.hash(user)),
        reach: reach && ((from, to, items) => reach(from, to, items, level)),
      };
      return {
        ...{ rows: kept.rows, knowsReach: reach !== undefined, source },
        nameOf: users && ((user) => users.text(user)),
        requests: (models, last) => windowRequests(kept.requests, last, models, source.keyOf),
      };
    },
  };
}

function countedUsers(
  { userCounts: { counts, size } }: ClosedPanes,
  users: UserTable | undefined,
): CountedUsers {
  return {
    counts: counts.subarray(0, Math.min(size, counts.length)),
    nameOf: users && ((user) => users.text(user)),
  };
}
