import type { BinaryReader } from './binary-reader.js';
import type { BinaryWriter } from './binary-writer.js';
import type { Dictionaries, Places } from './dictionaries.js';
import type { RandomizedReach } from './group-by-user.js';
import { markCounted, markIds } from './mark.js';
import type { PaneContent, RandomizedPane } from './pane-content.js';
import { type PaneRows, readRows, writeRows } from './pane-rows.js';
import { RollingCounts } from './rolling-counts.js';
import { SparseCountsTable } from './sparse-counts-table.js';

/**
 * What the closed panes of one partition have left: the rows of the windows and the users' counts.
 * It changes only by what a pane brings, so whoever is given the same panes holds the same.
 */
export class ClosedPanes {
  /** Interactions per user over the horizon, of any value. */
  readonly userCounts: RollingCounts;
  /** Those of them that came from randomised traffic. */
  readonly randomizedCounts: RollingCounts;
  readonly #rows: PaneRows[] = [];
  /** Panes that randomised traffic reached anybody in. */
  readonly #reached: ({ readonly pane: number } & RandomizedPane)[] = [];

  constructor(horizonMs: number, paneMs: number) {
    this.userCounts = new RollingCounts(horizonMs, paneMs);
    this.randomizedCounts = new RollingCounts(horizonMs, paneMs);
  }

  /** Rows of the closed panes, oldest first. */
  get rows(): readonly PaneRows[] {
    return this.#rows;
  }

  /** Takes in a pane that is newer than all before it. */
  add(content: PaneContent, paneEnd: number): void {
    const { pane, rows, users, randomizedUsers, randomized } = content;
    if (rows !== undefined) this.#rows.push(rows);
    this.userCounts.add(users, paneEnd);
    this.randomizedCounts.add(randomizedUsers, paneEnd);
    if (randomized.users.length > 0) this.#reached.push({ pane, ...randomized });
    this.advance(paneEnd);
  }

  /** Moves the horizons on to the end of a closed pane. */
  advance(paneEnd: number): void {
    this.userCounts.advance(paneEnd);
    this.randomizedCounts.advance(paneEnd);
  }

  /** Lets go of the rows of panes before this one. */
  dropRowsBefore(pane: number): void {
    let dropped = 0;
    while (dropped < this.#rows.length && this.#rows[dropped].pane < pane) dropped++;
    if (dropped > 0) this.#rows.splice(0, dropped);
    while (this.#reached.length > 0 && this.#reached[0].pane < pane) this.#reached.shift();
  }

  /** Randomised traffic of the panes from `first` to `last`. */
  randomizedTraffic(first: number, last: number): RandomizedReach {
    const users = new Set<number>();
    let shown = 0;
    for (const reached of this.#reached) {
      if (reached.pane < first || reached.pane > last) continue;
      for (const user of reached.users) users.add(user);
      shown += reached.isPartlyLogged ? Number.NaN : reached.shown;
    }
    return { counts: this.randomizedCounts.counts, users: users.size, shown };
  }

  /** Sets the flags of the users that something is known of. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const { user, length } of this.#rows) yield* markIds(flags, user, length);
    yield* markCounted(flags, this.userCounts);
    yield* markCounted(flags, this.randomizedCounts);
    for (const { users } of this.#reached) yield* markIds(flags, users);
  }

  /** Sets the flags of the items of the rows. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const { item, length } of this.#rows) yield* markIds(flags, item, length);
  }

  *writeRows(to: BinaryWriter, ids: Dictionaries): Generator<void, void> {
    to.number(this.#rows.length);
    for (const rows of this.#rows) yield* writeRows(to, rows, ids);
  }

  *readRows(from: BinaryReader, places: Places): Generator<void, void> {
    for (let left = from.count(); left > 0; left--) {
      this.#rows.push(readRows(from, places));
      yield;
    }
  }

  *writeCounts(to: BinaryWriter): Generator<void, void> {
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
      to.number(shown);
      to.number(isPartlyLogged ? 1 : 0);
    }
  }

  *readCounts(from: BinaryReader): Generator<void, void> {
    const table = yield* SparseCountsTable.read(from, undefined);
    this.userCounts.readBuckets(from, table);
    this.randomizedCounts.readBuckets(from, table);
    for (let left = from.count(); left > 0; left--) {
      const pane = from.number();
      const users = from.int32();
      const shown = from.number();
      this.#reached.push({ pane, users, shown, isPartlyLogged: from.number() === 1 });
    }
  }
}
