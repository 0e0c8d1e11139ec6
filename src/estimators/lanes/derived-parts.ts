import { renumbered, taken, takenCauses } from '../../state/panes/row-causes.js';
import { takenSegments } from '../../state/panes/row-segments.js';
import {
  type ItemCounts,
  LIST_FULL,
  LIST_PARTIAL,
  NOT_IN_LIST,
  type WindowPart,
} from '../../state/panes/window-part.js';
import { levelIndex } from '../interventions/level-index.js';
import { perItem } from './per-item.js';

export const BASELINES = ['popularity', 'none'] as const;

export type Baseline = (typeof BASELINES)[number];

/** Name of the built-in model. A logged model of this name replaces it. */
export const BASELINE_MODEL = 'popularity';

/** Maximum length of the popularity list, the same as for lists in events. */
const LONGEST_LIST = 10_000;

/** Ranking of the catalogue by popularity, one list for all users. */
export interface PopularityRanking {
  /** 0-based rank per item, `NOT_IN_LIST` for items not in the list. */
  readonly rank: Uint16Array;
  /** List code: length of the list and what is known of its candidates, as in `WindowPart.lists`. */
  readonly list: number;
}

/**
 * Rank the catalogue by n_i, as the list of the built-in popularity model; ties are ordered by id
 * in code-point order.
 *
 * Items that a user has interacted with are not left out, because a window does not know all of
 * them; so the model may look weaker than one that leaves them out.
 * Source: the usual non-personalised baseline (PosPop in Carraro & Bridge 2020).
 *
 * The list of a catalogue of more than 10,000 items is cut after 10,000, like lists in events; ties
 * across the cut are left out, and auc is not reported. O(items), and O(t log t) for t tied items.
 *
 * @param isInCatalogue whether an item has been seen in a closed pane: others have no rank.
 * @param catalogueSize number of items; items that were never seen rank last.
 * By hand: counts a: 3, b: 5, c: 3 rank b, a, c.
 */
export function popularityRanking(
  counts: ItemCounts,
  isInCatalogue: (item: number) => boolean,
  catalogueSize: number,
): PopularityRanking {
  const popularity = counts.popularity.subarray(0, counts.items);
  const levels = levelIndex(popularity);
  const level = perItem(popularity, levels.indexOf, new Int32Array(counts.items));
  const start = new Int32Array(levels.counts.length + 1);
  for (let item = 0; item < counts.items; item++) {
    if (isInCatalogue(item)) {
      start[level[item] + 1]++;
    }
  }
  for (let l = 1; l < start.length; l++) {
    start[l] += start[l - 1];
  }
  const listed = start[start.length - 1];
  const order = new Int32Array(listed);
  const next = start.slice();
  for (let item = 0; item < counts.items; item++) {
    if (isInCatalogue(item)) {
      order[next[level[item]]++] = item;
    }
  }
  const rank = new Uint16Array(counts.items).fill(NOT_IN_LIST);
  let first = 0;
  for (let l = levels.counts.length - 1; l >= 0; l--) {
    const tied = order.subarray(start[l], start[l + 1]);
    if (first + tied.length > LONGEST_LIST) break;
    tied.sort(counts.compareIds);
    for (let t = 0; t < tied.length; t++) {
      rank[tied[t]] = first + t;
    }
    first += tied.length;
  }
  const size = Math.max(catalogueSize, listed);
  const list = size <= LONGEST_LIST ? LIST_FULL | size : LIST_PARTIAL | Math.max(1, first);
  return { rank, list };
}

/**
 * Add a model to a part, with one ranking for all users.
 *
 * @param place index of the model among the part's models; later models move up by one.
 */
export function withRanking(
  part: WindowPart,
  { rank, list }: PopularityRanking,
  place: number,
): WindowPart {
  const ranks = new Uint16Array(part.rows);
  for (let r = 0; r < part.rows; r++) {
    ranks[r] = rank[part.item[r]];
  }
  const lists = new Uint16Array(part.rows).fill(list);
  // Models from its index on move up by one.
  const numberOf = (model: number) => (model >= place ? model + 1 : model);
  return {
    ...part,
    ...(part.causes && { causes: renumbered(part.causes, numberOf) }),
    ranks: [...part.ranks.slice(0, place), ranks, ...part.ranks.slice(place)],
    lists: [...part.lists.slice(0, place), lists, ...part.lists.slice(place)],
  };
}

/**
 * Keep some rows of a part and all its user segments. O(rows kept · models).
 *
 * @param kept rows, ascending. @param userStart start of each segment among the kept rows.
 */
export function narrowedPart(
  part: WindowPart,
  kept: Int32Array,
  userStart: Int32Array,
): WindowPart {
  const { propensity, causes, segments } = part;
  return {
    ...part,
    rows: kept.length,
    userStart,
    item: taken(part.item, kept),
    positive: taken(part.positive, kept),
    traffic: taken(part.traffic, kept),
    ...(propensity && { propensity: taken(propensity, kept) }),
    ...(causes && { causes: takenCauses(causes, kept) }),
    ...(segments && { segments: takenSegments(segments, kept) }),
    ranks: part.ranks.map((ranks) => taken(ranks, kept)),
    lists: part.lists.map((lists) => taken(lists, kept)),
  };
}

/**
 * Keep the rows of users with fewer interactions over the horizon than a limit; returns the part
 * itself if no user is left out. Otherwise O(rows · models).
 *
 * @param limit interactions from which on a user is left out; Infinity leaves nobody out.
 */
export function rowsOfLighterUsers(part: WindowPart, limit: number): WindowPart {
  const { users, userStart, userCount } = part;
  if (!userCount.some((count) => count >= limit)) return part;
  const kept = new Int32Array(part.rows);
  const start = new Int32Array(users + 1);
  let rows = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    if (userCount[s] >= limit) continue;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      kept[rows++] = r;
    }
  }
  start[users] = rows;
  return narrowedPart(part, kept.subarray(0, rows), start);
}
