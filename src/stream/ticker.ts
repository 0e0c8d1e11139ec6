import type { PaneCounts } from '../state/panes/pane-content.js';
import type { IdTables } from './id-tables.js';
import type { Monitor } from './panes/monitor.js';
import type { PaneRecord } from './panes/pane-record.js';
import type { ClosedPane } from './tick/closed-pane.js';

/** Result of a step of the ticker. */
export type Ticked =
  /** A pane was ticked. */
  | {
      readonly kind: 'ticked';
      readonly pane: number;
      readonly closed: ClosedPane;
    }
  /** Panes were taken in or passed of which no tick is made. */
  | { readonly kind: 'passed' }
  /** The topics have more partitions than are followed: nothing goes on until these are, too. */
  | {
      readonly kind: 'extended';
      readonly partitions: number;
    }
  /** Records are missing. */
  | { readonly kind: 'wait' };

/**
 * Tick closed panes in the order of their numbers, each when the records of all partitions cover
 * it. Without I/O and without a clock, so all tickers agree.
 *
 * A pane that a record says more partitions of than are followed waits for those. What they have of
 * panes before it is taken in without ticks, in whatever order the records came.
 *
 * After a restart partitions may stand at different panes; those that are behind take theirs in
 * without ticks, because these have been made, and the newest is ticked once more.
 */
export class Ticker {
  readonly #monitor: Monitor;
  readonly #ids: IdTables;
  /** Records that are yet to be taken in, by partition. */
  readonly #waiting = new Map<number, PaneRecord[]>();
  /** Through which pane each partition is covered by the records that were taken in. */
  readonly #covered = new Map<number, number>();
  /** What partitions came to in the pane that is due. */
  #counts: PaneCounts[] = [];
  /** How many partitions there are, as the records say that were taken in or are due. */
  #partitions = 0;

  constructor(monitor: Monitor, ids: IdTables) {
    this.#monitor = monitor;
    this.#ids = ids;
  }

  /**
   * From now on panes are ticked together with this partition, which stands where it was restored.
   *
   * @param covered through which pane its records were taken in; −Infinity for none
   */
  follow(partition: number, covered: number): void {
    this.#waiting.set(partition, []);
    this.#covered.set(partition, covered);
  }

  /** Takes a record that counts; each follows the one before of its partition. */
  add(partition: number, record: PaneRecord): void {
    this.#waiting.get(partition)!.push(record);
  }

  /** How many records of a partition wait. */
  waiting(partition: number): number {
    return this.#waiting.get(partition)!.length;
  }

  /** Takes the next step; to be run to its end before anything else is asked for. */
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

  /** Drops records of panes that were passed when they were lost, and were written again. */
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

  /** Takes in what partitions have to the newest pane of all. */
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

  /** Takes a partition's pane in; @returns its record, unless a record before has covered the pane */
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

  /** The next pane that all partitions cover; undefined if there is none yet. */
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

  #covers(number: number, pane: number): boolean {
    if (this.#covered.get(number)! >= pane) return true;
    const [record] = this.#waiting.get(number)!;
    return record !== undefined && record.through >= pane;
  }
}

const WAIT: Ticked = { kind: 'wait' };
const PASSED: Ticked = { kind: 'passed' };
