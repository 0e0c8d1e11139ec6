import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { RollingCounts, readBuckets } from '../counts/rolling-counts.js';
import { type SparseCounts, SparseCountsTable } from '../counts/sparse-counts.js';
import { type Dictionaries, markCounted, markIds, type Places } from '../ids/dictionaries.js';
import type { UserDepths } from '../ids/user-depths.js';
import {
  type PaneRequests,
  retainedRequests,
  withRequestModels,
} from '../requests/pane-requests.js';
import type { ExperimentEvents } from './experiment-events.js';
import type { PaneContent, RandomizedPane } from './pane-content.js';
import { noRows, type PaneRows, readRows, retainedRows, writeRows } from './pane-rows.js';
import { adoptedSegments, type SegmentNames } from './row-segments.js';
import { depthCounts, levelWithin, type PaneLevels } from './sample-level.js';
import { readServed, retainedServed, type ServedLists, writeServed } from './served-lists.js';
import { SeenUsers } from './user-partitions.js';

/** Reach of a partition's randomised traffic. */
export interface RandomizedReach {
  /** Randomised interactions per user over the popularity horizon. */
  readonly counts: Int32Array;
  /** Number of users in the window with a randomised list or interaction. */
  readonly users: number;
  /** Number of list items shown by randomised lists in the window; NaN if some are not logged. */
  readonly shown: number;
}

const SLICE_USERS = 65_536;

/** Closed panes of one partition: the rows of its windows, and interaction counts of its users. */
export class ClosedPanes {
  /** Interactions per user over the popularity horizon, positive or not. */
  readonly userCounts: RollingCounts;
  /** Interactions per user from randomised traffic over the popularity horizon. */
  readonly randomizedCounts: RollingCounts;
  /** Events for the A/B test from the newest pane, if a test is analysed. */
  experiment:
    | {
        readonly pane: number;
        readonly events: ExperimentEvents;
      }
    | undefined;
  /** A sample of recently seen users, to detect users who are in several partitions. */
  readonly seen: SeenUsers;
  readonly #rows: PaneRows[] = [];
  /** Reach of randomised traffic, by pane, oldest first. */
  readonly #reached: ({ readonly pane: number } & RandomizedPane)[] = [];
  /** Shown lists and their rewards by pane, oldest first; empty unless rows record their causes. */
  readonly #served: {
    readonly pane: number;
    readonly lists: ServedLists;
  }[] = [];
  /** Requests, grouped by the pane with which they closed, oldest first. */
  #requests: PaneRequests[] = [];
  /** Sampling levels of the panes that kept only a sample of users, oldest first. */
  readonly #levels: ({ readonly pane: number } & PaneLevels)[] = [];
  /**
   * Sampling level to which the counts of users were last reduced: users of smaller depth have no
   * counts. The level is 0 after a restart, even if the stored counts were reduced.
   */
  #counted = 0;
  readonly #depths: UserDepths | undefined;
  readonly #segments: SegmentNames | undefined;

  /**
   * @param windowMs length of the longest window. @param depths of the partition's users; without
   *   them users cannot be sampled. @param segments segment names of rows
   */
  constructor(
    horizonMs: number,
    paneMs: number,
    windowMs: number,
    depths?: UserDepths,
    segments?: SegmentNames,
  ) {
    this.#depths = depths;
    this.#segments = segments;
    this.seen = new SeenUsers(Math.ceil(windowMs / paneMs));
    this.userCounts = new RollingCounts(horizonMs, paneMs);
    this.randomizedCounts = new RollingCounts(horizonMs, paneMs);
  }

  /** Rows of the closed panes, oldest first. */
  get rows(): readonly PaneRows[] {
    return this.#rows;
  }

  /** Whether any window contains rows or requests of this partition. */
  get isInWindow(): boolean {
    return this.#rows.length > 0 || this.#requests.length > 0;
  }

  /** Requests, grouped by the pane with which they closed, oldest first. */
  get requests(): readonly PaneRequests[] {
    return this.#requests;
  }

  /** Drop the counts of users below the next pane's sampling level. Yields regularly. */
  *makeRoom({ users }: PaneLevels): Generator<void, void> {
    if (users <= this.#counted) return;
    const isKept = (user: number) => this.#depths!.of(user) >= users;
    yield* this.userCounts.retain(isKept);
    yield* this.randomizedCounts.retain(isKept);
    this.#counted = users;
  }

  /** Add the content of a pane newer than all others. */
  add(content: PaneContent, paneEnd: number): void {
    const { pane, levels, rows, served, users, randomizedUsers, randomized } = content;
    this.#counted = Math.min(this.#counted, levels.users);
    if (levels.rows > 0 || levels.users > 0) {
      this.#levels.push({
        pane,
        ...levels,
      });
    }
    if (rows !== undefined) {
      this.#rows.push(this.#ofHere(rows));
    }
    if (served !== undefined) {
      this.#served.push({
        pane,
        lists: served,
      });
    }
    if (content.requests !== undefined) {
      this.#requests.push(this.#ofHere(content.requests));
    }
    const { experiment } = content;
    this.experiment = experiment && {
      pane,
      events: this.#experimentOfHere(experiment),
    };
    if (content.seen !== undefined) {
      this.seen.add(pane, content.seen);
    }
    this.userCounts.add(users, paneEnd);
    this.randomizedCounts.add(randomizedUsers, paneEnd);
    if (randomized.users.length > 0) {
      this.#reached.push({
        pane,
        ...randomized,
      });
    }
    this.advance(paneEnd);
  }

  /** Advance the horizons to the end of a closed pane. */
  advance(paneEnd: number): void {
    this.userCounts.advance(paneEnd);
    this.randomizedCounts.advance(paneEnd);
  }

  /** Least depth of users that have all their rows in every pane from this one on. */
  rowsLevelSince(pane: number): number {
    return this.#levelSince(pane, 'rows');
  }

  /**
   * Least depth of users that have all their interactions counted in every pane from this one on.
   */
  usersLevelSince(pane: number): number {
    return this.#levelSince(pane, 'users');
  }

  /**
   * Find the least sampling level at which the number of users with interaction counts is within
   * the limit. Users who are new in the given counts of a pane are included. O(users of the
   * partition) if the limit is exceeded.
   */
  *usersLevelWith({ ids }: SparseCounts, limit: number): Generator<void, number> {
    const { counts, size } = this.userCounts;
    let seen = size;
    for (const id of ids) {
      if (id >= seen) {
        seen = id + 1;
      }
    }
    if (seen <= limit) return 0;
    const byDepth = depthCounts();
    for (let user = 0; user < size; user++) {
      if (counts[user] > 0) {
        byDepth[this.#depths!.of(user)]++;
      }
      if (user % SLICE_USERS === SLICE_USERS - 1) {
        yield;
      }
    }
    for (const id of ids) {
      if (id >= size || counts[id] === 0) {
        byDepth[this.#depths!.of(id)]++;
      }
    }
    return levelWithin(byDepth, limit);
  }

  /**
   * Select the rows, lists, requests and randomised traffic of users of at least this depth. Panes
   * that have only such users are returned unchanged.
   */
  sampled(level: number): Pick<ClosedPanes, 'rows' | 'randomizedTraffic' | 'served' | 'requests'> {
    if (level === 0) return this;
    const isKept = (user: number) => this.#depths!.of(user) >= level;
    const kept = this.#rows.map((pane) => retainedRows(pane, isKept));
    return {
      rows: kept.filter(({ length }) => length > 0),
      randomizedTraffic: (first, last) => this.randomizedTraffic(first, last, isKept),
      served: (first, last) => this.served(first, last, isKept),
      requests: this.#requests.flatMap((each) => retainedRequests(each, isKept) ?? []),
    };
  }

  /**
   * Drop the content of all panes, since other processes have it; only remember which panes had
   * rows or requests.
   */
  hollow(): void {
    const panes = new Set([...this.#rows, ...this.#requests].map(({ pane }) => pane));
    this.#rows.length = 0;
    this.#requests = [];
    this.#served.length = 0;
    this.#reached.length = 0;
    this.experiment = undefined;
    for (const pane of [...panes].sort((a, b) => a - b)) {
      this.#rows.push(noRows(pane));
    }
  }

  /** Drop the sampling levels of panes before this one. */
  dropLevelsBefore(pane: number): void {
    while (this.#levels.length > 0 && this.#levels[0].pane < pane) {
      this.#levels.shift();
    }
  }

  dropRowsBefore(pane: number): void {
    let dropped = 0;
    while (dropped < this.#rows.length && this.#rows[dropped].pane < pane) {
      dropped++;
    }
    if (dropped > 0) {
      this.#rows.splice(0, dropped);
    }
    while (this.#reached.length > 0 && this.#reached[0].pane < pane) {
      this.#reached.shift();
    }
    while (this.#requests.length > 0 && this.#requests[0].pane < pane) {
      this.#requests.shift();
    }
    while (this.#served.length > 0 && this.#served[0].pane < pane) {
      this.#served.shift();
    }
  }

  /**
   * Reach of randomised traffic in the panes from `first` to `last`. Only users for which `isKept`
   * holds count; by default all.
   */
  randomizedTraffic(
    first: number,
    last: number,
    isKept: (user: number) => boolean = () => true,
  ): RandomizedReach {
    const users = new Set<number>();
    let shown = 0;
    for (const reached of this.#reached) {
      if (reached.pane < first || reached.pane > last) continue;
      for (const user of reached.users) {
        if (isKept(user)) {
          users.add(user);
        }
      }
      const { ids, counts } = reached.shown;
      for (let j = 0; j < ids.length; j++) {
        if (isKept(ids[j])) {
          shown += counts[j];
        }
      }
      if (reached.isPartlyLogged) {
        shown = Number.NaN;
      }
    }
    return {
      counts: this.randomizedCounts.counts,
      users: users.size,
      shown,
    };
  }

  /**
   * Lists shown in the panes from `first` to `last`, and rewards from these panes, which may belong
   * to older lists. Only users for which `isKept` holds are included; by default all. Oldest pane
   * first.
   */
  served(first: number, last: number, isKept?: (user: number) => boolean): ServedLists[] {
    const panes = this.#served.filter(({ pane }) => pane >= first && pane <= last);
    return panes.flatMap(({ lists }) => {
      const kept = isKept === undefined ? lists : retainedServed(lists, isKept);
      return kept === undefined ? [] : [kept];
    });
  }

  /** Remove the lists of models that are not tracked any more from requests. */
  dropRequestModels(models: readonly number[]): void {
    if (models.length === 0) return;
    const numberOf = (model: number) => (models.includes(model) ? undefined : model);
    this.#requests = this.#requests.map((each) => withRequestModels(each, numberOf));
  }

  /** Add stored requests. */
  adoptRequests(requests: PaneRequests): void {
    this.#requests.push(this.#ofHere(requests));
  }

  /** Mark the users with rows, counts, lists or requests as in use: flags[user] = 1. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const { user, length } of this.#rows) {
      yield* markIds(flags, user, length);
    }
    yield* markCounted(flags, this.userCounts);
    yield* markCounted(flags, this.randomizedCounts);
    for (const { users } of this.#reached) {
      yield* markIds(flags, users);
    }
    for (const { user } of this.#requests) {
      yield* markIds(flags, user);
    }
    for (const { lists } of this.#served) {
      yield* markIds(flags, lists.user);
    }
  }

  /** Mark the items of rows and requests as in use: flags[item] = 1. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const { item, length } of this.#rows) {
      yield* markIds(flags, item, length);
    }
    // Unknown items are negative and mark nothing, since writes below index 0 are ignored.
    for (const { items } of this.#requests) {
      yield* markIds(flags, items.item);
    }
  }

  *writeRows(to: BinaryWriter, ids: Dictionaries): Generator<void, void> {
    to.number(this.#rows.length);
    to.cut(0);
    for (const rows of this.#rows) {
      yield* writeRows(to, rows, ids);
    }
  }

  *readRows(from: BinaryReader, places: Places): Generator<void, void> {
    for (let left = from.count(); left > 0; left--) {
      this.#rows.push(this.#ofHere(readRows(from, places)));
      yield;
    }
  }

  *writeCounts(to: BinaryWriter, ids: Dictionaries): Generator<void, void> {
    const table = new SparseCountsTable();
    this.userCounts.collect(table);
    this.randomizedCounts.collect(table);
    yield* table.write(to, undefined);
    this.userCounts.writeBuckets(to, table);
    this.randomizedCounts.writeBuckets(to, table);
    to.number(this.#reached.length);
    for (const { pane, users, shown, isPartlyLogged } of this.#reached) {
      to.number(pane);
      to.column(users);
      to.column(shown.ids);
      to.column(Int32Array.from(shown.counts));
      to.number(isPartlyLogged ? 1 : 0);
    }
    // A number below 0 announces shown lists.
    const isServed = this.#served.length > 0;
    to.number(isServed ? -1 - this.#levels.length : this.#levels.length);
    for (const { pane, rows, users } of this.#levels) {
      to.number(pane);
      to.number(rows);
      to.number(users);
    }
    if (!isServed) return;
    to.number(this.#served.length);
    for (const { pane, lists } of this.#served) {
      to.number(pane);
      writeServed(to, lists, ids);
      to.cut();
      yield;
    }
  }

  /** @param paneEnd end of the newest pane in the counts. */
  *readCounts(from: BinaryReader, places: Places, paneEnd: number): Generator<void, void> {
    const table = yield* SparseCountsTable.read(from, undefined);
    this.userCounts.adopt(readBuckets(from, table), paneEnd);
    this.randomizedCounts.adopt(readBuckets(from, table), paneEnd);
    for (let left = from.count(); left > 0; left--) {
      const pane = from.number();
      const users = from.int32();
      const shown = {
        ids: from.int32(),
        counts: from.int32(),
      };
      this.#reached.push({
        pane,
        users,
        shown,
        isPartlyLogged: from.number() === 1,
      });
    }
    const levels = from.number();
    for (let left = levels < 0 ? -1 - levels : levels; left > 0; left--) {
      this.#levels.push({
        pane: from.number(),
        rows: from.number(),
        users: from.number(),
      });
    }
    if (levels >= 0) return;
    for (let left = from.count(); left > 0; left--) {
      this.#served.push({
        pane: from.number(),
        lists: readServed(from, places),
      });
      yield;
    }
  }

  /** Recode the segments of rows from a checkpoint or another process by this process's codes. */
  #ofHere<Rows extends PaneRows | PaneRequests>(rows: Rows): Rows {
    if (this.#segments === undefined) {
      return rows.segments === undefined
        ? rows
        : {
            ...rows,
            segments: undefined,
          };
    }
    if (rows.segments === undefined && 'ts' in rows) return rows;
    const segments = adoptedSegments(rows.segments, this.#segments, rows.length);
    return segments === rows.segments
      ? rows
      : {
          ...rows,
          segments,
        };
  }

  #experimentOfHere(events: ExperimentEvents): ExperimentEvents {
    const { lists } = events;
    const here = this.#segments;
    if (here === undefined || lists.segments === undefined) return events;
    const segments = adoptedSegments(lists.segments, here, lists.user.length);
    return segments === lists.segments
      ? events
      : {
          ...events,
          lists: {
            ...lists,
            segments,
          },
        };
  }

  #levelSince(pane: number, of: keyof PaneLevels): number {
    let level = 0;
    for (let n = this.#levels.length - 1; n >= 0 && this.#levels[n].pane >= pane; n--) {
      level = Math.max(level, this.#levels[n][of]);
    }
    return level;
  }
}
