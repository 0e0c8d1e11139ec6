import type { PaneContent, PaneCounts } from '../../state/panes/pane-content.js';
import type { StreamIds } from '../ids.js';
import type { MonitorOptions } from '../options.js';
import { type ClosedPane, type SettledPane, settledTogether } from '../tick/closed-pane.js';
import { type EvaluatedModels, evaluatedOf } from '../tick/evaluated-models.js';
import { dropLevels, dropPassedPanes } from '../tick/sample-limits.js';
import { closedPartition, tick } from '../tick/tick.js';
import { tickWindows } from '../tick/tick-input.js';
import { EventIntake } from './event-intake.js';
import { type Partition, Partitions } from './partitions.js';
import type { Watermarks } from './watermarks.js';

/** Why a process that ticks over panes of others does not know whom lists reached. */
const NO_REACH = 'those who read events do not pass on whom lists reached (serve --role)';

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
    const settled = yield* this.settle(pane);
    const isPast = this.partitions.isCatchingUp || pane < this.partitions.closedThrough;
    if (isPast || (!isNew && !this.partitions.isTickDue)) {
      this.partitions.learned.rows.clear();
      return undefined;
    }
    this.partitions.isTickDue = false;
    const evaluated = this.#evaluated(pane, settled);
    return yield* this.#tick(pane, settled, evaluated);
  }

  /** Brings a pane's events into rows, counts and lists, without a tick. */
  *settle(pane: number): Generator<void, SettledPane> {
    const { partitions } = this;
    const settled: PaneCounts[] = [];
    const due = [...partitions.entries()]
      .map(([, partition]) => partition)
      .filter(({ closedThrough }) => closedThrough < pane);
    partitions.closedThrough = Math.max(partitions.closedThrough, pane);
    for (const partition of due) {
      partition.closedThrough = pane;
    }
    for (const partition of due) {
      const { counts } = yield* this.#closeIn(partition, pane);
      settled.push(counts);
      yield;
    }
    return settledTogether(settled);
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

  /**
   * The tick of a pane of which all partitions are taken in.
   *
   * @param counts of the partitions that had anything in it
   */
  *tickTaken(pane: number, counts: readonly PaneCounts[]): Generator<void, ClosedPane> {
    const settled = settledTogether(counts);
    return yield* this.#tick(pane, settled, this.#evaluated(pane, settled), NO_REACH);
  }

  #inOrder(): [number, Partition][] {
    return [...this.partitions.entries()].sort(([a], [b]) => a - b);
  }

  *#closeIn(partition: Partition, pane: number): Generator<void, PaneContent> {
    const content = yield* partition.state.close(pane);
    this.#count(partition, content);
    return content;
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

  *#tick(
    pane: number,
    settled: SettledPane,
    { models, leftOut, listsLeftOut }: EvaluatedModels,
    noReach?: string,
  ): Generator<void, ClosedPane> {
    const { ids, learned, popularity, countedSince } = this.partitions;
    const snapshot = yield* tick({
      windows: tickWindows(pane, this.#options),
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
          reach: noReach ?? ((from, to, items, level) => state.reach(from, to, items, level)),
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
