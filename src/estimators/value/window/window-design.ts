import {
  type RequestKinds,
  runOf,
  runsOf,
  shareIn,
} from '../../../state/requests/request-kinds.js';
import type { WindowRequests } from '../../../state/requests/window-requests.js';
import { MOST_STRATA } from '../judgement/limits.js';
import { drawnArms } from './drawn-arms.js';
import type { UsableRequests } from './request-shares.js';

/** Which lists the requests of a window have, and by what chances they were served. */
export interface WindowDesign {
  /** Columns of the models that had a list, and are arms or valued, ascending. */
  readonly columns: readonly number[];
  /** Of these, as places in `columns`: those that may be served, or were. */
  readonly arms: readonly number[];
  /** Of these, those whose lists are drawn at random from so many candidates as is known. */
  readonly drawn: ReadonlySet<number>;
  /** By place in `columns`: share of its requests of which that is not known, of what was drawn. */
  readonly drawnFromUnknown: ReadonlyMap<number, number>;
  /** By place in `columns`: in how many requests the model has a list. */
  readonly listed: readonly number[];
  /** shares[stratum][arm], strata in the order of their first requests; none with own shares. */
  readonly shares: readonly (readonly number[])[];
  /** By pane and its kind of request: the stratum. */
  readonly strata: ReadonlyMap<WindowRequests, Int32Array>;
  /** Whether shares differ too often for strata, and each request is weighed by its own. */
  readonly hasOwnShares: boolean;
}

/**
 * Reads the design of an experiment off its requests: strata are shares that differ, if they are few.
 *
 * @param isTarget whether a model is valued; one that is neither that nor an arm is left out.
 */
export function* windowDesign(
  requests: UsableRequests,
  isTarget: (column: number) => boolean,
): Generator<void, WindowDesign> {
  const listed = new Map<number, number>();
  const isArm = new Set<number>();
  const firstTs = new Map<WindowRequests, Float64Array>();
  for (const [p, pane] of requests.panes.entries()) {
    const first = new Float64Array(pane.kinds.length).fill(Number.POSITIVE_INFINITY);
    const count = new Float64Array(pane.kinds.length);
    const served: boolean[] = [];
    const kept = requests.kept[p];
    for (let n = 0; n < kept.length; n++) {
      const q = kept[n];
      const kind = pane.kind[q];
      count[kind]++;
      if (pane.ts[q] < first[kind]) first[kind] = pane.ts[q];
      served[pane.served[q]] = true;
    }
    for (const column of served.keys()) if (served[column]) isArm.add(column);
    firstTs.set(pane, first);
    for (const { run, end } of runsOf(pane.kinds)) {
      const found = count.subarray(run.firstKind, end).reduce((sum, each) => sum + each, 0);
      if (found === 0) continue;
      for (const [n, model] of run.models.entries()) {
        listed.set(model, (listed.get(model) ?? 0) + found);
        if (requests.isStated && run.places[n] >= 0) isArm.add(model);
      }
    }
    yield;
  }
  const isNeeded = (column: number) => isArm.has(column) || isTarget(column);
  const columns = [...listed.keys()].filter(isNeeded).sort((a, b) => a - b);
  const armColumns = columns.filter((column) => isArm.has(column));
  const drawn = yield* drawnArms(requests, columns);
  const strata = yield* strataOf(requests, firstTs, armColumns);
  return {
    ...{ columns, ...strata, listed: columns.map((column) => listed.get(column)!) },
    arms: armColumns.map((column) => columns.indexOf(column)),
    ...drawn,
  };
}

/** Shares that differ, numbered in the order of their first requests; or those of each kind. */
function* strataOf(
  { isStated }: UsableRequests,
  firstTs: ReadonlyMap<WindowRequests, Float64Array>,
  arms: readonly number[],
): Generator<void, Pick<WindowDesign, 'shares' | 'strata' | 'hasOwnShares'>> {
  const found = new Map<string, { ts: number; shares: readonly number[] }>();
  const names = new Map<WindowRequests, readonly string[]>();
  for (const [pane, first] of firstTs) {
    const own: string[] = [];
    for (let kind = 0; kind < pane.kinds.length; kind++) {
      const vector = arms.map(() => Number.NaN);
      if (isStated) putShares(pane.kinds, kind, arms, vector, 0);
      const name = vector.join(' ');
      const ts = Math.min(first[kind], found.get(name)?.ts ?? Number.POSITIVE_INFINITY);
      if (ts < Number.POSITIVE_INFINITY) found.set(name, { ts, shares: vector });
      own.push(name);
      if (found.size > MOST_STRATA) return { shares: [], strata: new Map(), hasOwnShares: true };
    }
    names.set(pane, own);
    yield;
  }
  const sorted = [...found].sort(([a, one], [b, other]) => one.ts - other.ts || (a < b ? -1 : 1));
  const numbers = new Map(sorted.map(([name], n) => [name, n]));
  const strata = new Map<WindowRequests, Int32Array>();
  for (const [pane, own] of names) {
    strata.set(
      pane,
      Int32Array.from(own, (name) => numbers.get(name) ?? -1),
    );
  }
  return { shares: sorted.map(([, { shares }]) => shares), strata, hasOwnShares: false };
}

/** Puts the shares of a kind, by arm, from a place on; 0 of one that would not be served. */
export function putShares(
  kinds: RequestKinds,
  kind: number,
  arms: readonly number[],
  into: number[] | Float64Array,
  at: number,
): void {
  const run = runOf(kinds, kind);
  for (const [n, arm] of arms.entries()) {
    const share = shareIn(kinds, run, kind, run.models.indexOf(arm));
    into[at + n] = share > 0 ? share : 0;
  }
}
