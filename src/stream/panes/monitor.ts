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

/** Reason why a ticking process lacks the users reached by lists. */
const NO_REACH = 'readers do not pass the reach of lists on to tickers (serve --role)';
/**
 * Delay, in panes, above which a service is processing a backlog and computes windows less often.
 */
const BACKLOG_PANES = 5;
const OTHER_USERS =
  'partitions sample different shares of their users (limits), so the reach of lists is not known for the same users';

/**
 * The stream's state machine, without I/O or clock: decoded events enter by `intake`, closed panes
 * come out as snapshots. `serve` and `replay` use the same class, so they compute the same numbers
 * from the same log.
 *
 * A pane closes when the watermark has passed its end. Panes close one after another, each followed
 * by its tick, in steps that the caller takes; events of later panes may be added in between.
 *
 * Partitions that are behind others close their panes without ticks, since these panes were ticked
 * before. When all partitions have reached the newest pane, its tick is repeated with the same
 * result.
 */
export class Monitor {
  readonly partitions: Partitions;
  readonly intake: EventIntake;
  readonly watermarks: Watermarks;
  readonly #options: MonitorOptions;
  /**
   * Reach of the lists of each partition in the windows that end with its newest pane. It is
   * counted by the process that closed the pane.
   */
  readonly #reach = new Map<number, ShownReach>();

  /** @param count number of partitions of the topics, over all workers. */
  constructor(options: MonitorOptions, ids: StreamIds, count = 1) {
    this.#options = options;
    this.partitions = new Partitions(options, ids, count);
    this.intake = new EventIntake(this.partitions);
    this.watermarks = this.partitions.watermarks;
  }

  /**
   * The pane that can close now; undefined if there is none. With `flush`, panes up to that of the
   * newest event can close before the watermark has passed them.
   */
  closable(flush = false): number | undefined {
    const { isTickDue, isCatchingUp, closedThrough } = this.partitions;
    if (isTickDue && !isCatchingUp) return closedThrough;
    const watermark = flush ? this.watermarks.endOfNewestPane() : this.watermarks.value();
    if (watermark === Number.NEGATIVE_INFINITY) return undefined;
    const next = this.#nextPane();
    return (next + 1) * this.#options.tickMs <= watermark ? next : undefined;
  }

  /**
   * Close the pane from `closable` and tick. Complete it before the next call of `closable`.
   *
   * @returns undefined if the pane was ticked before, or if other partitions have skipped it as
   *   empty
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
   * Close a pane in all partitions in which it is open, without a tick.
   *
   * @returns content of the pane, by partition
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

  /** Close a pane of one partition for the ticking process, and drop its rows here. */
  *closePartition(number: number, pane: number): Generator<void, PaneContent> {
    const partition = this.partitions.of(number);
    partition.closedThrough = pane;
    const content = yield* partition.state.close(pane);
    partition.state.closed.dropRowsBefore(pane + 1);
    dropLevels(partition.state.closed, pane, this.#options);
    return content;
  }

  /** Add a pane of one partition that another process has closed. */
  *takeClosed(number: number, content: PaneContent): Generator<void, void> {
    const partition = this.partitions.of(number);
    yield* partition.state.takeClosed(content);
    this.#count(partition, content);
  }

  /** Skip the empty panes of a partition through this one. */
  pass(number: number, pane: number): void {
    const { state, share } = this.partitions.of(number);
    const paneEnd = (pane + 1) * this.#options.tickMs;
    this.partitions.pass(number, pane);
    state.closed.advance(paneEnd);
    share.advance(paneEnd);
    dropPassedPanes(state.closed, pane, this.#options);
  }

  /** Store the reach of a partition's lists, as counted by another process or thread. */
  noteReach(number: number, reach: ShownReach): void {
    this.#reach.set(number, reach);
  }

  /**
   * Tick a pane after it was added in all partitions.
   *
   * @param counts counts of the pane, one entry per partition with content in it
   * @param behindMs delay between the end of the pane and its first record, ms. It is taken from
   *   the records, so that all ticking processes compute the same windows
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

  /** Add a closed pane to the totals, and drop data that no window needs. */
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
      // In a fixed order, so that sums are equal to the bit whatever the order of takeover.
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

  /** The next pane: consecutive while a window contains rows, otherwise the next one with events. */
  #nextPane(): number {
    const { closedThrough: newest } = this.partitions;
    let oldestOfAll = Number.POSITIVE_INFINITY;
    let behind = Number.POSITIVE_INFINITY;
    let hasRows = false;
    for (const [, { state, closedThrough }] of this.partitions.entries()) {
      const oldest = state.oldestOpenPane;
      // Ticks skip panes without events, so those have no effect.
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
