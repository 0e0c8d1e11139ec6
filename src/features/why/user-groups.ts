import type { Selection } from '../../estimators/lanes/selection.js';
import type { UserSumsObserver } from '../../estimators/lanes/user-sums.js';
import type { Denominators } from '../../estimators/uncertainty/moments.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';

/**
 * Measures by which users are grouped. `activity`: number of interactions; `taste`: fraction of the
 * positive interactions that is with popular items.
 */
export const USER_GROUPINGS = ['activity', 'taste'] as const;
export type UserGrouping = (typeof USER_GROUPINGS)[number];

/** A grouping of users by a measure. Group g contains the users with from ≤ measure < to. */
export interface UserGroups {
  readonly by: UserGrouping;
  readonly bounds: readonly {
    readonly from: number;
    readonly to: number;
  }[];
  /** Index of the group of a user, by the user's number in the window's rows. */
  of(segment: number): number;
}

/** Bounds of the groups by activity, in interactions. */
const ACTIVITY = [0, 2, 4, 8, 16, 32, 64, Number.POSITIVE_INFINITY];
/** Bounds of the groups by taste, in fractions of interactions with popular items. */
const TASTE = [0, 0.2, 0.4, 0.6, 0.8, Number.POSITIVE_INFINITY];

/**
 * Group users by activity: their number of interactions in the popularity horizon, n_u. The groups
 * have at most 1, 2 to 3, 4 to 7 interactions, and so on.
 */
export function byActivity({ userCount }: WindowPart): UserGroups {
  return grouped('activity', ACTIVITY, (segment) => userCount[segment]);
}

/**
 * Group users by taste, in steps of 0.2. Taste is the fraction of a user's positive interactions
 * that is with popular items. Items are popular if they are among the most frequent ones that
 * together have half of all interactions in the horizon. Items with equal counts stay together.
 * O(items log items).
 */
export function byTaste(
  { userStart, positive, item: itemOf }: WindowPart,
  { popularity, items }: ItemTotals,
): UserGroups {
  const order = Int32Array.from({ length: items }, (_, item) => item);
  order.sort((a, b) => popularity[b] - popularity[a]);
  let total = 0;
  for (let item = 0; item < items; item++) {
    total += popularity[item];
  }
  let held = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let r = 0; r < items && held < total / 2; r++) {
    least = popularity[order[r]];
    held += least;
  }
  return grouped('taste', TASTE, (segment) => {
    let rows = 0;
    let popular = 0;
    for (let r = userStart[segment]; r < userStart[segment + 1]; r++) {
      if (positive[r] === 0) continue;
      rows++;
      if (popularity[itemOf[r]] >= least) {
        popular++;
      }
    }
    return rows === 0 ? 0 : popular / rows;
  });
}

function grouped(
  by: UserGrouping,
  edges: readonly number[],
  measure: (segment: number) => number,
): UserGroups {
  const bounds = edges.slice(1).map((to, g) => ({
    from: edges[g],
    to,
  }));
  return {
    by,
    bounds,
    of(segment) {
      const own = measure(segment);
      return bounds.findIndex(({ to }) => own < to);
    },
  };
}

/** Sums one estimate over the users of each group, as an observer of the passes that compute it. */
export class GroupSums implements UserSumsObserver {
  /** Sum of the users' numerators, by group. */
  readonly numerators: Float64Array;
  /** Number of users with weight, by group. */
  readonly users: Float64Array;
  readonly #groups: UserGroups;
  readonly #slot: number;

  /**
   * Prepare the sums.
   *
   * @param slot position of the estimate among those of its lane, see `slotOf`.
   */
  constructor(groups: UserGroups, slot: number) {
    this.#groups = groups;
    this.#slot = slot;
    this.numerators = new Float64Array(groups.bounds.length);
    this.users = new Float64Array(groups.bounds.length);
  }

  begin(): void {}

  observe(
    slot: number,
    numerators: Float64Array,
    { values }: Denominators,
    { users, segment }: Selection,
  ): void {
    if (slot !== this.#slot) return;
    for (let u = 0; u < users; u++) {
      if (!(values[u] > 0)) continue;
      const group = this.#groups.of(segment[u]);
      this.numerators[group] += numerators[u];
      this.users[group]++;
    }
  }
}
