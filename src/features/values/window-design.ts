import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { type RequestKinds, runOf, runsOf, shareIn } from '../../state/requests/request-kinds.js';
import { countDrawn, drawnArms } from './drawn-arms.js';
import { MOST_STRATA } from './limits.js';
import type { UsableRequests } from './request-shares.js';
import { SharesInTime } from './shares-in-time.js';

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

/** By model: in how many requests it has a list, and whether it may be served, or was. */
const COUNTS = ['listed', 'isArm', 'isDrawn', 'mayBeServed', 'known'] as const;

/**
 * Reads the design of an experiment off its requests: strata are shares that differ, if they are few.
 *
 * @param models how many columns there may be. @param isTarget whether a model is valued; one that is
 * neither that nor an arm is left out. @param rounds bring all partitions together: two rounds.
 */
export function* windowDesign(
  requests: UsableRequests,
  models: number,
  isTarget: (column: number) => boolean,
  rounds: Rounds,
): Generator<void, WindowDesign> {
  const none = new NumberSums(COUNTS.length * models);
  const firstTs = new Map<WindowRequests, Float64Array>();
  const { values } = yield* rounds.gather(none, requests.parts, function* look(own, part) {
    const into = countsOf(own.values, models);
    for (const [p, pane] of part.panes.entries()) {
      const count = new Float64Array(pane.kinds.length);
      firstTs.set(pane, countKinds(pane, part.kept[p], count, into.isArm));
      for (const { run, end } of runsOf(pane.kinds)) {
        const found = count.subarray(run.firstKind, end).reduce((sum, each) => sum + each, 0);
        if (found === 0) continue;
        for (const [n, model] of run.models.entries()) {
          into.listed[model] += found;
          if (requests.isStated && run.places[n] >= 0) into.isArm[model] = 1;
        }
      }
      yield;
      const drawn = { isDrawn: into.isDrawn, listed: into.mayBeServed, known: into.known };
      yield* countDrawn(pane, part.kept[p], count, drawn);
    }
  });
  const { listed, isArm, isDrawn, mayBeServed, known } = countsOf(values, models);
  const columns = [...listed.keys()].filter(
    (column) => listed[column] > 0 && (isArm[column] > 0 || isTarget(column)),
  );
  const armColumns = columns.filter((column) => isArm[column] > 0);
  const strata = yield* strataOf(requests, firstTs, armColumns, rounds);
  const lacks = (column: number) => listed[column] < requests.usable && !(isArm[column] > 0);
  return {
    columns,
    ...strata,
    listed: columns.map((column) => listed[column]),
    lacking: [...columns.keys()].filter((place) => lacks(columns[place])),
    arms: armColumns.map((column) => columns.indexOf(column)),
    ...drawnArms({ isDrawn, listed: mayBeServed, known }, columns),
  };
}

function countsOf(values: Float64Array, models: number) {
  const columns = COUNTS.map((name, n) => [name, values.subarray(n * models, (n + 1) * models)]);
  return Object.fromEntries(columns) as Record<(typeof COUNTS)[number], Float64Array>;
}

/** Counts requests by kind, and marks who served them. @returns by kind when it was first. */
function countKinds(
  pane: WindowRequests,
  kept: Int32Array,
  count: Float64Array,
  isArm: Float64Array,
): Float64Array {
  const first = new Float64Array(pane.kinds.length).fill(Number.POSITIVE_INFINITY);
  for (let n = 0; n < kept.length; n++) {
    const q = kept[n];
    const kind = pane.kind[q];
    count[kind]++;
    if (pane.ts[q] < first[kind]) first[kind] = pane.ts[q];
    isArm[pane.served[q]] = 1;
  }
  return first;
}

/** Shares that differ, numbered in the order of their first requests; or those of each kind. */
function* strataOf(
  { isStated, parts }: UsableRequests,
  firstTs: ReadonlyMap<WindowRequests, Float64Array>,
  arms: readonly number[],
  rounds: Rounds,
): Generator<void, Pick<WindowDesign, 'shares' | 'strata' | 'hasOwnShares'>> {
  const names = new Map<WindowRequests, readonly string[]>();
  const none = new SharesInTime(arms.length, MOST_STRATA);
  const found = yield* rounds.gather(none, parts, function* look(into, { panes }) {
    for (const pane of panes) {
      const first = firstTs.get(pane)!;
      const own: string[] = [];
      for (let kind = 0; kind < pane.kinds.length && !into.areTooMany; kind++) {
        const vector = arms.map(() => Number.NaN);
        if (isStated) putShares(pane.kinds, kind, arms, vector, 0);
        own.push(into.add(vector, first[kind]));
      }
      names.set(pane, own);
      yield;
    }
  });
  if (found.areTooMany) return { shares: [], strata: new Map(), hasOwnShares: true };
  const sorted = found.inOrder();
  const numbers = new Map(sorted.map(({ name }, n) => [name, n]));
  const strata = new Map<WindowRequests, Int32Array>();
  for (const [pane, own] of names) {
    strata.set(
      pane,
      Int32Array.from(own, (name) => numbers.get(name) ?? -1),
    );
  }
  return { shares: sorted.map(({ shares }) => shares), strata, hasOwnShares: false };
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
