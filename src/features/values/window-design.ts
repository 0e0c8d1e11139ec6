import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { type RequestKinds, runOf, runsOf, shareIn } from '../../state/requests/request-kinds.js';
import { countDrawn, drawnArms } from './drawn-arms.js';
import { MOST_STRATA } from './limits.js';
import type { UsableRequests } from './request-shares.js';

/** Design of an experiment: which models have lists in the requests of a window, and with what shares. */
export interface WindowDesign {
  /** Columns of the models with lists that are arms or targets, ascending. */
  readonly columns: readonly number[];
  /** Indices in `columns` of models that may be served or were served. */
  readonly arms: readonly number[];
  /**
   * Indices in `columns` of models whose lists are all randomised from a known number of
   * candidates.
   */
  readonly drawn: ReadonlySet<number>;
  /**
   * The other models with randomised lists, by index in `columns`. The value is the share of
   * requests that can serve the model but have no randomised list of it from a known number of
   * candidates.
   */
  readonly drawnFromUnknown: ReadonlyMap<number, number>;
  /** By index in `columns`: number of requests with the model's list. */
  readonly listed: readonly number[];
  /** Indices in `columns` of models with lists in some but not all requests. */
  readonly lacking: readonly number[];
  /** shares[stratum][arm], strata in the order of their first requests; empty if requests have their own shares. */
  readonly shares: readonly (readonly number[])[];
  /** Stratum by pane and kind of request. */
  readonly strata: ReadonlyMap<WindowRequests, Int32Array>;
  /**
   * Whether there are too many distinct sets of shares for strata, so that each request is weighted
   * by its own shares.
   */
  readonly hasOwnShares: boolean;
}

/**
 * Determine the design of an experiment from its requests. Requests with the same shares form a
 * stratum, unless there are too many distinct sets of shares.
 *
 * @param models number of columns. @param isTarget whether a model is evaluated; other models are
 * left out unless they are arms.
 */
export function windowDesign(
  requests: UsableRequests,
  models: number,
  isTarget: (column: number) => boolean,
): WindowDesign {
  // By model: number of requests with its list, and whether it was or could be served.
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

/**
 * Requests of a pane, counted by kind. Requests of one kind have lists of the same models, with the
 * same shares.
 */
interface KindsOfPane {
  readonly pane: WindowRequests;
  readonly count: Float64Array;
  /** By kind: time of the first request, ms; Infinity if there is none. */
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

/** A set of shares, one for each arm, and the time of the first request that has it. */
interface FirstShares {
  readonly shares: readonly number[];
  first: number;
}

/**
 * Number the distinct sets of shares in the order of their first requests. If there are too many
 * sets, none has a number.
 */
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
      // Skip a kind without any request.
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
  // Sort by first request, then by name.
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

/** Shares of a kind of request, by arm; 0 for an arm that is never served. */
export function sharesOf(kinds: RequestKinds, kind: number, arms: readonly number[]): number[] {
  const run = runOf(kinds, kind);
  return arms.map((arm) => {
    const share = shareIn(kinds, run, kind, run.models.indexOf(arm));
    return share > 0 ? share : 0;
  });
}
