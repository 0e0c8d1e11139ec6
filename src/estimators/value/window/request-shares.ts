import {
  type PaneRequests,
  SHARE_ROUNDING,
  UNUSABLE,
} from '../../../state/requests/pane-requests.js';
import { runsOf, shareIn } from '../../../state/requests/request-kinds.js';
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
 *
 * A request with the propensities of a stochastic logger is none of arms. Where there are any, and no
 * shares, propensities are what is logged, and a request without them lacks them.
 *
 * @param isLogged whether those with propensities are asked for, or those of arms.
 */
export function* usableRequests(
  panes: readonly WindowRequests[],
  isLogged = false,
): Generator<void, UsableRequests> {
  const most = (of: (pane: WindowRequests) => number) => Math.max(0, ...panes.map(of));
  const listedLevel = most((pane) => pane.listedLevel);
  // Without all that was shown nothing can be weighed.
  const level = Math.max(
    most((pane) => pane.level),
    isLogged ? listedLevel : 0,
  );
  const places = most((pane) => pane.places);
  let [all, whole] = [0, 0];
  const served: Int32Array[] = [];
  const complete: Int32Array[] = [];
  const logged: Int32Array[] = [];
  for (const pane of panes) {
    const own = {
      ...{ served: new Int32Array(pane.length), complete: new Int32Array(pane.length) },
      logged: new Int32Array(pane.logged === undefined ? 0 : pane.length),
    };
    const isWhole = wholeKinds(pane);
    let [used, found, drawn] = [0, 0, 0];
    yield* inSlices(pane.length, (from, to) => {
      for (let q = from; q < to; q++) {
        if (pane.depth[q] < level) continue;
        all++;
        if (pane.served[q] === UNUSABLE) continue;
        if (pane.logged !== undefined && pane.logged.kind[q] > 0) own.logged[drawn++] = q;
        else {
          own.served[used++] = q;
          if (isWhole[pane.kind[q]] === 1) own.complete[found++] = q;
        }
      }
    });
    logged.push(own.logged.subarray(0, drawn));
    served.push(own.served.subarray(0, used));
    complete.push(own.complete.subarray(0, found));
    whole += found;
  }
  const isStated = whole > 0;
  const found = { panes, level, listedLevel, places };
  const drawn = lengthOf(logged);
  const isOfArms = isStated || drawn === 0;
  if (isLogged) {
    return { ...found, kept: logged, isStated: false, all: isOfArms ? drawn : all, usable: drawn };
  }
  if (!isOfArms) {
    return { ...found, kept: panes.map(() => new Int32Array(0)), isStated, all: 0, usable: 0 };
  }
  const kept = isStated ? complete : served;
  return { ...found, kept, isStated, all: all - drawn, usable: lengthOf(kept) };
}

function lengthOf(columns: readonly Int32Array[]): number {
  return columns.reduce((sum, { length }) => sum + length, 0);
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
export function wholeKinds({ kinds }: Pick<PaneRequests, 'kinds'>): Uint8Array {
  const isWhole = new Uint8Array(kinds.length);
  for (const { run, end } of runsOf(kinds)) {
    for (let kind = run.firstKind; kind < end; kind++) {
      let sum = 0;
      for (let n = 0; n < run.models.length; n++) sum += shareIn(kinds, run, kind, n) || 0;
      if (Math.abs(sum - 1) <= SHARE_ROUNDING) isWhole[kind] = 1;
    }
  }
  return isWhole;
}
