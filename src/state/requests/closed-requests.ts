import { type OpenRequest, requestDepth } from './open-request.js';
import { type PaneRequests, SHARE_ROUNDING, UNUSABLE } from './pane-requests.js';
import type { RequestFault, RequestTally } from './request-faults.js';
import type { RequestGroup } from './request-group.js';
import { RequestItemsBuilder } from './request-items.js';
import { KindNumbers } from './request-kinds.js';
import type { RequestOptions } from './request-options.js';

/** Items of lists that a pane keeps for each request that it may keep; the others are sampled. */
const LISTED_ITEMS_A_REQUEST = 2;

/** What requests leave when they close. */
export interface ClosedRequests {
  /** Undefined where none has closed. */
  readonly requests: PaneRequests | undefined;
  /** Undefined where nothing is to be said. */
  readonly tally: RequestTally | undefined;
}

export const NO_REQUESTS: ClosedRequests = { requests: undefined, tally: undefined };

/**
 * The requests of some groups, oldest first, as rows: their models, shares, ranks and rewards. One
 * with a fault stays as a request that cannot be used, so that it is known how many are lost.
 *
 * @param faults that were found before; those that show when a request closes are added.
 */
export function closedRequests(
  pane: number,
  groups: readonly RequestGroup[],
  faults: Map<RequestFault, number>,
  { limit }: Pick<RequestOptions, 'limit'>,
): ClosedRequests {
  const all = groups.flatMap(({ requests }) => [...requests]).sort(inOrder);
  const found = all.map(faultOf);
  for (const fault of found) {
    if (fault !== undefined) faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }
  const sampledOut = groups.reduce((sum, group) => sum + group.sampledOut, 0);
  const tally = faults.size === 0 && sampledOut === 0 ? undefined : { faults, sampledOut };
  if (all.length === 0) return { requests: undefined, tally };
  const usable = all.filter((_, q) => found[q] === undefined);
  const level = Math.max(...groups.map((group) => group.level));
  const listedLevel = levelOfListed(usable, level, limit * LISTED_ITEMS_A_REQUEST);
  const kinds = new KindNumbers();
  const items = new RequestItemsBuilder();
  const firstItem = new Int32Array(all.length + 1);
  for (const [q, request] of all.entries()) {
    const isListed = requestDepth(request.high) >= listedLevel;
    if (found[q] === undefined) items.add(request, isListed);
    firstItem[q + 1] = items.length;
  }
  const requests = {
    ...{ pane, level, listedLevel, places: items.places, length: all.length, firstItem },
    user: Int32Array.from(all, ({ user }) => user),
    ts: Float64Array.from(all, ({ ts }) => ts),
    depth: Uint8Array.from(all, ({ high }) => requestDepth(high)),
    served: Uint16Array.from(all, ({ served }, q) =>
      found[q] === undefined ? served!.model : UNUSABLE,
    ),
    kind: Int32Array.from(all, ({ lists }) => kinds.of(lists)),
    kinds: kinds.all,
    items: items.build(),
  };
  return { requests, tally };
}

/** By time; of the same time by their ids, whatever the order in which they came. */
function inOrder(a: OpenRequest, b: OpenRequest): number {
  return a.ts - b.ts || a.high - b.high || a.low - b.low;
}

function faultOf({ fault, served, lists }: OpenRequest): RequestFault | undefined {
  if (fault !== undefined) return fault;
  if (served === undefined) return 'nothing_served';
  const stated = lists.filter(({ share }) => share > 0);
  const sum = stated.reduce((total, { share }) => total + share, 0);
  return sum > 1 + SHARE_ROUNDING ? 'shares_over_one' : undefined;
}

/**
 * How deep requests have to lie for all items of their lists to be kept: of what a level above keeps
 * half of it is expected to, and by that, not by which lie deepest, it is chosen. A window takes the
 * highest level of its panes, and the highest of thousands by their deepest requests would keep none.
 */
function levelOfListed(requests: readonly OpenRequest[], level: number, limit: number): number {
  let items = 0;
  for (const { lists } of requests) {
    for (const list of lists) items += list.items.length;
  }
  return items <= limit ? 0 : level + Math.ceil(Math.log2(items / limit));
}
