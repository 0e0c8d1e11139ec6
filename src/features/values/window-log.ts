import { STRETCHES } from '../../estimators/evidence/turns.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { inSlices } from '../../estimators/slices.js';
import type { RowSegments } from '../../state/panes/row-segments.js';
import { NOT_IN_LIST } from '../../state/panes/window-part.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { runOf } from '../../state/requests/request-kinds.js';
import type { DividedLog, ServedLog } from './arms/served-log.js';
import { hashClusters, type UserClusters } from './logged/user-clusters.js';
import {
  type PartRequests,
  type UsableRequests,
  usableRequests,
  withoutCrawlers,
} from './request-shares.js';
import type { PredictedRows, RequestPart } from './rewards-by-halves.js';
import { putShares, type WindowDesign, windowDesign } from './window-design.js';

/** Requests between two yields, with all their items. */
const SLICE = 2048;

/** The requests of some panes as a log of arms. */
export interface WindowLog {
  readonly log: DividedLog;
  /** Those of which it holds the ones that can be valued. */
  readonly requests: UsableRequests;
  /** By partition. */
  readonly places: readonly RowPlaces[];
  /** Share of all requests that it holds: those whose lists are all there. */
  readonly complete: number;
  /** By model of the log: share of its requests in which the model has a list. */
  readonly listed: readonly number[];
  /** Share of an arm's random lists of which it is not known from how many items: of the worst. */
  readonly drawnFromUnknown: number;
}

/** Where rows of a partition's log come from. */
interface RowPlaces {
  /** By row of its items: the row in its pane; those of pane p begin at firstRow[p]. */
  readonly rows: Int32Array;
  readonly firstRow: readonly number[];
}

/**
 * The requests of some panes as columns, by partition.
 *
 * @param rounds bring all partitions together: five rounds. @param names of the models by column. @param targets models that are valued, all if left out: the
 * lists of others are left out, but for arms. @returns undefined where there are no requests at all.
 * Yields now and then.
 */
export function* windowLog(
  parts: readonly RequestPart[],
  names: readonly string[],
  targets: readonly string[] | undefined,
  rounds: Rounds,
): Generator<void, WindowLog | undefined> {
  const asked = yield* usableRequests(parts, false, rounds);
  if (asked.all === 0) return undefined;
  const requests = yield* withoutCrawlers(asked, rounds);
  return yield* logOf(requests, names, targets, hashClusters(parts), rounds);
}

/** The same of requests that were chosen. */
export function* logOf(
  requests: UsableRequests,
  names: readonly string[],
  targets: readonly string[] | undefined,
  users: UserClusters,
  rounds: Rounds,
): Generator<void, WindowLog> {
  const isValued = (column: number) => isTarget(names[column], targets);
  const design = yield* windowDesign(requests, names.length, isValued, rounds);
  const { columns, arms, shares, listed, hasOwnShares } = design;
  const common = {
    models: columns.map((column) => names[column]),
    shares,
    clusters: users.clusters,
    arms: arms.map((list) => ({ list, isUniform: design.drawn.has(list) })),
  };
  const parts: ServedLog[] = [];
  const places: RowPlaces[] = [];
  for (const part of requests.parts) {
    const { rows, firstRow, ...columnsOfLog } = yield* logColumns(part, requests, design, users);
    parts.push({ ...columnsOfLog, ...common });
    places.push({ rows, firstRow });
  }
  return {
    log: { ...common, hasOwnShares, isPredicted: false, parts },
    requests,
    places,
    complete: requests.usable / requests.all,
    listed: listed.map((count) => count / requests.usable),
    drawnFromUnknown: Math.max(0, ...design.drawnFromUnknown.values()),
  };
}

/** Whether the lists of a model are valued: all are where no targets are named. */
export function isTarget(model: string, targets: readonly string[] | undefined): boolean {
  return targets?.includes(model) ?? true;
}

/** With the reward that is expected of each of its items. @param predicted by pane and row. */
export function* withPredicted(
  found: WindowLog,
  predicted: PredictedRows,
): Generator<void, WindowLog> {
  const { log, requests, places } = found;
  const parts: ServedLog[] = [];
  for (const [n, part] of log.parts.entries()) {
    const { items } = part;
    const { rows, firstRow } = places[n];
    const own = new Float64Array(items.length);
    for (const [p, pane] of requests.parts[n].panes.entries()) {
      const ofPane = predicted.get(pane)!;
      const first = firstRow[p];
      yield* inSlices((firstRow[p + 1] ?? items.length) - first, (from, to) => {
        for (let row = first + from; row < first + to; row++) own[row] = ofPane[rows[row]];
      });
    }
    parts.push({ ...part, items: { ...items, predicted: own } });
  }
  return { ...found, log: { ...log, isPredicted: true, parts } };
}

function* logColumns(
  part: PartRequests,
  requests: UsableRequests,
  design: WindowDesign,
  users: UserClusters,
): Generator<void, BuiltColumns> {
  const into = new LogColumns(part, requests, design, users);
  for (const [p, pane] of part.panes.entries()) {
    const kept = part.kept[p];
    into.begin(pane);
    yield* inSlices(kept.length, (from, to) => into.add(pane, kept.subarray(from, to)), SLICE);
  }
  return into.build();
}

type BuiltColumns = Pick<ServedLog, 'requests' | 'items'> & RowPlaces;

/** Columns under construction. */
class LogColumns {
  readonly #listedLevel: number;
  readonly #design: WindowDesign;
  /** By column: place of the arm. */
  readonly #armOf: Int32Array;
  readonly #arm: Uint16Array;
  readonly #stratum: Int32Array;
  /** By request and arm, where requests are weighed by their own. */
  readonly #share: Float64Array | undefined;
  readonly #users: UserClusters;
  readonly #cluster: Uint8Array | Uint16Array;
  readonly #user: Int32Array;
  readonly #stretchOf: (ts: number) => number;
  readonly #stretch: Uint8Array;
  readonly #history: Uint8Array;
  /** By dimension; of those of the first pane that has any, as all have the same. */
  #segments: RowSegments | undefined;
  /** By number of a user: the one in the log, in the order of first requests. */
  readonly #places = new Map<number, number>();
  /** By column of a model whose list lacks in some requests: 1 for those with it. */
  readonly #hasList = new Map<number, Uint8Array>();
  readonly #isListed: Uint8Array;
  readonly #candidates: Int32Array;
  readonly #drawnStart: Uint8Array;
  readonly #drawnEnd: Uint8Array;
  readonly #request: Int32Array;
  readonly #reward: Float64Array;
  readonly #ranks: readonly Uint16Array[];
  readonly #rows: Int32Array;
  readonly #firstRow: number[] = [];
  #strata: Int32Array = new Int32Array(0);
  #requests = 0;
  #items = 0;
  #isSample = false;

  constructor(
    { panes, kept }: PartRequests,
    { listedLevel, first, last }: UsableRequests,
    design: WindowDesign,
    users: UserClusters,
  ) {
    const usable = kept.reduce((sum, { length }) => sum + length, 0);
    this.#users = users;
    this.#listedLevel = listedLevel;
    this.#design = design;
    this.#armOf = new Int32Array(1 + Math.max(-1, ...design.columns));
    for (const [arm, place] of design.arms.entries()) this.#armOf[design.columns[place]] = arm;
    // At most: those that are not kept have few rows.
    const items = panes.reduce((sum, { items: { length } }) => sum + length, 0);
    this.#arm = new Uint16Array(usable);
    this.#stratum = new Int32Array(usable);
    if (design.hasOwnShares) this.#share = new Float64Array(usable * design.arms.length);
    this.#cluster = new (users.clusters <= 0xff ? Uint8Array : Uint16Array)(usable);
    this.#user = new Int32Array(usable);
    const length = (last - first + 1) / STRETCHES;
    this.#stretchOf = (ts) => Math.floor((ts - first) / length);
    this.#stretch = new Uint8Array(usable);
    this.#history = new Uint8Array(usable).fill(0xff);
    const segments = panes.find((pane) => pane.segments !== undefined)?.segments;
    const codes = segments?.codes.map(() => new Uint16Array(usable));
    this.#segments = segments && { ...segments, codes: codes! };
    for (const place of design.lacking) this.#hasList.set(place, new Uint8Array(usable));
    this.#isListed = new Uint8Array(usable);
    const drawn = design.drawn.size > 0 ? usable : 0;
    this.#candidates = new Int32Array(drawn);
    this.#drawnStart = new Uint8Array(drawn);
    this.#drawnEnd = new Uint8Array(drawn);
    this.#request = new Int32Array(items);
    this.#reward = new Float64Array(items);
    this.#ranks = design.columns.map(() => new Uint16Array(items));
    this.#rows = new Int32Array(items);
  }

  begin(pane: WindowRequests): void {
    this.#strata = this.#design.strata.get(pane) ?? new Int32Array(0);
    this.#firstRow.push(this.#items);
  }

  /** Of requests that are not in the sample of those whose items are all there, what was rewarded. */
  add(pane: WindowRequests, requests: Int32Array): void {
    const { depth, served, kind, firstItem, items } = pane;
    const cluster = this.#users.of.get(pane)!;
    const drawn = this.#design.drawn.size > 0 ? pane.drawn : undefined;
    // In locals: it runs for every item.
    const rows = this.#rows;
    const reward = this.#reward;
    const request = this.#request;
    const first = this.#items;
    let end = first;
    const arms = this.#design.arms.map((place) => this.#design.columns[place]);
    for (const q of requests) {
      const at = this.#requests++;
      const isListed = depth[q] >= this.#listedLevel;
      this.#arm[at] = this.#armOf[served[q]];
      if (this.#share === undefined) this.#stratum[at] = this.#strata[kind[q]];
      else putShares(pane.kinds, kind[q], arms, this.#share, at * arms.length);
      this.#cluster[at] = cluster[q];
      this.#user[at] = this.#placeOf(pane.user[q]);
      this.#stretch[at] = this.#stretchOf(pane.ts[q]);
      if (pane.history !== undefined) this.#history[at] = pane.history[q];
      for (const [d, own] of pane.segments?.codes.entries() ?? []) {
        this.#segments!.codes[d][at] = own[q];
      }
      for (const [place, hasList] of this.#hasList) {
        const { models } = runOf(pane.kinds, kind[q]);
        if (models.includes(this.#design.columns[place])) hasList[at] = 1;
      }
      if (isListed) this.#isListed[at] = 1;
      else this.#isSample = true;
      if (drawn !== undefined) {
        this.#candidates[at] = drawn.candidates[q];
        this.#drawnStart[at] = drawn.start[q];
        this.#drawnEnd[at] = drawn.end[q];
      }
      for (let row = firstItem[q]; row < firstItem[q + 1]; row++) {
        if (!isListed && items.reward[row] === 0) continue;
        rows[end] = row;
        reward[end] = items.reward[row];
        request[end++] = at;
      }
    }
    this.#items = end;
    for (const [place, column] of this.#design.columns.entries()) {
      const own = items.ranks[column];
      const into = this.#ranks[place];
      if (own === undefined) into.fill(NOT_IN_LIST, first, end);
      else for (let n = first; n < end; n++) into[n] = own[rows[n]];
    }
  }

  #placeOf(user: number): number {
    const known = this.#places.get(user);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(user, place);
    return place;
  }

  build(): BuiltColumns {
    return {
      rows: this.#rows,
      firstRow: this.#firstRow,
      requests: {
        length: this.#requests,
        arm: this.#arm,
        stratum: this.#stratum,
        cluster: this.#cluster,
        user: this.#user,
        history: this.#history,
        stretch: this.#stretch,
        ...(this.#segments && { segments: this.#segments }),
        ...(this.#hasList.size > 0 && { hasList: this.#hasList }),
        ...(this.#share && { share: this.#share }),
        ...(this.#isSample && { isListed: this.#isListed }),
        ...(this.#design.drawn.size > 0 && {
          candidates: this.#candidates,
          drawnStart: this.#drawnStart,
          drawnEnd: this.#drawnEnd,
        }),
      },
      items: {
        length: this.#items,
        request: this.#request,
        reward: this.#reward,
        ranks: this.#ranks,
      },
    };
  }
}
