import {
  type PaneRequests,
  SHARE_ROUNDING,
  UNUSABLE,
} from '../../../state/requests/pane-requests.js';
import type { WindowRequests } from '../../../state/requests/window-requests.js';

/** Which requests of some panes can be valued, and what is known of all. */
export interface UsableRequests {
  readonly panes: readonly WindowRequests[];
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
export function usableRequests(panes: readonly WindowRequests[]): UsableRequests {
  const most = (of: (pane: WindowRequests) => number) => Math.max(0, ...panes.map(of));
  const level = most((pane) => pane.level);
  const listedLevel = most((pane) => pane.listedLevel);
  let [all, served, whole] = [0, 0, 0];
  for (const pane of panes) {
    const isWhole = wholeKinds(pane);
    for (let q = 0; q < pane.length; q++) {
      if (pane.depth[q] < level) continue;
      all++;
      if (pane.served[q] === UNUSABLE) continue;
      served++;
      whole += isWhole[pane.kind[q]];
    }
  }
  const isStated = whole > 0;
  const usable = isStated ? whole : served;
  return { panes, level, listedLevel, isStated, all, usable, places: most((pane) => pane.places) };
}

/** Visits the requests of a pane that can be valued. */
export function visitUsable(
  { level, isStated }: UsableRequests,
  pane: WindowRequests,
  visit: (q: number) => void,
): void {
  const isWhole = wholeKinds(pane);
  for (let q = 0; q < pane.length; q++) {
    if (pane.depth[q] < level || pane.served[q] === UNUSABLE) continue;
    if (!isStated || isWhole[pane.kind[q]] === 1) visit(q);
  }
}

/** Share of the requests that can be valued whose rewards were still to come at a time. */
export function pendingShare(requests: UsableRequests, horizonMs: number, at: number): number {
  let pending = 0;
  for (const pane of requests.panes) {
    visitUsable(requests, pane, (q) => {
      if (pane.ts[q] + horizonMs > at) pending++;
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
