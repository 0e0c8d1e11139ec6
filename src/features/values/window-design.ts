import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { type RequestKinds, runOf, runsOf, shareIn } from '../../state/requests/request-kinds.js';
import { countDrawn, drawnArms } from './drawn-arms.js';
import { MOST_STRATA } from './limits.js';
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
  /** Places of the models that have a list in some of the requests, and not in all. */
  readonly lacking: readonly number[];
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
 * @param models how many columns there may be. @param isTarget whether a model is valued; one that is
 * neither that nor an arm is left out.
 */
export function windowDesign(
  requests: UsableRequests,
  models: number,
  isTarget: (column: number) => boolean,
): WindowDesign {
  // By model: in how many requests it has a list, and whether it may be served, or was.
  const listed = new Float64Array(models);
  const isArm = new Uint8Array(models);
  const drawn = {
    isDrawn: new Uint8Array(models),
    listed: new Float64Array(models),
    known: new Float64Array(models),
  };
  const kinds: KindsOfPane[] = [];
  for (const { pane, kept } of requests.panes) {
    const own = kindsOf(pane, kept);
    kinds.push(own);
    for (const q of kept) {
      isArm[pane.served[q]] = 1;
    }
    for (const { run, end } of runsOf(pane.kinds)) {
      const found = own.count.subarray(run.firstKind, end).reduce((sum, each) => sum + each, 0);
      if (found === 0) continue;
      for (const [n, model] of run.models.entries()) {
        listed[model] += found;
        if (requests.isStated && run.places[n] >= 0) {
          isArm[model] = 1;
        }
      }
    }
    countDrawn(pane, kept, own.count, drawn);
  }
  const columns = [...listed.keys()].filter(
    (column) => listed[column] > 0 && (isArm[column] === 1 || isTarget(column)),
  );
  const arms = columns.filter((column) => isArm[column] === 1);
  const lacks = (column: number) => listed[column] < requests.usable && isArm[column] === 0;
  return {
    columns,
    ...strataOf(requests.isStated, kinds, arms),
    listed: columns.map((column) => listed[column]),
    lacking: [...columns.keys()].filter((place) => lacks(columns[place])),
    arms: arms.map((column) => columns.indexOf(column)),
    ...drawnArms(drawn, columns),
  };
}

/** By kind of request of a pane: how many there are, and when the first one was. */
interface KindsOfPane {
  readonly pane: WindowRequests;
  readonly count: Float64Array;
  /** Infinity where there is none. */
  readonly first: Float64Array;
}

function kindsOf(pane: WindowRequests, kept: Int32Array): KindsOfPane {
  const count = new Float64Array(pane.kinds.length);
  const first = new Float64Array(pane.kinds.length).fill(Number.POSITIVE_INFINITY);
  for (const q of kept) {
    const kind = pane.kind[q];
    count[kind]++;
    if (pane.ts[q] < first[kind]) {
      first[kind] = pane.ts[q];
    }
  }
  return {
    pane,
    count,
    first,
  };
}

/** Shares of arms, and when requests first had them. */
interface FirstShares {
  readonly shares: readonly number[];
  first: number;
}

/** Shares that differ, numbered in the order of their first requests; none if there are too many. */
function strataOf(
  isStated: boolean,
  kinds: readonly KindsOfPane[],
  arms: readonly number[],
): Pick<WindowDesign, 'shares' | 'strata' | 'hasOwnShares'> {
  const found = new Map<string, FirstShares>();
  const names = new Map<WindowRequests, string[]>();
  for (const { pane, first } of kinds) {
    const own: string[] = [];
    for (let kind = 0; kind < first.length; kind++) {
      const shares = isStated ? sharesOf(pane.kinds, kind, arms) : arms.map(() => Number.NaN);
      const name = shares.join(' ');
      own.push(name);
      // Of a kind that no request is of its shares are none.
      if (first[kind] === Number.POSITIVE_INFINITY) continue;
      const known = found.get(name);
      if (known === undefined) {
        found.set(name, {
          shares,
          first: first[kind],
        });
      } else {
        known.first = Math.min(known.first, first[kind]);
      }
      if (found.size > MOST_STRATA) {
        return {
          shares: [],
          strata: new Map(),
          hasOwnShares: true,
        };
      }
    }
    names.set(pane, own);
  }
  // Of as old ones the first by name.
  const sorted = [...found].sort(
    ([a, one], [b, other]) => one.first - other.first || (a < b ? -1 : 1),
  );
  const numbers = new Map(sorted.map(([name], n) => [name, n]));
  const strata = new Map<WindowRequests, Int32Array>();
  for (const [pane, own] of names) {
    const ofPane = Int32Array.from(own, (name) => numbers.get(name) ?? -1);
    strata.set(pane, ofPane);
  }
  return {
    shares: sorted.map(([, { shares }]) => shares),
    strata,
    hasOwnShares: false,
  };
}

/** The shares of a kind, by arm; 0 of one that would not be served. */
export function sharesOf(kinds: RequestKinds, kind: number, arms: readonly number[]): number[] {
  const run = runOf(kinds, kind);
  return arms.map((arm) => {
    const share = shareIn(kinds, run, kind, run.models.indexOf(arm));
    return share > 0 ? share : 0;
  });
}
