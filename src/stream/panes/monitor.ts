import type { PaneContent, PaneCounts } from '../../state/panes/pane-content.js';
import type { StreamIds } from '../ids.js';
import type { MonitorOptions } from '../options.js';
import { runAtOnce } from '../sliced.js';
import { type ClosedPane, type SettledPane, settledTogether } from '../tick/closed-pane.js';
import { type EvaluatedModels, evaluatedOf } from '../tick/evaluated-models.js';
import { dropLevels, dropPassedPanes } from '../tick/sample-limits.js';
import { type ClosedSide, closedPartition, tick } from '../tick/tick.js';
import { tickWindows } from '../tick/tick-input.js';
import { EventIntake } from './event-intake.js';
import { type Partition, Partitions } from './partitions.js';
import { reachIn, type ShownReach } from './shown-reach.js';
import type { Watermarks } from './watermarks.js';

/** Reason why a ticker does not know whom lists reached. */
const NO_REACH = 'those who read events do not pass on whom lists reached (serve --role)';
/** A service that is further behind works off a backlog. */
const BACKLOG_PANES = 5;
const OTHER_USERS =
  'partitions keep different shares of their users (limits), so whom lists reached is not known of the same ones';

/**
 * The stream's state machine, without I/O and without a clock: decoded events go in by `intake`,
 * closed panes come out as snapshots. `serve` and `replay` drive the same object, so what they
 * compute from the same log is the same.
 *
 * A pane closes when the watermark has passed its end. Panes close one after another and each is
 * followed by its tick, in steps that the caller takes; events of later panes may come between.
 *
 * Partitions that are behind others close their panes without ticks, because the ticks of those
 * panes have been made; when all have come to the newest pane of any, its tick is made once more,
 * and it gives what it gave.
 */
export class Monitor {
  readonly partitions: Partitions;
  readonly intake: EventIntake;
  readonly watermarks: Watermarks;
  readonly #options: MonitorOptions;
  /** By partition, of the newest pane that was closed elsewhere; where that is passed on. */
  readonly #reach = new Map<number, ShownReach>();

  /** @param count how many partitions the topics have, in all workers. */
  constructor(options: MonitorOptions, ids: StreamIds, count = 1) {
    this.#options = options;
    this.partitions = new Partitions(options, ids, count);
    this.intake = new EventIntake(this.partitions);
    this.watermarks = this.partitions.watermarks;
  }

  /** The pane that can close now, if any. `flush` closes up to the newest event's. */
  closable(flush = false): number | undefined {
    const { isTickDue, isCatchingUp, closedThrough } = this.partitions;
    if (isTickDue && !isCatchingUp) return closedThrough;
    const watermark = flush ? this.watermarks.endOfNewestPane() : this.watermarks.value();
    if (watermark === Number.NEGATIVE_INFINITY) return undefined;
    const next = this.#nextPane();
    return (next + 1) * this.#options.tickMs <= watermark ? next : undefined;
  }

  /**
   * Closes the pane that `closable` named and ticks. To be run to its end before the next pane is
   * asked for.
   *
   * @returns undefined for a pane whose tick was made before the partition came back, or which
   *   others have passed by with nothing in it
   */
  *close(pane: number): Generator<void, ClosedPane | undefined> {
    const isNew = pane > this.partitions.closedThrough;
    const contents = yield* this.closePane(pane);
    const isPast = this.partitions.isCatchingUp || pane < this.partitions.closedThrough;
    if (isPast || (!isNew && !this.partitions.isTickDue)) {
      this.partitions.learned.rows.clear();
      return undefined;
    }
    this.partitions.isTickDue = false;
    const settled = settledTogether([...contents.values()].map(({ counts }) => counts));
    return this.#tick(pane, settled, (number) => {
      const { state } = this.partitions.of(number);
      return (level) => (from, to, items) => runAtOnce(state.reach(from, to, items, level));
    });
  }

  /**
   * Closes a pane in all partitions that have yet to close it, without a tick.
   *
   * @returns what it leaves, by partition
   */
  *closePane(pane: number): Generator<void, Map<number, PaneContent>> {
    const { partitions } = this;
    const due = [...partitions.entries()].filter(([, { closedThrough }]) => closedThrough < pane);
    partitions.closedThrough = Math.max(partitions.closedThrough, pane);
    for (const [, partition] of due) {
      partition.closedThrough = pane;
    }
    const contents = new Map<number, PaneContent>();
    for (const [number, partition] of due) {
      const content = yield* partition.state.close(pane);
      this.#count(partition, content);
      contents.set(number, content);
      yield;
    }
    return contents;
  }

  /** Closes a pane of one partition for the process that ticks: of its rows nothing stays here. */
  *closePartition(number: number, pane: number): Generator<void, PaneContent> {
    const partition = this.partitions.of(number);
    partition.closedThrough = pane;
    const content = yield* partition.state.close(pane);
    partition.state.closed.dropRowsBefore(pane + 1);
    dropLevels(partition.state.closed, pane, this.#options);
    return content;
  }

  /** Takes in a pane of one partition that another process has closed. */
  *takeClosed(number: number, content: PaneContent): Generator<void, void> {
    const partition = this.partitions.of(number);
    yield* partition.state.takeClosed(content);
    this.#count(partition, content);
  }

  /** Nothing is in the panes of a partition through this one that was not taken in. */
  pass(number: number, pane: number): void {
    const { state, share } = this.partitions.of(number);
    const paneEnd = (pane + 1) * this.#options.tickMs;
    this.partitions.pass(number, pane);
    state.closed.advance(paneEnd);
    share.advance(paneEnd);
    dropPassedPanes(state.closed, pane, this.#options);
  }

  /** Takes whom the lists of a partition reached, which another process or thread knows. */
  noteReach(number: number, reach: ShownReach): void {
    this.#reach.set(number, reach);
  }

  /**
   * The tick of a pane of which all partitions are taken in.
   *
   * @param counts of the partitions that had anything in it
   * @param behindMs how long after its end its first record was made, as the records say: so any
   *   number of processes that tick compute the same windows
   */
  tickTaken(pane: number, counts: readonly PaneCounts[], behindMs = 0): ClosedPane {
    const { tickMs, backlogPanes } = this.#options;
    const everyPanes = behindMs > BACKLOG_PANES * tickMs ? backlogPanes : undefined;
    const reachOf = (number: number): ClosedSide['reach'] => {
      const reach = this.#reach.get(number);
      if (reach === undefined || reach.pane !== pane) return () => NO_REACH;
      const { items } = this.partitions.ids;
      return (level) =>
        level === reach.level
          ? (from, to, size) => reachIn(reach, { from, to }, items, size)
          : OTHER_USERS;
    };
    return this.#tick(pane, settledTogether(counts), reachOf, everyPanes);
  }

  #inOrder(): [number, Partition][] {
    return [...this.partitions.entries()].sort(([a], [b]) => a - b);
  }

  /** Add a closed pane to the counts of all, and drop what no window needs any more. */
  #count({ state, share }: Partition, { pane, counts, models }: PaneContent): void {
    const paneEnd = (pane + 1) * this.#options.tickMs;
    share.addInteractions(counts, paneEnd);
    share.addExposures(counts, paneEnd);
    share.keepModels(models);
    share.advance(paneEnd);
    dropPassedPanes(state.closed, pane, this.#options);
  }

  #evaluated(pane: number, settled: SettledPane): EvaluatedModels {
    const { ids, placed } = this.partitions;
    return evaluatedOf(pane, placed, settled, ids.models, this.#options);
  }

  #tick(
    pane: number,
    settled: SettledPane,
    reachOf: (number: number) => ClosedSide['reach'],
    everyPanes?: number,
  ): ClosedPane {
    const { models, leftOut, listsLeftOut } = this.#evaluated(pane, settled);
    const { ids, learned, popularity, countedSince } = this.partitions;
    const snapshot = tick({
      windows: tickWindows(pane, this.#options, everyPanes),
      options: this.#options,
      ids,
      models,
      leftOut,
      listing: settled.listing,
      // Sums come to the same bits in whatever order partitions were taken over.
      partitions: this.#inOrder().map(([number, { state }]) =>
        closedPartition(pane, this.#options, {
          closed: state.closed,
          users: ids.users?.(number),
          reach: reachOf(number),
        }),
      ),
      counted: {
        known: popularity,
        observed: popularity,
      },
      countedSince,
      learned,
    });
    learned.ticked = pane;
    return {
      snapshot,
      ...settled,
      listsLeftOut,
    };
  }

  /** Panes follow each other while a window holds rows; over an empty stretch they jump. */
  #nextPane(): number {
    const { closedThrough: newest } = this.partitions;
    let oldestOfAll = Number.POSITIVE_INFINITY;
    let behind = Number.POSITIVE_INFINITY;
    let hasRows = false;
    for (const [, { state, closedThrough }] of this.partitions.entries()) {
      const oldest = state.oldestOpenPane;
      // Without ticks there is nothing to be seen in a pane without events: they jump over those.
      if (closedThrough < newest) {
        behind = Math.min(behind, newest, oldest);
      }
      oldestOfAll = Math.min(oldestOfAll, oldest);
      hasRows ||= state.closed.isInWindow;
    }
    if (behind !== Number.POSITIVE_INFINITY) return behind;
    return hasRows ? newest + 1 : Math.max(oldestOfAll, newest + 1);
  }
}
