import { OFF_SCALE, RANDOMIZED, RATED } from '../../events/columns.js';
import type { PaneRows } from './pane-rows.js';
import { type RatedPart, UNRANKED } from './window-part.js';

/** References to rated rows, grouped by user: entry n refers to row[n] of panes[pane[n]]. */
interface Places {
  readonly pane: Int32Array;
  readonly row: Int32Array;
}

/**
 * Group the ratings of a window by user, with the first rating of each (user, item). A (user, item)
 * counts twice if it has both a rating that the user chose to give and one from randomised traffic:
 * once in each of these two samples. O(rows + users + items).
 *
 * @param panes closed panes of one partition, oldest first. @param models dense model numbers.
 * @param userCounts interactions per user over the popularity horizon.
 */
export function ratedPart(
  panes: readonly PaneRows[],
  models: readonly number[],
  userCounts: Int32Array,
): RatedPart {
  const { starts, rows, segments, items, offScale } = countedByUser(panes);
  const places = scattered(panes, starts, rows);
  const start = new Int32Array(segments.length + 1);
  // By item and traffic: the latest user segment with it.
  const claimed = new Int32Array(2 * items);
  let kept = 0;
  for (let s = 0; s < segments.length; s++) {
    const user = segments[s];
    for (let at = starts[user]; at < starts[user] + rows[user]; at++) {
      const { item, flags } = panes[places.pane[at]];
      const row = places.row[at];
      const key = 2 * item[row] + ((flags[row] & RANDOMIZED) === 0 ? 0 : 1);
      if (claimed[key] === s + 1) continue;
      claimed[key] = s + 1;
      places.pane[kept] = places.pane[at];
      places.row[kept++] = row;
    }
    start[s + 1] = kept;
  }
  return {
    users: segments.length,
    start,
    user: Int32Array.from(segments),
    userCount: Float64Array.from(segments, (user) => userCounts[user] ?? 0),
    offScale,
    ...columnsOf(panes, places, kept, models),
  };
}

/** Rated rows of users. User u has the entries starts[u] to starts[u] + rows[u] − 1. */
interface RatedUsers {
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  /** Users with a rated row, in the order of their entries. */
  readonly segments: readonly number[];
  /** Upper bound (exclusive) of item numbers. */
  readonly items: number;
  readonly offScale: number;
}

/**
 * Count rated rows by user, with users in the order of their first ratings. An order by user number
 * could differ after a restart or in another process and change the rounding of sums.
 */
function countedByUser(panes: readonly PaneRows[]): RatedUsers {
  let users = 0;
  let items = 0;
  let offScale = 0;
  for (const { length, user, item } of panes) {
    for (let r = 0; r < length; r++) {
      if (user[r] >= users) {
        users = user[r] + 1;
      }
      if (item[r] >= items) {
        items = item[r] + 1;
      }
    }
  }
  const rows = new Int32Array(users);
  const segments: number[] = [];
  for (const { length, user, flags } of panes) {
    for (let r = 0; r < length; r++) {
      if ((flags[r] & RATED) !== 0) {
        if (rows[user[r]]++ === 0) {
          segments.push(user[r]);
        }
      } else if ((flags[r] & OFF_SCALE) !== 0) {
        offScale++;
      }
    }
  }
  const starts = new Int32Array(users);
  let next = 0;
  for (const user of segments) {
    starts[user] = next;
    next += rows[user];
  }
  return {
    starts,
    rows,
    segments,
    items,
    offScale,
  };
}

function scattered(panes: readonly PaneRows[], starts: Int32Array, rows: Int32Array): Places {
  const all = rows.reduce((sum, own) => sum + own, 0);
  const places = {
    pane: new Int32Array(all),
    row: new Int32Array(all),
  };
  const cursor = starts.slice();
  for (const [p, { length, user, flags }] of panes.entries()) {
    for (let r = 0; r < length; r++) {
      if ((flags[r] & RATED) === 0) continue;
      const at = cursor[user[r]]++;
      places.pane[at] = p;
      places.row[at] = r;
    }
  }
  return places;
}

function columnsOf(
  panes: readonly PaneRows[],
  places: Places,
  rows: number,
  models: readonly number[],
): Pick<RatedPart, 'item' | 'rating' | 'isRandom' | 'propensity' | 'ranks' | 'scores'> {
  const item = new Int32Array(rows);
  const rating = new Float32Array(rows);
  const isRandom = new Uint8Array(rows);
  const propensity = new Float32Array(rows);
  for (let n = 0; n < rows; n++) {
    const from = panes[places.pane[n]];
    const row = places.row[n];
    item[n] = from.item[row];
    rating[n] = from.ratings!.rating[row];
    isRandom[n] = (from.flags[row] & RANDOMIZED) === 0 ? 0 : 1;
    propensity[n] = from.propensity?.[row] ?? 0;
  }
  const ranks = models.map(() => new Uint16Array(rows));
  const scores = models.map(() => new Float32Array(rows));
  for (const [m, model] of models.entries()) {
    for (let n = 0; n < rows; n++) {
      const from = panes[places.pane[n]];
      ranks[m][n] = from.ranks[model]?.[places.row[n]] ?? UNRANKED;
      scores[m][n] = from.ratings!.scores[model]?.[places.row[n]] ?? Number.NaN;
    }
  }
  return {
    item,
    rating,
    isRandom,
    propensity,
    ranks,
    scores,
  };
}
