import type { UserDepths } from '../ids/user-depths.js';

/** Maximum number of users that a pane keeps for each kind of event. */
const MOST = 256;
const SLICE = 16_384;

/** Kinds of events by which users are sampled. */
export const EVENT_KINDS = ['exposures', 'interactions'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A sample of the users who had events in a pane, by their keys (`UserDepths.keyOf`). */
export interface PaneUsers {
  /** Sampling level: least depth of users in the sample. */
  readonly level: number;
  /** Keys in ascending order. */
  readonly exposures: Float64Array;
  readonly interactions: Float64Array;
}

/** Events and their users. Only the first `length` elements of `user` count. */
export interface EventUsers {
  readonly length: number;
  readonly user: Int32Array;
}

/**
 * Sample the users of a pane's events by depth, with at most 256 users of each kind.
 *
 *   level = min { k ≥ least : users of depth ≥ k with events of a kind ≤ 256, for each kind }
 *
 * The result does not depend on the order of the events. Yields regularly.
 *
 * @param least users of smaller depth may be missing in the events
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
