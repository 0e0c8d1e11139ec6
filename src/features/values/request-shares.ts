import { mostRequests } from '../../estimators/evidence/unit-of-draw.js';
import { CountHistogram } from '../../estimators/partitions/count-histogram.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { LargestNumbers } from '../../estimators/partitions/sparse-columns.js';
import { inSlices } from '../../estimators/slices.js';
import { type PaneRequests, SHARE_ROUNDING, UNUSABLE } from '../../state/requests/pane-requests.js';
import { runsOf, shareIn } from '../../state/requests/request-kinds.js';
import type { RequestPart } from './rewards-by-halves.js';

/** Requests of a partition's panes. */
export interface PartRequests {
  readonly panes: RequestPart;
  /** By pane: places of the requests that can be valued, in their order. */
  readonly kept: readonly Int32Array[];
}

/** Which requests of some panes can be valued, and what is known of all. */
export interface UsableRequests {
  /** By partition: those that are here. What follows is known of all that there are. */
  readonly parts: readonly PartRequests[];
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
  /** When the first and the last one of all were, ms. */
  readonly first: number;
  readonly last: number;
}

/**
 * Whether requests can be valued. Where any request states shares that sum to 1, one whose shares
 * do not lacks lists. Where none does, shares are not logged: then only what was served has a value.
 *
 * A request with the propensities of a stochastic logger is none of arms. Where there are any, and no
 * shares, propensities are what is logged, and a request without them lacks them.
 *
 * @param isLogged whether those with propensities are asked for, or those of arms.
 * @param rounds bring all partitions together: two rounds.
 */
export function* usableRequests(
  parts: readonly RequestPart[],
  isLogged = false,
  rounds: Rounds,
): Generator<void, UsableRequests> {
  const largest = yield* rounds.gather(new LargestNumbers(5), parts, function* look(own, panes) {
    for (const { level, listedLevel, places, ts } of panes) {
      let first = Number.POSITIVE_INFINITY;
      let last = Number.NEGATIVE_INFINITY;
      yield* inSlices(ts.length, (from, to) => {
        for (let q = from; q < to; q++) {
          first = Math.min(first, ts[q]);
          last = Math.max(last, ts[q]);
        }
      });
      own.add(level, listedLevel, places, last, -first);
    }
  });
  const [ofAll, listedLevel, places] = largest.values.map((each) => Math.max(0, each));
  const [last, negated] = largest.values.subarray(3);
  // Without all that was shown nothing can be weighed.
  const level = Math.max(ofAll, isLogged ? listedLevel : 0);
  const divided: DividedRequests[] = [];
  for (const panes of parts) divided.push(yield* dividedRequests(panes, level));
  const counts = yield* rounds.gather(new NumberSums(4), divided, function* count(own, each) {
    own.values.set([each.all, each.served.size, each.complete.size, each.logged.size]);
    yield;
  });
  const [all, served, whole, drawn] = counts.values;
  const isStated = whole > 0;
  const found = { level, listedLevel, places, first: -negated, last };
  const isOfArms = isStated || drawn === 0;
  const keep = (of: (each: DividedRequests) => readonly Int32Array[]) =>
    divided.map((each) => ({ panes: each.panes, kept: of(each) }));
  if (isLogged) {
    const kept = { parts: keep(({ logged }) => logged.kept), usable: drawn };
    return { ...found, ...kept, isStated: false, all: isOfArms ? drawn : all };
  }
  if (!isOfArms) {
    const none = keep(({ panes }) => panes.map(() => new Int32Array(0)));
    return { ...found, parts: none, isStated, all: 0, usable: 0 };
  }
  const kept = keep((each) => (isStated ? each.complete : each.served).kept);
  return { ...found, parts: kept, isStated, all: all - drawn, usable: isStated ? whole : served };
}

/** Places of some requests. */
interface KeptRequests {
  readonly kept: Int32Array[];
  size: number;
}

/** Requests of a partition by what may be done with them. */
interface DividedRequests {
  readonly panes: RequestPart;
  /** Those of the sample. */
  all: number;
  readonly served: KeptRequests;
  readonly complete: KeptRequests;
  readonly logged: KeptRequests;
}

function* dividedRequests(panes: RequestPart, level: number): Generator<void, DividedRequests> {
  const [served, complete, logged] = [0, 1, 2].map((): KeptRequests => ({ kept: [], size: 0 }));
  const found: DividedRequests = { panes, all: 0, served, complete, logged };
  for (const pane of panes) {
    const own = {
      served: new Int32Array(pane.length),
      complete: new Int32Array(pane.length),
      logged: new Int32Array(pane.logged === undefined ? 0 : pane.length),
    };
    const isWhole = wholeKinds(pane);
    let used = 0;
    let whole = 0;
    let drawn = 0;
    yield* inSlices(pane.length, (from, to) => {
      for (let q = from; q < to; q++) {
        if (pane.depth[q] < level) continue;
        found.all++;
        if (pane.served[q] === UNUSABLE) continue;
        if (pane.logged !== undefined && pane.logged.kind[q] > 0) own.logged[drawn++] = q;
        else {
          own.served[used++] = q;
          if (isWhole[pane.kind[q]] === 1) own.complete[whole++] = q;
        }
      }
    });
    keepFirst(served, own.served, used);
    keepFirst(complete, own.complete, whole);
    keepFirst(logged, own.logged, drawn);
  }
  return found;
}

/**
 * Without what crawlers asked for: of a user the first requests count, see `mostOfUser`.
 *
 * @param rounds bring all partitions together: two rounds.
 */
export function* withoutCrawlers(
  found: UsableRequests,
  rounds: Rounds,
): Generator<void, UsableRequests> {
  const most = yield* mostOfUser(found.parts, rounds);
  const parts: PartRequests[] = [];
  for (const part of found.parts) parts.push(yield* firstOfEach(part, most));
  const dropped = yield* rounds.gather(
    new NumberSums(1),
    [...parts.keys()],
    function* count(own, n) {
      own.values[0] += sizeOf(found.parts[n]) - sizeOf(parts[n]);
      yield;
    },
  );
  const [fewer] = dropped.values;
  return { ...found, parts, all: found.all - fewer, usable: found.usable - fewer };
}

/**
 * How many requests of a user count: ten times the median of users, and at least 20.
 *
 * @param rounds bring all partitions together: one round.
 */
export function* mostOfUser(
  parts: readonly PartRequests[],
  rounds: Rounds,
): Generator<void, number> {
  const histogram = yield* rounds.gather(new CountHistogram(), parts, function* count(own, part) {
    for (const requests of yield* requestsByUser(part)) if (requests > 0) own.add(requests);
  });
  return mostRequests(medianOf(histogram));
}

function sizeOf({ kept }: PartRequests): number {
  return kept.reduce((sum, { length }) => sum + length, 0);
}

function* requestsByUser({ panes, kept }: PartRequests): Generator<void, Int32Array> {
  let users = 0;
  for (const [p, { user }] of panes.entries()) {
    yield* inSlices(kept[p].length, (from, to) => {
      for (let n = from; n < to; n++) users = Math.max(users, user[kept[p][n]] + 1);
    });
  }
  const counts = new Int32Array(users);
  for (const [p, { user }] of panes.entries()) {
    yield* inSlices(kept[p].length, (from, to) => {
      for (let n = from; n < to; n++) counts[user[kept[p][n]]]++;
    });
  }
  return counts;
}

/** Of each user so many requests at most, the first ones. */
export function* firstOfEach(part: PartRequests, most: number): Generator<void, PartRequests> {
  const { panes, kept } = part;
  const counts = yield* requestsByUser(part);
  if (!counts.some((requests) => requests > most)) return part;
  counts.fill(0);
  const firsts: Int32Array[] = [];
  for (const [p, { user }] of panes.entries()) {
    firsts.push(kept[p].filter((q) => counts[user[q]]++ < most));
    yield;
  }
  return { panes, kept: firsts };
}

/** Of users’ requests; the mean of the two in the middle where users are even. */
function medianOf(histogram: CountHistogram): number {
  const counts = histogram.ascending();
  const users = counts.reduce((sum, [, own]) => sum + own, 0);
  const at = (place: number) => {
    let before = 0;
    for (const [count, own] of counts) {
      before += own;
      if (before > place) return count;
    }
    return 0;
  };
  return (at(Math.floor((users - 1) / 2)) + at(Math.floor(users / 2))) / 2;
}

function keepFirst(of: KeptRequests, places: Int32Array, size: number): void {
  of.kept.push(places.subarray(0, size));
  of.size += size;
}

/**
 * Share of the requests that can be valued whose rewards were still to come at a time.
 *
 * @param rounds bring all partitions together: one round.
 */
export function* pendingShare(
  { parts, usable }: UsableRequests,
  horizonMs: number,
  at: number,
  rounds: Rounds,
): Generator<void, number> {
  const found = yield* rounds.gather(new NumberSums(1), parts, function* count(own, part) {
    for (const [p, { ts }] of part.panes.entries()) {
      const kept = part.kept[p];
      yield* inSlices(kept.length, (from, to) => {
        for (let n = from; n < to; n++) if (ts[kept[n]] + horizonMs > at) own.values[0]++;
      });
    }
  });
  return found.values[0] / usable;
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
