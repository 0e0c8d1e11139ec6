import {
  EARNS,
  HAS_REQUEST,
  LATE,
  NAMES_EXPOSURE,
  POSITIVE,
  SHOWN,
  SHOWN_BEFORE,
} from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { type Dictionaries, markIds, type Places } from '../ids/dictionaries.js';
import { rankOf } from '../panes/list-segment.js';
import type { PendingInteractions } from '../panes/open-pane.js';
import type { PendingExposures } from '../panes/pending-exposures.js';
import { NOT_IN_LIST } from '../panes/window-part.js';
import {
  type ClosedRequests,
  closedRequests,
  drawnFrom,
  LEAST_PROPENSITY,
  loggedChances,
} from './closed-requests.js';
import {
  closingPane,
  type OpenRequest,
  type RequestList,
  type RequestOptions,
  requestDepth,
  type ServedList,
} from './open-request.js';
import type { PaneRequests } from './pane-requests.js';
import { REQUEST_FAULTS, type RequestFault } from './request-faults.js';
import { RequestGroup, type WrittenGroup } from './request-group.js';
import { NO_ROW, RequestRows, ROW_MASK } from './request-rows.js';
import { RowIndex } from './row-index.js';
import { readRequests, writeRequests } from './stored-requests.js';

/**
 * Number of values that a checkpoint stores for each list. Older checkpoints store five (without
 * propensities) or four (also without candidates).
 */
const LISTS = 6;

/** The open requests of a partition, by closing pane. */
type RequestGroups = ReadonlyMap<number, RequestGroup>;

/** Write the requests of a partition, to be read by `readPartitionRequests`. Yields regularly. */
export function* writePartitionRequests(
  to: BinaryWriter,
  closed: readonly PaneRequests[],
  groups: RequestGroups,
  ids: Dictionaries,
): Generator<void, void> {
  to.number(closed.length);
  for (const requests of closed) {
    yield* writeRequests(to, requests, ids);
    to.cut();
    yield;
  }
  const sorted = [...groups].sort(([a], [b]) => a - b);
  to.number(sorted.length);
  for (const [closing, { level, sampledOut, size, requests }] of sorted) {
    for (const each of [closing, level, sampledOut, size]) {
      to.number(each);
    }
    for (const request of requests) {
      writeRequest(to, request, ids);
      for (const { items } of request.lists) {
        yield* ids.items.write(to, items);
      }
      to.cut();
    }
    yield;
  }
}

/**
 * Read the output of `writePartitionRequests`. Yields regularly.
 *
 * @param open undefined if requests are not joined.
 */
export function* readPartitionRequests(
  from: BinaryReader,
  closed: { adoptRequests(requests: PaneRequests): void },
  open: OpenRequests | undefined,
  places: Places,
): Generator<void, void> {
  for (let left = from.count(); left > 0; left--) {
    closed.adoptRequests(readRequests(from, places));
    yield;
  }
  for (let groups = from.count(); groups > 0; groups--) {
    const closing = from.number();
    const level = from.number();
    const sampledOut = from.number();
    const requests: OpenRequest[] = [];
    for (let left = from.count(); left > 0; left--) {
      requests.push(readRequest(from, places));
    }
    open?.adopt(closing, {
      level,
      sampledOut,
      requests,
    });
    yield;
  }
}

function writeRequest(to: BinaryWriter, request: OpenRequest, ids: Dictionaries): void {
  const { high, low, user, ts, history, lists, served, fault } = request;
  const place = (model: number) => ids.models.place(model);
  const found = fault === undefined ? -1 : REQUEST_FAULTS.indexOf(fault);
  to.column(Int32Array.of(high, low, user, found, lists.length, history));
  to.number(ts);
  to.column(
    Float64Array.from(
      lists.flatMap(({ model, share, depth, firstRank, candidates, logged }) => [
        place(model),
        share,
        depth,
        firstRank,
        candidates,
        logged === undefined ? 0 : 1 + logged.kind,
      ]),
    ),
  );
  for (const { logged } of lists) {
    if (logged !== undefined) {
      to.column(logged.propensities);
    }
  }
  to.number(served === undefined ? 0 : 1);
  if (served === undefined) return;
  to.column(Int32Array.of(served.idHigh, served.idLow, place(served.model)));
  to.column(served.rewards);
}

function readRequest(from: BinaryReader, { models, items }: Places): OpenRequest {
  const [high, low, user, found, count, history = -1] = from.int32();
  const ts = from.number();
  const written = from.float64();
  const columns = count === 0 ? LISTS : written.length / count;
  const logged = Array.from({ length: count }, (_, n) => {
    const [, , , , , kind = 0] = written.subarray(n * columns, (n + 1) * columns);
    return kind === 0
      ? undefined
      : {
          kind: kind - 1,
          propensities: from.float32(),
        };
  });
  let served: ServedList | undefined;
  if (from.number() === 1) {
    const [idHigh, idLow, model] = from.int32();
    served = {
      idHigh,
      idLow,
      model: models.id(model),
      rewards: from.float64(),
    };
  }
  const lists: RequestList[] = Array.from({ length: count }, (_, n) => {
    const [model, share, depth, firstRank, candidates = Number.NaN] = written.subarray(
      n * columns,
      (n + 1) * columns,
    );
    const number = models.id(model);
    const listed = items.column(from);
    const own = {
      model: number,
      share,
      depth,
      firstRank,
      candidates,
    };
    return {
      ...own,
      items: listed,
      logged: logged[n],
    };
  });
  const fault = found < 0 ? undefined : REQUEST_FAULTS[found];
  return {
    high,
    low,
    user,
    ts,
    history,
    lists,
    served,
    fault,
  };
}

/**
 * Least valid serving probability of a list. With a smaller one, a reward would weigh more than a
 * billion.
 */
const LEAST_SHARE = 1e-9;
const WITHOUT = 'served_without_request' satisfies RequestFault;

/**
 * The requests of a partition whose horizon has not passed. Lists and interactions arrive in order
 * of event time. A request accepts events until its first list's time plus the horizon, and closes
 * with the first pane that ends then or later.
 */
export class OpenRequests {
  readonly #options: RequestOptions;
  /** Groups of open requests by closing pane. */
  readonly #groups = new Map<number, RequestGroup>();
  /** The same groups, by `RequestGroup.number`. */
  readonly #numbered: (RequestGroup | undefined)[] = [];
  readonly #rows = new RequestRows();
  readonly #byId = new RowIndex({
    high: (row) => this.#rows.of(row).high[row & ROW_MASK],
    low: (row) => this.#rows.of(row).low[row & ROW_MASK],
  });
  readonly #byServed = new RowIndex({
    high: (row) => this.#rows.of(row).servedHigh[row & ROW_MASK],
    low: (row) => this.#rows.of(row).servedLow[row & ROW_MASK],
  });
  #faults = new Map<RequestFault, number>();

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** Number of open requests. */
  get size(): number {
    let size = 0;
    for (const group of this.#groups.values()) {
      size += group.size;
    }
    return size;
  }

  /** The oldest pane with which an open request closes; Infinity if none is open. */
  get oldestClosing(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const pane of this.#groups.keys()) {
      oldest = Math.min(oldest, pane);
    }
    return oldest;
  }

  /** Open requests by closing pane, for checkpoints. */
  get groups(): ReadonlyMap<number, RequestGroup> {
    return this.#groups;
  }

  /**
   * Begin a closing pane. If no request is open and no list of the pane has a request id, there is
   * nothing to join. Lists that were served without a request id are then counted here.
   *
   * @returns whether the pane's lists and interactions need to be added.
   */
  begin({ requests, flags, length }: PendingExposures): boolean {
    if (requests.share.length > 0 || this.#groups.size > 0) return true;
    for (let r = 0; r < length; r++) {
      if (lacksRequest(flags[r])) {
        this.#count(WITHOUT);
      }
    }
    return false;
  }

  /**
   * Add exposure r to its request. Late lists, and lists shown before the counted period, are not
   * added.
   *
   * @param history number of the user's interactions before this exposure.
   */
  expose(from: PendingExposures, r: number, history: number): void {
    const flags = from.flags[r];
    if (lacksRequest(flags)) {
      this.#count(WITHOUT);
    }
    if ((flags & (LATE | SHOWN_BEFORE)) !== 0 || (flags & HAS_REQUEST) === 0) return;
    const isServed = (flags & SHOWN) !== 0;
    const row = this.#rowOf(from, r, isServed, history);
    if (row === NO_ROW) return;
    if (this.#rows.of(row).user[row & ROW_MASK] !== from.user[r]) {
      this.#count('other_user');
      return;
    }
    this.#join(row, from, r, isServed);
  }

  /**
   * Add the reward of interaction r to its attributed list, if that is the served list of an open
   * request. The interaction must not be late, and the lists before it must have been added.
   */
  credit(from: PendingInteractions, r: number): void {
    const isByValue = this.#options.earnsBy === 'value';
    const named = NAMES_EXPOSURE | (isByValue ? EARNS : POSITIVE);
    if ((from.flags[r] & named) !== named) return;
    const row = this.#byServed.find(from.exposureHigh[r], from.exposureLow[r]);
    if (row === NO_ROW) return;
    const { ts, user } = this.#rows.of(row);
    const at = row & ROW_MASK;
    if (from.ts[r] >= ts[at] + this.#options.horizonMs) return;
    if (user[at] !== from.user[r]) {
      this.#count('other_user');
      return;
    }
    const { items, rewards } = this.#groupOf(row).served(row);
    const rank = rankOf(from.item[r], items, 0, items.length);
    if (rank === NOT_IN_LIST) return;
    if (isByValue) {
      rewards[rank] += from.amount[r];
      return;
    }
    const { worths } = this.#options;
    // Pending interactions have the code plus one.
    const action = (from.action[r] ?? 0) - 1;
    if (action === worths.unknown) {
      this.#count('unknown_action');
    }
    rewards[rank] = Math.max(rewards[rank], worths.worths[worths.classOf(action)]);
  }

  /** Close the requests due up to this pane; all requests for `Infinity`. Yields regularly. */
  *close(pane: number): Generator<void, ClosedRequests> {
    const due = [...this.#groups].filter(([closing]) => closing <= pane);
    const faults = this.#faults;
    this.#faults = new Map();
    const groups = due.sort(([a], [b]) => a - b).map(([, group]) => group);
    const rows = this.#inOrder(groups);
    yield;
    const closing = {
      length: rows.length,
      read: (n: number) => this.#groupOf(rows[n]).read(rows[n]),
      level: Math.max(0, ...groups.map(({ level }) => level)),
      sampledOut: groups.reduce((sum, group) => sum + group.sampledOut, 0),
    };
    const closed = yield* closedRequests(pane, closing, faults, this.#options);
    for (const [number, group] of due) {
      this.#groups.delete(number);
      this.#numbered[group.number] = undefined;
      for (const row of group.rows()) {
        this.#forget(row);
      }
      yield;
    }
    return closed;
  }

  /** Add stored requests with their closing pane. */
  adopt(closing: number, { level, sampledOut, requests }: WrittenGroup): void {
    const group = this.#begin(closing, level, sampledOut);
    for (const { high, low, user, ts, history, lists, served, fault } of requests) {
      const row = this.#rows.add(high, low, user, ts, history, group.number);
      group.adopt(row);
      this.#byId.set(row);
      for (const list of lists) {
        group.join(row, list, list.model === served?.model);
      }
      if (served !== undefined) {
        this.#serve(row, served.idHigh, served.idLow);
        group.served(row).rewards.set(served.rewards);
      }
      if (fault !== undefined) {
        this.#blame(row, fault);
      }
    }
  }

  /** Remove lists of models that are not tracked any more. */
  dropModels(models: readonly number[]): void {
    if (models.length === 0) return;
    for (const group of this.#groups.values()) {
      for (const row of group.rows()) {
        const { isServed, servedHigh, servedLow } = this.#rows.of(row);
        const at = row & ROW_MASK;
        const wasServed = isServed[at] === 1;
        group.dropModels(row, models);
        if (wasServed && isServed[at] === 0) {
          this.#byServed.delete(servedHigh[at], servedLow[at]);
        }
      }
    }
  }

  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const group of this.#groups.values()) {
      for (const row of group.rows()) {
        flags[this.#rows.of(row).user[row & ROW_MASK]] = 1;
      }
      yield;
    }
  }

  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const { requests } of this.#groups.values()) {
      for (const { lists } of requests) {
        for (const { items } of lists) {
          yield* markIds(flags, items);
        }
      }
    }
  }

  /** Row of the list's request, created on demand; `NO_ROW` if it is outside the sample. */
  #rowOf(from: PendingExposures, r: number, isServed: boolean, history: number): number {
    const high = from.requests.requestHigh[r];
    const low = from.requests.requestLow[r];
    const ts = from.ts[r];
    const user = from.user[r];
    const known = this.#byId.find(high, low);
    if (known !== NO_ROW) {
      const begun = this.#rows.of(known).ts[known & ROW_MASK];
      if (ts < begun + this.#options.horizonMs) return known;
    }
    const closing = closingPane(ts, this.#options);
    const group = this.#groups.get(closing) ?? this.#begin(closing);
    if (requestDepth(high) >= group.level) {
      const row = this.#rows.add(high, low, user, ts, history, group.number);
      this.#byId.set(row);
      const dropped = group.add(row);
      for (const each of dropped) {
        this.#forget(each);
      }
      if (!dropped.includes(row)) return row;
    }
    if (isServed) {
      group.sampledOut++;
    }
    return NO_ROW;
  }

  #join(row: number, from: PendingExposures, r: number, isServed: boolean): void {
    const model = from.model[r];
    const chunk = this.#rows.of(row);
    const at = row & ROW_MASK;
    const group = this.#groupOf(row);
    const share = from.requests.share[r];
    if (share < LEAST_SHARE && (isServed || share > 0)) {
      this.#blame(row, 'share_too_small');
    }
    const isSecond = isServed && chunk.isServed[at] === 1;
    if (isSecond) {
      this.#blame(row, 'two_served');
    }
    if (group.has(row, model)) {
      this.#blame(row, 'repeated_list');
      return;
    }
    const items = from.items.subarray(from.listStart[r], from.listStart[r + 1]);
    const depth = from.requests.depth[r];
    const firstRank = from.requests.firstRank[r];
    const isFirst = isServed && !isSecond;
    const candidates = drawnFrom(from, r);
    const logged = isServed && !(share > 0) ? loggedChances(from, r) : undefined;
    if (logged?.propensities.some((each) => each <= LEAST_PROPENSITY)) {
      this.#blame(row, 'propensity_too_small');
    }
    group.join(
      row,
      {
        model,
        share,
        depth,
        firstRank,
        candidates,
        items,
        logged,
      },
      isFirst,
    );
    if (isFirst) {
      this.#serve(row, from.idHigh[r], from.idLow[r]);
    }
  }

  #serve(row: number, idHigh: number, idLow: number): void {
    const { isServed, servedHigh, servedLow } = this.#rows.of(row);
    const at = row & ROW_MASK;
    isServed[at] = 1;
    servedHigh[at] = idHigh;
    servedLow[at] = idLow;
    this.#byServed.set(row);
  }

  /** Record the first fault of a request. */
  #blame(row: number, fault: RequestFault): void {
    const { fault: found } = this.#rows.of(row);
    found[row & ROW_MASK] ||= 1 + REQUEST_FAULTS.indexOf(fault);
  }

  #begin(closing: number, level = 0, sampledOut = 0): RequestGroup {
    const free = this.#numbered.indexOf(undefined);
    const number = free < 0 ? this.#numbered.length : free;
    const group = new RequestGroup(number, this.#rows, this.#options.limit, level, sampledOut);
    this.#numbered[number] = group;
    this.#groups.set(closing, group);
    return group;
  }

  #groupOf(row: number): RequestGroup {
    return this.#numbered[this.#rows.of(row).group[row & ROW_MASK]]!;
  }

  /** Rows by time, then by id. */
  #inOrder(groups: readonly RequestGroup[]): Int32Array {
    const rows = new Int32Array(groups.reduce((sum, { size }) => sum + size, 0));
    let length = 0;
    for (const group of groups) {
      rows.set(group.rows(), length);
      length += group.size;
    }
    return rows.sort((a, b) => {
      const one = this.#rows.of(a);
      const other = this.#rows.of(b);
      const m = a & ROW_MASK;
      const n = b & ROW_MASK;
      return one.ts[m] - other.ts[n] || one.high[m] - other.high[n] || one.low[m] - other.low[n];
    });
  }

  #forget(row: number): void {
    const chunk = this.#rows.of(row);
    const at = row & ROW_MASK;
    const high = chunk.high[at];
    const low = chunk.low[at];
    if (this.#byId.find(high, low) === row) {
      this.#byId.delete(high, low);
    }
    if (chunk.isServed[at] === 1) {
      this.#byServed.delete(chunk.servedHigh[at], chunk.servedLow[at]);
    }
    this.#rows.free(row);
  }

  #count(fault: RequestFault): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }
}

/** Whether a list was served without a request id; false for late lists and those shown before. */
function lacksRequest(flags: number): boolean {
  return (flags & (LATE | SHOWN_BEFORE | SHOWN | HAS_REQUEST)) === SHOWN;
}
