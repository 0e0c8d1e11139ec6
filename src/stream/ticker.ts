import type { PaneCounts } from '../state/panes/pane-content.js';
import type { IdTables } from './id-tables.js';
import type { Monitor } from './panes/monitor.js';
import type { PaneRecord } from './panes/pane-record.js';
import type { ClosedPane } from './tick/closed-pane.js';

/** Result of a step of the ticker. */
export type Ticked =
  /** A pane was ticked: its windows are computed. */
  | {
      readonly kind: 'ticked';
      readonly pane: number;
      readonly closed: ClosedPane;
    }
  /** Panes were added to the state, or skipped, without computing windows. */
  | { readonly kind: 'passed' }
  /**
   * The topics have more partitions than are followed. Ticks wait until the added partitions are
   * followed too.
   */
  | {
      readonly kind: 'extended';
      readonly partitions: number;
    }
  /** No step is possible before more records are added. */
  | { readonly kind: 'wait' };

/**
 * Ticks closed panes in order. Each pane is ticked when the records of all partitions cover it: its
 * content is added to the state, and the windows are computed. Uses no I/O and no clock, so all
 * ticking processes get the same results.
 *
 * If a record states more partitions than are followed, its pane waits until all of them are.
 * Earlier panes of the added partitions are added to the state without ticks, whichever partition's
 * records come first.
 *
 * After a restart the partitions may be at different panes. The panes of those that are behind are
 * added without ticks, and then the newest pane is ticked again.
 */
export class Ticker {
  readonly #monitor: Monitor;
  readonly #ids: IdTables;
  /** Records not processed yet, by partition. */
  readonly #waiting = new Map<number, PaneRecord[]>();
  /** By partition: the last pane that its processed records cover. */
  readonly #covered = new Map<number, number>();
  /** Counts of the pane that is due, one entry per partition that has a record of it. */
  #counts: PaneCounts[] = [];
  /** Largest number of partitions that a processed or due record states. */
  #partitions = 0;

  constructor(monitor: Monitor, ids: IdTables) {
    this.#monitor = monitor;
    this.#ids = ids;
  }

  /**
   * Add a restored partition to the ticks.
   *
   * @param covered last pane covered by its records; −Infinity for none
   */
  follow(partition: number, covered: number): void {
    this.#waiting.set(partition, []);
    this.#covered.set(partition, covered);
  }

  /** Add a record that counts, the successor of the partition's previous one. */
  add(partition: number, record: PaneRecord): void {
    this.#waiting.get(partition)!.push(record);
  }

  /** Number of a partition's records not processed yet. */
  waiting(partition: number): number {
    return this.#waiting.get(partition)!.length;
  }

  /** Take the next step; complete it before any other call. */
  *next(): Generator<void, Ticked> {
    const { partitions } = this.#monitor;
    if (this.#isExtended) return this.#extended;
    this.#dropPassed();
    if (partitions.isCatchingUp) return yield* this.#catchUp();
    if (partitions.isTickDue) {
      partitions.isTickDue = false;
      return this.#tick(partitions.closedThrough, []);
    }
    const pane = this.#due();
    if (pane === undefined) return WAIT;
    this.#hearPartitions(pane);
    if (this.#isExtended) return this.#extended;
    const isInWindow = [...partitions.entries()].some(([, { state }]) => state.closed.isInWindow);
    let hasEvents = false;
    let behindMs = Number.POSITIVE_INFINITY;
    for (const number of this.#waiting.keys()) {
      const record = yield* this.#takeIn(number, pane);
      hasEvents ||= record !== undefined && !record.isEmpty;
      behindMs = Math.min(behindMs, record?.behindMs ?? behindMs);
    }
    partitions.closedThrough = pane;
    const counts = this.#counts.splice(0);
    if (!isInWindow && !hasEvents) return PASSED;
    return this.#tick(pane, counts, Number.isFinite(behindMs) ? behindMs : 0);
  }

  get #isExtended(): boolean {
    return this.#partitions > this.#waiting.size;
  }

  get #extended(): Ticked {
    return {
      kind: 'extended',
      partitions: this.#partitions,
    };
  }

  #hearPartitions(pane: number): void {
    for (const [record] of this.#waiting.values()) {
      if (record?.pane !== pane) continue;
      this.#partitions = Math.max(this.#partitions, record.partitions);
    }
  }

  /**
   * Drop records of skipped panes. These panes were skipped because their records were missing; the
   * records were written again later.
   */
  #dropPassed(): void {
    for (const [number, waiting] of this.#waiting) {
      const { closedThrough } = this.#monitor.partitions.of(number);
      while (waiting.length > 0 && waiting[0].pane <= closedThrough) {
        this.#covered.set(number, waiting.shift()!.through);
      }
    }
  }

  #tick(pane: number, counts: readonly PaneCounts[], behindMs = 0): Ticked {
    const closed = this.#monitor.tickTaken(pane, counts, behindMs);
    return {
      kind: 'ticked',
      pane,
      closed,
    };
  }

  /**
   * Let the partitions catch up that are behind the newest ticked pane: their panes are added to
   * the state without ticks.
   */
  *#catchUp(): Generator<void, Ticked> {
    const { partitions } = this.#monitor;
    this.#monitor.partitions.learned.rows.clear();
    for (const [number, partition] of partitions.entries()) {
      while (partition.closedThrough < partitions.closedThrough) {
        const [record] = this.#waiting.get(number)!;
        const next = record?.pane ?? Number.NEGATIVE_INFINITY;
        if (
          this.#covered.get(number)! >= partitions.closedThrough ||
          next > partitions.closedThrough
        ) {
          this.#monitor.pass(number, partitions.closedThrough);
        } else if (record === undefined) {
          break;
        } else {
          yield* this.#takeIn(number, next);
        }
      }
    }
    this.#counts = [];
    return partitions.isCatchingUp ? WAIT : PASSED;
  }

  /**
   * Add the content of a partition's pane to the state.
   *
   * @returns its record; undefined if an earlier record covers the pane
   */
  *#takeIn(number: number, pane: number): Generator<void, PaneRecord | undefined> {
    const waiting = this.#waiting.get(number)!;
    const [record] = waiting;
    if (record === undefined || record.pane !== pane) {
      this.#monitor.pass(number, pane);
      return undefined;
    }
    waiting.shift();
    this.#monitor.partitions.of(number).closedThrough = pane;
    const { items, models, users } = this.#ids;
    const content = yield* record.content({
      items,
      models,
      users: users(number),
    });
    yield;
    yield* this.#monitor.takeClosed(number, content);
    this.#covered.set(number, record.through);
    this.#partitions = Math.max(this.#partitions, record.partitions);
    this.#counts.push(content.counts);
    return record;
  }

  /**
   * The next pane, if the records of all partitions cover it; otherwise undefined. While all
   * windows are empty, panes without events are skipped.
   */
  #due(): number | undefined {
    const { partitions } = this.#monitor;
    let first = Number.POSITIVE_INFINITY;
    for (const [record] of this.#waiting.values()) {
      if (record !== undefined) {
        first = Math.min(first, record.pane);
      }
    }
    const { closedThrough } = partitions;
    const isInWindow = [...partitions.entries()].some(([, { state }]) => state.closed.isInWindow);
    const isFirst = closedThrough === Number.NEGATIVE_INFINITY;
    const pane = isFirst || !isInWindow ? Math.max(first, closedThrough + 1) : closedThrough + 1;
    if (!Number.isFinite(pane)) return undefined;
    for (const number of this.#waiting.keys()) {
      if (!this.#covers(number, pane)) return undefined;
    }
    return pane;
  }

  /** Whether records of the partition, processed or not, cover the pane. */
  #covers(number: number, pane: number): boolean {
    if (this.#covered.get(number)! >= pane) return true;
    const [record] = this.#waiting.get(number)!;
    return record !== undefined && record.through >= pane;
  }
}

const WAIT: Ticked = { kind: 'wait' };
const PASSED: Ticked = { kind: 'passed' };
