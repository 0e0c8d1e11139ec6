import {
  HAS_REQUEST,
  LATE,
  NAMES_EXPOSURE,
  POSITIVE,
  SHOWN,
  SHOWN_BEFORE,
} from '../../events/columns.js';
import { markIds } from '../ids/mark.js';
import { rankOf } from '../panes/lists/list-segment.js';
import type { PendingExposures } from '../panes/open/pending-exposures.js';
import type { PendingInteractions } from '../panes/open/pending-interactions.js';
import { NOT_IN_LIST } from '../panes/window-part.js';
import { type ClosedRequests, closedRequests } from './closed-requests.js';
import { hashKey, type OpenRequest, requestDepth } from './open-request.js';
import type { RequestFault } from './request-faults.js';
import { RequestGroup, type WrittenGroup } from './request-group.js';
import { closingPane, type RequestOptions } from './request-options.js';

/** Shares below it would weigh a reward by more than a billion. */
const LEAST_SHARE = 1e-9;

/**
 * The requests of a partition whose horizon has not passed. Lists and interactions come in order of
 * event time. A request takes what comes before its first list's time plus the horizon, and closes
 * with the first pane that ends then or later: a function of the log.
 */
export class OpenRequests {
  readonly #options: RequestOptions;
  /** By the pane that they close with. */
  readonly #groups = new Map<number, RequestGroup>();
  readonly #byId = new Map<number, OpenRequest>();
  readonly #byServed = new Map<number, OpenRequest>();
  #faults = new Map<RequestFault, number>();
  #isStated = false;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** How many there are. */
  get size(): number {
    let size = 0;
    for (const { requests } of this.#groups.values()) size += requests.size;
    return size;
  }

  /** The oldest pane that closes any; Infinity without. */
  get oldestClosing(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const pane of this.#groups.keys()) oldest = Math.min(oldest, pane);
    return oldest;
  }

  /** By the pane that they close with; for checkpoints. */
  get groups(): ReadonlyMap<number, RequestGroup> {
    return this.#groups;
  }

  /** Lists of a closing pane follow. @returns whether there is anything to do for them. */
  begin({ requests }: PendingExposures): boolean {
    this.#isStated = requests.share.length > 0;
    return this.#isStated || this.#groups.size > 0;
  }

  /** Late lists join no request, and neither do those of what is known before. */
  expose(from: PendingExposures, r: number): void {
    const flags = from.flags[r];
    if ((flags & (LATE | SHOWN_BEFORE)) !== 0) return;
    const isServed = (flags & SHOWN) !== 0;
    if ((flags & HAS_REQUEST) === 0) {
      if (isServed) this.#count('served_without_request');
      return;
    }
    const request = this.#requestOf(from, r, isServed);
    if (request === undefined) return;
    if (request.user !== from.user[r]) {
      this.#count('other_user');
      return;
    }
    this.#join(request, from, r, isServed);
  }

  /** An interaction that is not late, after the lists before it. */
  credit(from: PendingInteractions, r: number): void {
    const named = POSITIVE | NAMES_EXPOSURE;
    if ((from.flags[r] & named) !== named) return;
    const [high, low] = [from.exposureHigh[r], from.exposureLow[r]];
    const request = this.#byServed.get(hashKey(high, low));
    const served = request?.served;
    if (request === undefined || served === undefined) return;
    if (served.idHigh !== high || served.idLow !== low) return;
    if (from.ts[r] >= request.ts + this.#options.horizonMs) return;
    if (request.user !== from.user[r]) {
      this.#count('other_user');
      return;
    }
    const { items } = request.lists.find(({ model }) => model === served.model)!;
    const rank = rankOf(from.item[r], items, 0, items.length);
    if (rank === NOT_IN_LIST) return;
    const action = from.action[r] ?? 0;
    const { worths, usual } = this.#options.worths;
    const worth = worths[action === 0 ? usual : action - 1];
    served.rewards[rank] = Math.max(served.rewards[rank], worth);
  }

  /** What the pane closes; all requests for `Infinity`. */
  close(pane: number): ClosedRequests {
    const due = [...this.#groups].filter(([closing]) => closing <= pane);
    for (const [closing, { requests }] of due) {
      this.#groups.delete(closing);
      for (const request of requests) this.#forget(request);
    }
    const faults = this.#faults;
    this.#faults = new Map();
    const groups = due.sort(([a], [b]) => a - b).map(([, group]) => group);
    return closedRequests(pane, groups, faults, this.#options);
  }

  /** Takes in requests that were written, with the pane that they close with. */
  adopt(
    closing: number,
    written: WrittenGroup & { readonly requests: readonly OpenRequest[] },
  ): void {
    this.#groups.set(closing, new RequestGroup(this.#options.limit, written));
    for (const request of written.requests) this.#index(request);
  }

  /** Lists of models that have no number any more are as if they had not been made. */
  dropModels(models: readonly number[]): void {
    if (models.length === 0) return;
    for (const { requests } of this.#groups.values()) {
      for (const request of requests) {
        request.lists = request.lists.filter(({ model }) => !models.includes(model));
        if (request.served !== undefined && models.includes(request.served.model)) {
          this.#byServed.delete(hashKey(request.served.idHigh, request.served.idLow));
          request.served = undefined;
        }
      }
    }
  }

  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const { requests } of this.#groups.values()) {
      for (const { user } of requests) flags[user] = 1;
      yield;
    }
  }

  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const { requests } of this.#groups.values()) {
      for (const { lists } of requests) {
        for (const { items } of lists) yield* markIds(flags, items);
      }
    }
  }

  /** The request that a list belongs to, if it is kept; a new one with its first list. */
  #requestOf(from: PendingExposures, r: number, isServed: boolean): OpenRequest | undefined {
    const [high, low] = [from.requests.requestHigh[r], from.requests.requestLow[r]];
    const [ts, user] = [from.ts[r], from.user[r]];
    const known = this.#byId.get(hashKey(high, low));
    if (known !== undefined && ts < known.ts + this.#options.horizonMs) return known;
    const closing = closingPane(ts, this.#options);
    let group = this.#groups.get(closing);
    if (group === undefined) {
      group = new RequestGroup(this.#options.limit);
      this.#groups.set(closing, group);
    }
    if (requestDepth(high) < group.level) {
      if (isServed) group.sampledOut++;
      return undefined;
    }
    const request = { high, low, user, ts, lists: [], served: undefined, fault: undefined };
    this.#index(request);
    for (const dropped of group.add(request)) this.#forget(dropped);
    if (group.requests.has(request)) return request;
    if (isServed) group.sampledOut++;
    return undefined;
  }

  #join(request: OpenRequest, from: PendingExposures, r: number, isServed: boolean): void {
    const model = from.model[r];
    const { share, depth, firstRank } = from.requests;
    const chance = share[r];
    if (chance < LEAST_SHARE && (isServed || chance > 0)) request.fault ??= 'share_too_small';
    if (isServed && request.served !== undefined) request.fault ??= 'two_served';
    if (request.lists.some((list) => list.model === model)) {
      request.fault ??= 'repeated_list';
      return;
    }
    const items = from.items.slice(from.listStart[r], from.listStart[r + 1]);
    request.lists.push({ model, share: chance, depth: depth[r], firstRank: firstRank[r], items });
    if (!isServed || request.served !== undefined) return;
    const rewards = new Float64Array(items.length);
    request.served = { idHigh: from.idHigh[r], idLow: from.idLow[r], model, rewards };
    this.#index(request);
  }

  #index(request: OpenRequest): void {
    const { high, low, served } = request;
    this.#byId.set(hashKey(high, low), request);
    if (served !== undefined) this.#byServed.set(hashKey(served.idHigh, served.idLow), request);
  }

  #forget(request: OpenRequest): void {
    const { high, low, served } = request;
    const id = hashKey(high, low);
    if (this.#byId.get(id) === request) this.#byId.delete(id);
    if (served !== undefined) this.#byServed.delete(hashKey(served.idHigh, served.idLow));
  }

  /** Where no list of the pane names a request, none that is served lacks one. */
  #count(fault: RequestFault): void {
    if (fault === 'served_without_request' && !this.#isStated) return;
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }
}
