import { STRETCHES } from '../../estimators/evidence/turns.js';
import type { RowSegments } from '../../state/panes/row-segments.js';
import { NOT_IN_LIST } from '../../state/panes/window-part.js';
import { historyCode, type WindowRequests } from '../../state/requests/pane-requests.js';
import { runOf } from '../../state/requests/request-kinds.js';
import type { ListedItems, ServedLog, ServedRequests } from './arms/served-log.js';
import { hashClusters, type UserClusters } from './logged/user-clusters.js';
import {
  type KeptRequests,
  type UsableRequests,
  usableRequests,
  withoutCrawlers,
} from './request-shares.js';
import type { PredictedRows } from './rewards-by-halves.js';
import { sharesOf, type WindowDesign, windowDesign } from './window-design.js';

/** The requests of some panes as a log of arms. */
export interface WindowLog {
  readonly log: ServedLog;
  /** The usable requests of the panes, with facts about all of them. */
  readonly requests: UsableRequests;
  /** Pane row of each item row of the log; the rows of pane p begin at firstRow[p]. */
  readonly rows: Int32Array;
  readonly firstRow: readonly number[];
  /** Share of all requests that have complete lists. Only these are in the log. */
  readonly complete: number;
  /** By model of the log: share of requests with its list. */
  readonly listed: readonly number[];
  /** Largest value of `drawnFromUnknown` in `WindowDesign`; 0 if there is none. */
  readonly drawnFromUnknown: number;
}

/**
 * Convert the usable requests of some panes to the columns of a `ServedLog`.
 *
 * @param names of the models by column. @param targets models to value; all by default. The lists
 * of others are left out, except for arms. @returns undefined without requests.
 */
export function windowLog(
  panes: readonly WindowRequests[],
  names: readonly string[],
  targets: readonly string[] | undefined,
): WindowLog | undefined {
  const asked = usableRequests(panes);
  if (asked.all === 0) return undefined;
  const requests = withoutCrawlers(asked);
  return logOf(requests, names, targets, hashClusters(panes));
}

/** Build the log of selected requests. */
export function logOf(
  requests: UsableRequests,
  names: readonly string[],
  targets: readonly string[] | undefined,
  users: UserClusters,
): WindowLog {
  const isValued = (column: number) => isTarget(names[column], targets);
  const design = windowDesign(requests, names.length, isValued);
  const { columns, arms, shares, listed } = design;
  const { items, rows, firstRow } = itemColumns(requests, design);
  return {
    log: {
      models: columns.map((column) => names[column]),
      arms: arms.map((list) => ({
        list,
        isUniform: design.drawn.has(list),
      })),
      shares,
      clusters: users.clusters,
      requests: requestColumns(requests, design, users),
      items,
    },
    requests,
    rows,
    firstRow,
    complete: requests.usable / requests.all,
    listed: listed.map((count) => count / requests.usable),
    drawnFromUnknown: Math.max(0, ...design.drawnFromUnknown.values()),
  };
}

/** Whether a model is valued; all models are if no targets are configured. */
export function isTarget(model: string, targets: readonly string[] | undefined): boolean {
  return targets?.includes(model) ?? true;
}

/** Add the predicted reward of each item to the log. @param predicted by pane and row. */
export function withPredicted(found: WindowLog, predicted: PredictedRows): WindowLog {
  const { log, requests, rows, firstRow } = found;
  const own = new Float64Array(log.items.length);
  for (const [p, { pane }] of requests.panes.entries()) {
    const ofPane = predicted.get(pane)!;
    const first = firstRow[p];
    const end = firstRow[p + 1] ?? own.length;
    for (let row = first; row < end; row++) {
      own[row] = ofPane[rows[row]];
    }
  }
  return {
    ...found,
    log: {
      ...log,
      items: {
        ...log.items,
        predicted: own,
      },
    },
  };
}

/** Columns of the log's requests, in the order of their panes. */
function requestColumns(
  { panes, usable, listedLevel, first, last }: UsableRequests,
  design: WindowDesign,
  users: UserClusters,
): ServedRequests {
  const arms = design.arms.map((place) => design.columns[place]);
  const armOf = new Int32Array(1 + Math.max(-1, ...arms));
  for (const [a, column] of arms.entries()) {
    armOf[column] = a;
  }
  const stretchMs = (last - first + 1) / STRETCHES;
  // From a user's number in the panes to the number in the log, in order of first requests.
  const numbers = new Map<number, number>();
  const arm = new Uint16Array(usable);
  const stratum = new Int32Array(usable);
  const share = design.hasOwnShares ? new Float64Array(usable * arms.length) : undefined;
  const cluster = new (users.clusters <= 0xff ? Uint8Array : Uint16Array)(usable);
  const user = new Int32Array(usable);
  const stretch = new Uint8Array(usable);
  const history = new Uint8Array(usable).fill(historyCode(-1));
  const isListed = new Uint8Array(usable);
  eachRequest(panes, (pane) => {
    const strata = design.strata.get(pane);
    const clusters = users.of.get(pane)!;
    return (q, at) => {
      const kind = pane.kind[q];
      arm[at] = armOf[pane.served[q]];
      if (share === undefined) {
        stratum[at] = strata![kind];
      } else {
        share.set(sharesOf(pane.kinds, kind, arms), at * arms.length);
      }
      cluster[at] = clusters[q];
      const number = numbers.get(pane.user[q]) ?? numbers.size;
      numbers.set(pane.user[q], number);
      user[at] = number;
      stretch[at] = Math.floor((pane.ts[q] - first) / stretchMs);
      if (pane.history !== undefined) {
        history[at] = pane.history[q];
      }
      if (pane.depth[q] >= listedLevel) {
        isListed[at] = 1;
      }
    };
  });
  const segments = segmentsOf(panes, usable);
  const hasList = listsThatLack(panes, usable, design);
  return {
    length: usable,
    arm,
    stratum,
    cluster,
    user,
    history,
    stretch,
    ...(segments && { segments }),
    ...(hasList.size > 0 && { hasList }),
    ...(share && { share }),
    ...(isListed.includes(0) && { isListed }),
    ...(design.drawn.size > 0 && drawnColumns(panes, usable)),
  };
}

/** Call a function for the requests of all panes, with the index of each in the log. */
function eachRequest(
  panes: readonly KeptRequests[],
  visitorOf: (pane: WindowRequests) => (q: number, at: number) => void,
): void {
  let first = 0;
  for (const { pane, kept } of panes) {
    const visit = visitorOf(pane);
    for (let n = 0; n < kept.length; n++) {
      visit(kept[n], first + n);
    }
    first += kept.length;
  }
}

/** Segment values of the users of requests; undefined if there are none. */
function segmentsOf(panes: readonly KeptRequests[], length: number): RowSegments | undefined {
  // All panes have the same dimensions and values.
  const known = panes.find(({ pane }) => pane.segments !== undefined)?.pane.segments;
  if (known === undefined) return undefined;
  const codes = known.codes.map(() => new Uint16Array(length));
  eachRequest(panes, ({ segments }) => (q, at) => {
    for (const [d, own] of segments?.codes.entries() ?? []) {
      codes[d][at] = own[q];
    }
  });
  return {
    ...known,
    codes,
  };
}

/**
 * Find which requests have a list of the model: 1 with the list, 0 without. By the model's column in
 * the log; only for models whose list is missing in some requests.
 */
function listsThatLack(
  panes: readonly KeptRequests[],
  length: number,
  { lacking, columns }: WindowDesign,
): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  for (const place of lacking) {
    const hasList = new Uint8Array(length);
    found.set(place, hasList);
    eachRequest(panes, ({ kinds, kind }) => (q, at) => {
      if (runOf(kinds, kind[q]).models.includes(columns[place])) {
        hasList[at] = 1;
      }
    });
  }
  return found;
}

/** Number of candidates of randomised lists, and the positions that they fill. */
function drawnColumns(panes: readonly KeptRequests[], length: number) {
  const candidates = new Int32Array(length);
  const drawnStart = new Uint8Array(length);
  const drawnEnd = new Uint8Array(length);
  eachRequest(panes, ({ drawn }) => (q, at) => {
    if (drawn === undefined) return;
    candidates[at] = drawn.candidates[q];
    drawnStart[at] = drawn.start[q];
    drawnEnd[at] = drawn.end[q];
  });
  return {
    candidates,
    drawnStart,
    drawnEnd,
  };
}

/**
 * Columns of the items of the requests' lists. Requests that are not sampled with all items have
 * only their rewarded items.
 */
function itemColumns(
  { panes, listedLevel }: UsableRequests,
  { columns }: WindowDesign,
): Pick<WindowLog, 'rows' | 'firstRow'> & { readonly items: ListedItems } {
  // An upper bound: requests that are not kept have few rows.
  const most = panes.reduce((sum, { pane }) => sum + pane.items.length, 0);
  const rows = new Int32Array(most);
  const request = new Int32Array(most);
  const reward = new Float64Array(most);
  const ranks = columns.map(() => new Uint16Array(most));
  const firstRow: number[] = [];
  let length = 0;
  let requests = 0;
  for (const { pane, kept } of panes) {
    const { depth, firstItem, items } = pane;
    const first = length;
    firstRow.push(first);
    for (const q of kept) {
      const at = requests++;
      const isListed = depth[q] >= listedLevel;
      for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
        if (!isListed && items.reward[row] === 0) continue;
        rows[length] = row;
        reward[length] = items.reward[row];
        request[length++] = at;
      }
    }
    for (const [place, column] of columns.entries()) {
      const own = items.ranks[column];
      const into = ranks[place];
      if (own === undefined) {
        into.fill(NOT_IN_LIST, first, length);
        continue;
      }
      for (let n = first; n < length; n++) {
        into[n] = own[rows[n]];
      }
    }
  }
  return {
    items: {
      length,
      request,
      reward,
      ranks,
    },
    rows,
    firstRow,
  };
}
