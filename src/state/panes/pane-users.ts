import type { UserDepths } from '../ids/user-depths.js';

/** Most users that a pane keeps for each kind of event. */
const MOST = 256;
const SLICE = 16_384;

/** Whether users are seen by their lists or by their interactions. */
export const EVENT_KINDS = ['exposures', 'interactions'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A sample of the users who had events in a pane, by their keys (`UserDepths.keyOf`). */
export interface PaneUsers {
  /** Users who lie less deep are not in it. */
  readonly level: number;
  /** Ascending. */
  readonly exposures: Float64Array;
  readonly interactions: Float64Array;
}

/** Users of events, by their dense numbers; the first `length` of them. */
export interface EventUsers {
  readonly length: number;
  readonly user: Int32Array;
}

/**
 * The users of a pane's events that lie deep enough for there to be at most 256 of each kind.
 *
 *   level = min { k ≥ least : users of depth ≥ k with events of a kind ≤ 256, for each kind }
 *
 * It does not depend on the order of the events. Yields now and then.
 *
 * @param least users who lie less deep may be missing in the events
 */
export function* paneUsers(
  events: Readonly<Record<EventKind, EventUsers>>,
  depths: UserDepths,
  least: number,
): Generator<void, PaneUsers> {
  let level = least;
  const kept = {
    exposures: new Set<number>(),
    interactions: new Set<number>(),
  };
  for (const kind of EVENT_KINDS) {
    const { user, length } = events[kind];
    const users = kept[kind];
    for (let r = 0; r < length; r++) {
      if (r % SLICE === SLICE - 1) {
        yield;
      }
      if (depths.of(user[r]) < level) continue;
      users.add(user[r]);
      while (users.size > MOST) {
        level++;
        for (const each of users) {
          if (depths.of(each) < level) {
            users.delete(each);
          }
        }
      }
    }
  }
  const keysOf = (users: Set<number>) => {
    const deep = [...users].filter((user) => depths.of(user) >= level);
    return Float64Array.from(deep, (user) => depths.keyOf(user)).sort();
  };
  return {
    level,
    exposures: keysOf(kept.exposures),
    interactions: keysOf(kept.interactions),
  };
}
