import {
  type PaneRequests,
  SHARE_ROUNDING,
  UNUSABLE,
} from '../../../state/requests/pane-requests.js';
import type { WindowRequests } from '../../../state/requests/window-requests.js';
import { inSlices } from '../../slices.js';

/** Which requests of some panes can be valued, and what is known of all. */
export interface UsableRequests {
  readonly panes: readonly WindowRequests[];
  /** By pane: places of the requests that can be valued, in their order. */
  readonly kept: readonly Int32Array[];
  /** How deep the hash of a request has to lie: a sample of one level for all panes. */
  readonly level: number;
  /** The same for a request of which all items are there. */
  readonly listedLevel: number;
  /** Whether shares are stated: then those of a request whose lists are all there sum to 1. */
  readonly isStated: boolean;
  /** All requests of the sample, those that cannot be used too. */
  readonly all: number;
  readonly usable: number;
  /** No item stands at this rank or below it. */
  readonly places: number;
}

/**
 * Whether requests can be valued. Where any request states shares that sum to 1, one whose shares
 * do not lacks lists. Where none does, shares are not logged: then only what was served has a value.
 */
export function* usableRequests(panes: readonly WindowRequests[]): Generator<void, UsableRequests> {
  const most = (of: (pane: WindowRequests) => number) => Math.max(0, ...panes.map(of));
  const level = most((pane) => pane.level);
  const listedLevel = most((pane) => pane.listedLevel);
  const places = most((pane) => pane.places);
  let [all, whole] = [0, 0];
  const served: Int32Array[] = [];
  const complete: Int32Array[] = [];
  for (const pane of panes) {
    const own = { served: new Int32Array(pane.length), complete: new Int32Array(pane.length) };
    const isWhole = wholeKinds(pane);
    let [used, found] = [0, 0];
    yield* inSlices(pane.length, (from, to) => {
      for (let q = from; q < to; q++) {
        if (pane.depth[q] < level) continue;
        all++;
        if (pane.served[q] === UNUSABLE) continue;
        own.served[used++] = q;
        if (isWhole[pane.kind[q]] === 1) own.complete[found++] = q;
      }
    });
    served.push(own.served.subarray(0, used));
    complete.push(own.complete.subarray(0, found));
    whole += found;
  }
  const isStated = whole > 0;
  const kept = isStated ? complete : served;
  const usable = kept.reduce((sum, { length }) => sum + length, 0);
  return { panes, kept, level, listedLevel, isStated, all, usable, places };
}

/** Share of the requests that can be valued whose rewards were still to come at a time. */
export function* pendingShare(
  requests: UsableRequests,
  horizonMs: number,
  at: number,
): Generator<void, number> {
  let pending = 0;
  for (const [p, { ts }] of requests.panes.entries()) {
    const kept = requests.kept[p];
    yield* inSlices(kept.length, (from, to) => {
      for (let n = from; n < to; n++) if (ts[kept[n]] + horizonMs > at) pending++;
    });
  }
  return pending / requests.usable;
}

/** By kind: 1 where the stated shares sum to 1. */
function wholeKinds({ kinds }: Pick<PaneRequests, 'kinds'>): Uint8Array {
  return Uint8Array.from(kinds, ({ shares }) => {
    const sum = shares.reduce((total, share) => total + (share > 0 ? share : 0), 0);
    return Math.abs(sum - 1) <= SHARE_ROUNDING ? 1 : 0;
  });
}
