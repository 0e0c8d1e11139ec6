import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { OrganicJob } from '../../src/estimators/lanes/lane-job.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { joinedPart } from '../../src/state/panes/joined-part.js';
import {
  type ItemCounts,
  LIST_PARTIAL,
  NOT_IN_LIST,
  UNRANKED,
  type WindowPart,
} from '../../src/state/panes/window-part.js';

/** A window as plain objects: what the oracles read. */
export interface PlainRow {
  item: number;
  positive: boolean;
  /** Per model: a rank, 'absent' from the list, or 'unranked'. */
  ranks: (number | 'absent' | 'unranked')[];
  /** Per model: length of the list and the high bits of its code. */
  lists: { length: number; candidates: number }[];
  /** Where the pair's interactions came from; organic ones where nothing is said. */
  traffic?: ('organic' | 'randomized')[];
  /** Logged propensity. */
  propensity?: number | undefined;
  /** Model whose shown list caused the row; one of no model here; nothing did. */
  cause?: number | 'elsewhere' | undefined;
  /** Model whose list the user was shown last. */
  served?: number | undefined;
}

export interface PlainUser {
  /** Hash of the user's id; 0 where nobody asks. */
  key?: number;
  /** n_u, all of the user's interactions in the horizon. */
  count: number;
  /** Those of them from randomised traffic. */
  randomized?: number;
  rows: PlainRow[];
}

export interface PlainWindow {
  models: string[];
  /** n_i by which propensities are made, and all interactions, per item. */
  popularity: number[];
  interactions: number[];
  /** Interactions from randomised traffic, per item. */
  randomized?: number[];
  /** Items that randomised lists showed; NaN where not all are logged. */
  shownAtRandom?: number;
  /** Users who were shown each item, and any. */
  reach?: { users: number; items: number[] } | undefined;
  /** Item ids, for ties. */
  ids: string[];
  users: PlainUser[];
}

export const DEFAULTS: EstimateOptions = {
  metrics: ['recall', 'dcg', 'mrr', 'auc'],
  ks: [1, 3],
  estimators: ['naive', 'snips', 'gs', 'skew', 'wtd_h'],
  gamma: 2,
  gammaStdErr: 0,
  interval: 't-logit',
  guarantees: [],
  reference: undefined,
  strata: 3,
  strataScheme: 'popularity-width',
  cold: 'smooth',
  smoothing: 0.5,
  catalogueSize: 12,
  sampleShare: 0.5,
  posteriorExponent: 2,
};

export function toCounts(window: PlainWindow): ItemCounts {
  return {
    items: window.popularity.length,
    popularity: Float64Array.from(window.popularity),
    interactions: Float64Array.from(window.interactions),
    randomized: Float64Array.from(window.popularity, (_, i) => window.randomized?.[i] ?? 0),
    itemKey: (item) => Math.imul(item + 1, 0x9e3779b1),
    compareIds: (a, b) => (window.ids[a] < window.ids[b] ? -1 : 1),
  };
}

export function toPart(users: readonly PlainUser[], models: number): WindowPart {
  const rows = users.flatMap((user) => user.rows);
  const userStart = [0];
  for (const user of users) userStart.push(userStart[userStart.length - 1] + user.rows.length);
  const modelNumbers = Array.from({ length: models }, (_, m) => m);
  return {
    users: users.length,
    userStart: Int32Array.from(userStart),
    userCount: Float64Array.from(users, (user) => user.count),
    userRandomized: Float64Array.from(users, (user) => user.randomized ?? 0),
    userKey: Int32Array.from(users, (user) => user.key ?? 0),
    randomizedUsers: users.filter(isReached).length,
    randomizedItems: 0,
    rows: rows.length,
    item: Int32Array.from(rows, (row) => row.item),
    positive: Uint8Array.from(rows, (row) => (row.positive ? 1 : 0)),
    traffic: Uint8Array.from(rows, trafficBits),
    propensity: Float32Array.from(rows, (row) => row.propensity ?? 0),
    ...(rows.some(({ cause, served }) => cause !== undefined || served !== undefined) && {
      causes: {
        cause: Uint16Array.from(rows, ({ cause }) =>
          cause === 'elsewhere' ? 0xffff : cause === undefined ? 0 : cause + 1,
        ),
        served: Uint16Array.from(rows, ({ served }) => (served === undefined ? 0 : served + 1)),
      },
    }),
    ranks: modelNumbers.map((m) => Uint16Array.from(rows, (row) => rankCode(row.ranks[m]))),
    lists: modelNumbers.map((m) =>
      Uint16Array.from(rows, ({ lists }) => lists[m].length | lists[m].candidates),
    ),
  };
}

/** Every user with a randomised row was reached, and nobody else. */
function isReached({ rows }: PlainUser): boolean {
  return rows.some(({ traffic }) => traffic?.includes('randomized'));
}

/** Whether some interaction of the pair came from there. */
export function isOf(row: PlainRow, traffic: 'organic' | 'randomized'): boolean {
  return (row.traffic ?? ['organic']).includes(traffic);
}

function trafficBits({ traffic = ['organic'] }: PlainRow): number {
  return (traffic.includes('organic') ? 1 : 0) | (traffic.includes('randomized') ? 2 : 0);
}

function rankCode(rank: PlainRow['ranks'][number]): number {
  if (rank === 'absent') return NOT_IN_LIST;
  return rank === 'unranked' ? UNRANKED : rank;
}

const NOBODY = { users: 0, items: new Float64Array(100) };

/** What is known of all users together: it stands with the first part. */
function wholeWindow({ reach, shownAtRandom = 0 }: PlainWindow) {
  if (reach === undefined) return { randomizedItems: shownAtRandom };
  const items = Float64Array.from(reach.items);
  return { randomizedItems: shownAtRandom, reach: { users: reach.users, items } };
}

/** The rows of a window, of users who are divided among partitions. */
export function windowPart(
  window: PlainWindow,
  partitionOf: (user: number) => number = () => 0,
): WindowPart {
  const groups = new Map<number, PlainUser[]>();
  window.users.forEach((user, u) => {
    const p = partitionOf(u);
    groups.set(p, [...(groups.get(p) ?? []), user]);
  });
  // Without users there is one partition all the same.
  if (groups.size === 0) groups.set(0, []);
  const parts = [...groups.values()].map((users, p) => ({
    ...toPart(users, window.models.length),
    ...(p === 0 ? wholeWindow(window) : { reach: NOBODY, randomizedItems: 0 }),
  }));
  return joinedPart(parts.map((of) => ({ of, firstUser: 0 })));
}

/** The estimates of a window; `split` says which partition each user is in. */
export function estimate(
  window: PlainWindow,
  options: Partial<EstimateOptions> = {},
  split?: (user: number) => number,
  keep?: (job: OrganicJob) => void,
) {
  return estimateWindow({
    part: windowPart(window, split),
    counts: toCounts(window),
    models: window.models,
    options: { ...DEFAULTS, ...options },
    keep,
  });
}

/** A window of one model from (item, rank) pairs per user, all positive, lists of 50. */
export function windowOf(
  popularity: number[],
  users: [item: number, rank: number | 'absent'][][],
): PlainWindow {
  return {
    models: ['m'],
    popularity,
    interactions: popularity,
    ids: popularity.map((_, i) => String(i).padStart(4, '0')),
    users: users.map((rows) => ({
      count: rows.length,
      rows: rows.map(([item, rank]) => ({
        item,
        positive: true,
        ranks: [rank],
        lists: [{ length: 50, candidates: LIST_PARTIAL }],
      })),
    })),
  };
}
