import type { ActionWorths } from '../../events/action-worths.js';
import { SegmentCodes } from '../../events/segment-table.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { countsRandomizedApart, type PopularityRule } from '../counts/popularity-rule.js';
import { type Reach, reachOf } from '../counts/reach.js';
import { NO_COUNTS, retained, type SparseCounts } from '../counts/sparse-counts.js';
import type { EventDictionaries, EventPlaces } from '../ids/dictionaries.js';
import {
  type HeardModel,
  type HeardModels,
  NONE_UNPLACED,
  type PlacedModels,
  type Unplaced,
} from '../ids/heard-models.js';
import type { ModelPlaces } from '../ids/model-places.js';
import type { UserDepths } from '../ids/user-depths.js';
import { NO_REQUESTS } from '../requests/closed-requests.js';
import type { RequestOptions } from '../requests/open-request.js';
import {
  OpenRequests,
  readPartitionRequests,
  writePartitionRequests,
} from '../requests/open-requests.js';
import type { PaneRequests } from '../requests/pane-requests.js';
import {
  type Attributed,
  attribute,
  type ExperimentState,
  NOTHING_ATTRIBUTED,
} from './attribution.js';
import { ClosedPanes } from './closed-panes.js';
import { alignWithLists, type EarlyInteractions } from './early-interactions.js';
import { ListStore } from './lists.js';
import { OpenPane } from './open-pane.js';
import { NO_PANE_COUNTS, type PaneContent } from './pane-content.js';
import { PaneTallies } from './pane-tallies.js';
import { type PaneUsers, paneUsers } from './pane-users.js';
import { PopularInteractions } from './popular-interactions.js';
import type { SegmentNames } from './row-segments.js';
import { type PaneLimits, UNLIMITED } from './sample-level.js';
import type { Write } from './stored-columns.js';
import { UserSegments } from './user-segments.js';

const SLICE_ROWS = 16_384;
const HALF = 0.5;
const QUARTER = 0.25;
const POSITIVES: PopularityRule = { of: 'positive' };
const NO_MODELS: HeardModels = new Map();
const NOBODY_REACHED = {
  users: new Int32Array(0),
  shown: NO_COUNTS,
  isPartlyLogged: false,
};

export interface PartitionOptions {
  readonly paneMs: number;
  readonly attributionTtlMs: number;
  /** Longest time, ms, by which an interaction may precede its attributed list; 0 by default. */
  readonly clockSkewMs?: number | undefined;
  /** Popularity horizon, over which users' interactions are counted, ms. */
  readonly horizonMs: number;
  /** Rows between two yields when closing a pane. */
  readonly sliceRows?: number;
  /** Memory limits of a pane; none by default. */
  readonly limits?: PaneLimits;
  /** Which interactions count towards popularity; positives by default. */
  readonly popularity?: PopularityRule;
  /**
   * Length of the longest window, ms; one pane by default. The cap on a user's interactions applies
   * to each period of this length.
   */
  readonly longestWindowMs?: number;
  /** Whether interactions may give the id of a list; true by default. */
  readonly areListsNamed?: boolean;
  /** Whether rows record which served list led to them; false by default. */
  readonly followsCauses?: boolean;
  /** Rewards of actions; undefined if rewards of lists are not needed. */
  readonly worths?: ActionWorths | undefined;
  /** Rewards of the A/B test; undefined if no test is analysed. */
  readonly experiment?: ExperimentState | undefined;
  /** Options of joining requests; undefined if requests are not joined. */
  readonly requests?: Omit<RequestOptions, 'paneMs' | 'limit'> | undefined;
  /** Whether to sample users, to detect users who are in several partitions; false by default. */
  readonly samplesSeen?: boolean;
  /**
   * Which models are tracked, and under which numbers. By default all models are tracked, under the
   * numbers of their names.
   */
  readonly places?: ModelPlaces | undefined;
  /** Depths of the partition's users, by which users are sampled; required with limits. */
  readonly depths?: UserDepths | undefined;
  /** Segment dimensions of the rows; none by default. */
  readonly segments?: SegmentNames | undefined;
}

/** Attribution ttl and newest closed pane of a stored state. */
export interface WrittenState {
  readonly attributionTtlMs: number;
  /** End of the newest closed pane, event time, ms; −Infinity before the first. */
  readonly paneEnd: number;
}

const NOTHING_SAID = new SegmentCodes();

/**
 * State of the users of one partition: pending events by pane, lists, interaction counts, and rows
 * of closed panes. A user belongs to one partition, so partitions are independent; global item
 * counts are returned as `PaneCounts`.
 */
export class PartitionState implements PlacedModels {
  readonly #options: PartitionOptions;
  readonly #limits: PaneLimits;
  readonly #depths: UserDepths | undefined;
  readonly #open = new Map<number, OpenPane>();
  readonly #lists: ListStore;
  readonly #tallies: PaneTallies;
  readonly #popular: PopularInteractions;
  readonly #requests: OpenRequests | undefined;
  readonly #segments:
    | {
        readonly here: SegmentNames;
        readonly users: UserSegments;
      }
    | undefined;
  /** The newest closed pane. */
  #newest = Number.NEGATIVE_INFINITY;
  /** Rows and counts of closed panes. */
  readonly closed: ClosedPanes;
  /**
   * Last pane whose events are included in the past counts that seeded this state. Panes up to this
   * one add rows and lists, but no counts, so that nothing is counted twice.
   */
  countedThrough = Number.NEGATIVE_INFINITY;
  /** Numbers of interactions so far that preceded their attributed list. */
  readonly early: EarlyInteractions = {
    moved: 0,
    left: 0,
  };

  /** @throws RangeError with limits but without depths */
  constructor(options: PartitionOptions, tallies = talliesBy(options.popularity)) {
    const { popularity = POSITIVES, paneMs, longestWindowMs = paneMs, requests } = options;
    this.#options = options;
    this.#limits = {
      ...(options.limits ?? UNLIMITED),
      popularity,
    };
    this.#popular = new PopularInteractions(popularity, longestWindowMs, tallies);
    const limit = options.limits?.requests ?? Number.POSITIVE_INFINITY;
    const earnsBy = options.experiment?.earning?.by;
    this.#requests =
      requests &&
      new OpenRequests({
        ...requests,
        earnsBy,
        paneMs,
        limit,
      });
    this.#depths = options.depths;
    if (options.limits !== undefined && options.depths === undefined) {
      throw new RangeError('A partition with limits needs the depths of its users.');
    }
    this.#tallies = tallies;
    const { attributionTtlMs, areListsNamed, followsCauses } = options;
    this.#lists = new ListStore(attributionTtlMs, areListsNamed, followsCauses);
    const { depths, horizonMs, segments: here } = options;
    this.#segments = here && {
      here,
      users: new UserSegments(here, horizonMs / paneMs),
    };
    this.closed = new ClosedPanes(horizonMs, paneMs, longestWindowMs, depths, here);
  }

  /** The oldest pane with pending events, or with requests to close; Infinity if there is none. */
  get oldestOpenPane(): number {
    let oldest = this.#requests?.oldestClosing ?? Number.POSITIVE_INFINITY;
    for (const pane of this.#open.keys()) {
      oldest = Math.min(oldest, pane);
    }
    return oldest;
  }

  /** The newest pane with pending events; −Infinity if there is none. */
  get newestOpenPane(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#open.keys());
  }

  /** Whether no window has rows, and no events are pending in panes up to this one. */
  isEmptyThrough(pane: number): boolean {
    return !this.closed.isInWindow && this.oldestOpenPane > pane;
  }

  /** Current numbers of rows, list items and users, to compare with the limits. O(users). */
  get held(): PaneLimits {
    let rows = 0;
    let listEntries = this.#lists.entries;
    for (const { pending } of this.#open.values()) {
      rows += pending.interactions.length;
      listEntries += pending.exposures.entries;
    }
    for (const { length } of this.closed.rows) {
      rows += length;
    }
    return {
      rows,
      listEntries,
      users: this.closed.userCounts.distinct,
    };
  }

  /** Models tracked in this partition. */
  get models(): HeardModels {
    return this.#options.places?.heard ?? NO_MODELS;
  }

  unplacedIn(pane: number): Unplaced {
    return this.#options.places?.unplacedIn(pane) ?? NONE_UNPLACED;
  }

  /** The open pane with this number, created on demand. */
  openPane(pane: number): OpenPane {
    let open = this.#open.get(pane);
    if (open === undefined) {
      open = new OpenPane(this.#limits, this.#depths);
      this.#open.set(pane, open);
    }
    return open;
  }

  /** Take over events of a pane that were collected outside; the pane must have no events yet. */
  adopt(pane: number, events: OpenPane): void {
    this.#open.set(pane, events);
  }

  /**
   * Close a pane: turn its events, in order of event time and exposures before interactions of the
   * same millisecond, into lists, rows and counts. Yields regularly; nothing may be added to this
   * pane from the first step on.
   */
  *close(pane: number): Generator<void, PaneContent> {
    const paneEnd = (pane + 1) * this.#options.paneMs;
    const open = this.#open.get(pane);
    this.#newest = pane;
    this.#open.delete(pane);
    if (open !== undefined) {
      this.#align(open, paneEnd);
    }
    this.closed.advance(paneEnd);
    this.#popular.begin(paneEnd);
    const { unplaced, gone } = placeLists(pane, open, this.#options.places);
    this.#lists.forget(gone);
    this.#requests?.dropModels(gone);
    this.closed.dropRequestModels(gone);
    const seen = open === undefined ? undefined : yield* this.#seen(open);
    const attributed = open === undefined ? NOTHING_ATTRIBUTED : yield* this.#attribute(pane, open);
    const counted = yield* this.#counted(pane, open, attributed, unplaced);
    const own = pane > this.countedThrough ? counted : uncounted(counted);
    const content =
      seen === undefined
        ? own
        : {
            ...own,
            seen,
          };
    yield* this.closed.makeRoom(content.levels);
    this.closed.add(content, paneEnd);
    this.#lists.expire(paneEnd);
    return content;
  }

  /** Drop all pending events and lists, since another process reads the partition's events. */
  dropOpen(): void {
    this.#open.clear();
    this.#lists.expire(Number.POSITIVE_INFINITY);
  }

  /** Add a pane that another process has closed: its rows, counts and tracked models. */
  *takeClosed(content: PaneContent): Generator<void, void> {
    const { pane, models, counts } = content;
    const paneEnd = (pane + 1) * this.#options.paneMs;
    this.#newest = pane;
    this.closed.advance(paneEnd);
    const gone = this.#options.places?.become(pane, models, counts.unplaced) ?? [];
    this.closed.dropRequestModels(gone);
    yield* this.closed.makeRoom(content.levels);
    this.closed.add(content, paneEnd);
  }

  #align(open: OpenPane, paneEnd: number): void {
    const { clockSkewMs = 0, paneMs } = this.#options;
    const later = [...this.#open]
      .filter(([pane]) => pane * paneMs < paneEnd + clockSkewMs)
      .map(([, each]) => each);
    const { moved, left } = alignWithLists(open, later, clockSkewMs);
    this.early.moved += moved;
    this.early.left += left;
  }

  /** Track a model that had lists before this partition began; @returns its number */
  hear(name: number, heard: HeardModel): number {
    return this.#options.places?.hear(name, heard) ?? name;
  }

  /**
   * Add counts of users' interactions from before this partition began, up to the end of a pane.
   */
  *begin(
    paneEnd: number,
    users: SparseCounts,
    randomizedUsers: SparseCounts,
  ): Generator<void, void> {
    this.closed.advance(paneEnd);
    const level = yield* this.closed.usersLevelWith(users, this.#limits.users);
    const levels = {
      rows: 0,
      users: level,
    };
    yield* this.closed.makeRoom(levels);
    const content = {
      pane: paneEnd / this.#options.paneMs - 1,
      levels,
      rows: undefined,
      users: this.#ofDepth(level, users),
      randomized: NOBODY_REACHED,
      randomizedUsers: this.#ofDepth(level, randomizedUsers),
      counts: NO_PANE_COUNTS,
    };
    this.closed.add(
      {
        ...content,
        models: NO_MODELS,
      },
      paneEnd,
    );
  }

  /**
   * Count, for each item, the users to whom a stored list of from ≤ ts < to showed the item. Only
   * users of depth at least `level` count.
   */
  *reach(from: number, to: number, items: number, level = 0): Generator<void, Reach> {
    const depths = this.#depths;
    return yield* reachOf(
      (visit) =>
        level === 0
          ? this.#lists.shown(from, to, visit)
          : this.#lists.shown(from, to, (user, ...list) => {
              if (depths!.of(user) >= level) {
                visit(user, ...list);
              }
            }),
      items,
    );
  }

  /**
   * Capture the state for writing later. Events may be added meanwhile, but no pane may close
   * before writing has ended.
   */
  capture(): Write {
    const segments = this.#segments;
    const open = [...this.#open].map(
      ([number, pane]) => [number, pane.capture(segments?.here)] as const,
    );
    const write = (to: BinaryWriter, ids: EventDictionaries) => this.#write(to, ids);
    const closed = this.closed.requests;
    const requests = this.#requests?.groups;
    const { seen } = this.closed;
    return function* writeAll(to, ids) {
      yield* write(to, ids);
      const hasRequests = closed.length > 0 || (requests?.size ?? 0) > 0;
      const isSampled = Number.isFinite(seen.since);
      // A number below 0 announces requests, a half seen users, a quarter users' segments.
      const marks = (isSampled ? HALF : 0) + (segments === undefined ? 0 : QUARTER);
      to.number((hasRequests ? -1 - open.length : open.length) + marks);
      if (isSampled) {
        seen.write(to);
      }
      segments?.users.write(to);
      if (hasRequests) {
        yield* writePartitionRequests(to, closed, requests ?? new Map(), ids);
      }
      for (const [number, pane] of open) {
        to.number(number);
        yield* pane(to, ids);
      }
    };
  }

  /** Restore a captured state, before anything is added. */
  *restore(from: BinaryReader, places: EventPlaces, written: WrittenState): Generator<void, void> {
    yield* this.closed.readRows(from, places);
    yield* this.#lists.read(from, places, written.attributionTtlMs);
    yield* this.closed.readCounts(from, places, written.paneEnd);
    this.#popular.read(from);
    const { places: kept } = this.#options;
    const closedThrough = written.paneEnd / this.#options.paneMs - 1;
    if (places.isWithoutModelPlaces) {
      kept?.begin(this.#lists.models(), closedThrough);
    } else {
      kept?.read(from, places);
    }
    const stated = from.number();
    const open = Math.floor(stated);
    if (stated - open >= HALF) {
      this.closed.seen.read(from);
    }
    if ((stated - open) % HALF === QUARTER) {
      UserSegments.read(from, this.#segments?.users);
    }
    this.#newest = closedThrough;
    if (open < 0) {
      yield* readPartitionRequests(from, this.closed, this.#requests, places);
    }
    for (let left = open < 0 ? -1 - open : open; left > 0; left--) {
      const pane = from.number();
      this.#open.set(
        pane,
        OpenPane.read(from, places, this.#limits, this.#depths, this.#segments?.here),
      );
      yield;
    }
  }

  /** Mark all referenced users as in use: flags[user] = 1. No pane may close meanwhile. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* this.closed.markUsers(flags);
    yield* this.#lists.markUsers(flags);
    if (this.#requests !== undefined) {
      yield* this.#requests.markUsers(flags);
    }
    yield* this.#popular.markUsers(flags);
    for (const pane of [...this.#open.values()]) {
      yield* pane.markUsers(flags);
    }
    if (this.#segments !== undefined) {
      yield* this.#segments.users.mark(flags, this.#newest);
    }
  }

  /**
   * Mark all referenced items as in use, except those known to `Popularity` only: flags[item] = 1.
   */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.closed.markItems(flags);
    yield* this.#lists.markItems(flags);
    if (this.#requests !== undefined) {
      yield* this.#requests.markItems(flags);
    }
    for (const pane of [...this.#open.values()]) {
      yield* pane.markItems(flags);
    }
  }

  /** Mark all referenced model names as in use: flags[name] = 1. */
  *markModelNames(flags: Uint8Array): Generator<void, void> {
    this.#options.places?.markNames(flags);
    for (const pane of [...this.#open.values()]) {
      yield* pane.markModels(flags);
    }
  }

  /** Write state that changes only when a pane closes. */
  *#write(to: BinaryWriter, ids: EventDictionaries): Generator<void, void> {
    yield* this.closed.writeRows(to, ids);
    yield* this.#lists.write(to, ids);
    yield* this.closed.writeCounts(to, ids);
    this.#popular.write(to);
    // Without places no process reads this state again.
    if (this.#options.places !== undefined) {
      yield* this.#options.places.write(to, ids);
    }
  }

  /** A sample of users with events, if configured. */
  *#seen({ pending, level }: OpenPane): Generator<void, PaneUsers | undefined> {
    if (this.#depths === undefined || !this.#options.samplesSeen) return undefined;
    return yield* paneUsers(pending, this.#depths, level);
  }

  #attribute(pane: number, open: OpenPane): Generator<void, Attributed> {
    // The oldest pane to whose lists rows of this pane may be attributed.
    const oldest = pane - Math.ceil(this.#options.attributionTtlMs / this.#options.paneMs);
    return attribute(pane, open, {
      lists: this.#lists,
      tallies: this.#tallies,
      popular: this.#popular,
      level: Math.max(open.level, this.closed.rowsLevelSince(oldest)),
      depths: this.#depths,
      slice: this.#options.sliceRows ?? SLICE_ROWS,
      followsCauses: this.#options.followsCauses ?? false,
      worths: this.#options.worths,
      experiment: this.#options.experiment,
      requests: this.#requests,
      userCounts: this.closed.userCounts.counts,
      segments: this.#segments,
    });
  }

  /** Content of the pane; resets the tallies. */
  *#counted(
    pane: number,
    open: OpenPane | undefined,
    attributed: Attributed,
    unplaced: Unplaced,
  ): Generator<void, PaneContent> {
    const { rows, served, experiment, unranked, sampledOut, isPartlyLogged } = attributed;
    const tallies = this.#tallies;
    if (open?.sampledOut !== undefined) {
      open.sampledOut.addTo(tallies, (user) => this.#popular.admits(user));
      for (const [model, { onTime, late }] of open.sampledOut.lists) {
        tallies.noteLists(model, onTime + late);
      }
    }
    const users = tallies.users.drain();
    const usersLevel = yield* this.closed.usersLevelWith(users, this.#limits.users);
    const { requests, tally } =
      this.#requests === undefined ? NO_REQUESTS : yield* this.#requests.close(pane);
    const counts =
      open === undefined ? NO_PANE_COUNTS : tallies.drain(unranked, sampledOut, unplaced);
    return {
      pane,
      levels: {
        rows: open?.level ?? 0,
        users: usersLevel,
      },
      rows,
      served,
      experiment,
      ...(requests && { requests: this.#divided(pane, requests) }),
      users: this.#ofDepth(usersLevel, users),
      randomizedUsers: this.#ofDepth(usersLevel, tallies.randomizedUsers.drain()),
      randomized: {
        users: tallies.reached.drain().ids,
        shown: tallies.shownAtRandom.drain(),
        isPartlyLogged,
      },
      counts:
        tally === undefined
          ? counts
          : {
              ...counts,
              requests: tally,
            },
      models: new Map(this.models),
    };
  }

  /** Add to each request the segment values that its user has when the pane closes. */
  #divided(pane: number, requests: PaneRequests): PaneRequests {
    const { here, users } = this.#segments ?? {};
    if (here?.dimensions.some(({ from }) => from === 'user') !== true) return requests;
    const codes = here.dimensions.map(() => new Uint16Array(requests.length));
    for (let q = 0; q < requests.length; q++) {
      users!.codesOf(pane, requests.user[q], NOTHING_SAID, 0, codes, q);
    }
    const dimensions = here.dimensions.map(({ name }) => name);
    return {
      ...requests,
      segments: {
        dimensions,
        names: here.names,
        codes,
      },
    };
  }

  #ofDepth(level: number, counts: SparseCounts): SparseCounts {
    if (level === 0) return counts;
    return retained(counts, (user) => this.#depths!.of(user) >= level);
  }
}

/** Content without counts, for a pane whose events were counted before. */
function uncounted(content: PaneContent): PaneContent {
  const { overUserCap, listing, lists, unplaced, unranked, sampledOut, requests } = content.counts;
  return {
    ...content,
    users: NO_COUNTS,
    randomizedUsers: NO_COUNTS,
    counts: {
      ...NO_PANE_COUNTS,
      overUserCap,
      listing,
      lists,
      unplaced,
      unranked,
      sampledOut,
      requests,
    },
  };
}

/** Create buffers for closing panes, shared by partitions that close one after another. */
export function talliesBy(rule: PopularityRule = POSITIVES): PaneTallies {
  return new PaneTallies(countsRandomizedApart(rule));
}

/** Result of `placeLists`. */
interface PlacedLists {
  readonly unplaced: Unplaced;
  /** Numbers of models that are not tracked any more. */
  readonly gone: readonly number[];
}

/**
 * Determine which of a closing pane's models are tracked, renumber the models of their lists, and
 * drop the lists of other models. To be called once.
 */
function placeLists(
  pane: number,
  open: OpenPane | undefined,
  places: ModelPlaces | undefined,
): PlacedLists {
  if (open === undefined || places === undefined) {
    return {
      unplaced: NONE_UNPLACED,
      gone: [],
    };
  }
  const { exposures } = open.pending;
  const named = exposures.byModel();
  for (const [name, { onTime }] of open.sampledOut?.lists ?? []) {
    if (onTime > 0) {
      named.set(name, (named.get(name) ?? 0) + onTime);
    }
  }
  const { numbers, unplaced, gone } = places.settle(pane, named);
  // A late list gives its model no place, but counts if the model has one.
  const numberOf = (name: number) => numbers.get(name) ?? places.find(name);
  const late = exposures.place(numberOf) + (open.sampledOut?.place(numberOf) ?? 0);
  return {
    unplaced: {
      ...unplaced,
      lists: unplaced.lists + late,
    },
    gone,
  };
}
