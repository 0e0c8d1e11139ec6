import type { BinaryReader } from './binary-reader.js';
import type { BinaryWriter } from './binary-writer.js';
import type { Dictionaries, Places } from './dictionaries.js';
import type { PaneContent } from './pane-content.js';
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
  /** By pane: users whom randomised traffic reached. */
  readonly #reached: { readonly pane: number; readonly users: Int32Array }[] = [];

  constructor(horizonMs: number, paneMs: number) {
    this.userCounts = new RollingCounts(horizonMs, paneMs);
    this.randomizedCounts = new RollingCounts(horizonMs, paneMs);
  }

  /** Rows of the closed panes, oldest first. */
  get rows(): readonly PaneRows[] {
    return this.#rows;
  }

  /** Takes in a pane that is newer than all before it. */
  add({ pane, rows, users, randomizedUsers, reached }: PaneContent, paneEnd: number): void {
    if (rows !== undefined) this.#rows.push(rows);
    this.userCounts.add(users, paneEnd);
    this.randomizedCounts.add(randomizedUsers, paneEnd);
    if (reached.length > 0) this.#reached.push({ pane, users: reached });
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

  /** Number of users whom randomised traffic reached in the panes from `first` to `last`. */
  usersReached(first: number, last: number): number {
    const users = new Set<number>();
    for (const { pane, users: own } of this.#reached) {
      if (pane >= first && pane <= last) for (const user of own) users.add(user);
    }
    return users.size;
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
    for (const { pane, users } of this.#reached) {
      to.number(pane);
      to.column(users);
    }
  }

  *readCounts(from: BinaryReader): Generator<void, void> {
    const table = yield* SparseCountsTable.read(from, undefined);
    this.userCounts.readBuckets(from, table);
    this.randomizedCounts.readBuckets(from, table);
    for (let left = from.count(); left > 0; left--) {
      this.#reached.push({ pane: from.number(), users: from.int32().slice() });
    }
  }
}
