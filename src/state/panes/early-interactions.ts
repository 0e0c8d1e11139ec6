import { LATE, NAMES_EXPOSURE } from '../../events/columns.js';
import { RecentIds } from '../ids/recent-ids.js';
import type { OpenPane, PendingInteractions } from './open-pane.js';

const MARKS_PER_NAME = 8;
const MOST_MARKS = 2 ** 24;

/** Numbers of interactions that precede their attributed list. */
export interface EarlyInteractions {
  /** Number of interactions that were moved to the time of their list. */
  moved: number;
  /**
   * Number of interactions that kept their time, since their list is later by more than the allowed
   * clock skew.
   */
  left: number;
}

/**
 * Move interactions that come shortly before their attributed list to the time of that list,
 * since different clocks stamped the two. If the list is in a later pane, the interaction moves
 * there.
 *
 * @param later panes that begin within `skewMs` of the end of this one
 */
export function alignWithLists(
  open: OpenPane,
  later: readonly OpenPane[],
  skewMs: number,
): EarlyInteractions {
  const early = {
    moved: 0,
    left: 0,
  };
  const { interactions } = open.pending;
  const isNamed = namedIn(interactions);
  if (isNamed === undefined) return early;
  const moved: number[] = [];
  for (const pane of [open, ...later]) {
    const lists = namedLists(pane, isNamed);
    if (lists === undefined) continue;
    const { user, ts } = pane.pending.exposures;
    for (let r = 0; r < interactions.length; r++) {
      if (!namesList(interactions.flags[r])) continue;
      const list = lists.find(interactions.exposureHigh[r], interactions.exposureLow[r], 0);
      if (list < 0 || user[list] !== interactions.user[r]) continue;
      const ahead = ts[list] - interactions.ts[r];
      if (ahead <= 0) continue;
      if (ahead > skewMs) {
        early.left++;
        continue;
      }
      early.moved++;
      if (pane === open) {
        interactions.ts[r] = ts[list];
      } else {
        pane.takeOver(interactions, r, ts[list]);
        moved.push(r);
      }
    }
  }
  if (moved.length > 0) {
    interactions.remove(moved.sort((a, b) => a - b));
  }
  return early;
}

/** Whether the interaction is not late and has a list id. */
function namesList(flags: number): boolean {
  return (flags & (NAMES_EXPOSURE | LATE)) === NAMES_EXPOSURE;
}

/**
 * Build a fast filter for lists to which interactions may be attributed. The filter takes the low
 * half of a list id. It returns false only if no interaction has a list id with this low half, and
 * may wrongly return true. Undefined if no interaction has a list id.
 */
function namedIn({ flags, exposureLow, length }: PendingInteractions) {
  let names = 0;
  for (let r = 0; r < length; r++) {
    if (namesList(flags[r])) {
      names++;
    }
  }
  if (names === 0) return undefined;
  const size = Math.min(MOST_MARKS, 2 ** Math.ceil(Math.log2(MARKS_PER_NAME * names)));
  const marks = new Uint8Array(size);
  for (let r = 0; r < length; r++) {
    if (namesList(flags[r])) {
      marks[exposureLow[r] & (size - 1)] = 1;
    }
  }
  return (idLow: number) => marks[idLow & (size - 1)] === 1;
}

/**
 * Index a pane's lists by id: the index gives the row of a list. Lists that are late, or that no
 * interaction can be attributed to, are left out. Undefined if no list remains.
 */
function namedLists(
  { pending: { exposures } }: OpenPane,
  isNamed: (idLow: number) => boolean,
): RecentIds | undefined {
  const { flags, idHigh, idLow, length } = exposures;
  let lists: RecentIds | undefined;
  for (let r = 0; r < length; r++) {
    if (!isNamed(idLow[r]) || (flags[r] & LATE) !== 0) continue;
    lists ??= new RecentIds(Number.POSITIVE_INFINITY, true);
    lists.add(idHigh[r], idLow[r], 0, r);
  }
  return lists;
}
