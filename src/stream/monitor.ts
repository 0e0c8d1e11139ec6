import { ALONE, type Rounds } from '../estimators/partitions/rounds.js';
import type { Popularity } from '../state/counts/popularity.js';
import { NO_PANE_COUNTS, type PaneContent, type PaneCounts } from '../state/panes/pane-content.js';
import type { PartitionState } from '../state/panes/partition.js';
import { type ClosedPane, type SettledPane, settledTogether } from './closed-pane.js';
import { type EvaluatedModels, evaluatedOf } from './evaluated-models.js';
import { EventIntake } from './event-intake.js';
import type { StreamIds, UserTable } from './ids.js';
import type { MonitorOptions } from './options.js';
import { type Partition, Partitions } from './partitions.js';
import { dropPassedPanes } from './sample-limits.js';
import { type PaneFacts, placedIn } from './sums/pane-facts.js';
import type { Cut } from './sums/record.js';
import { type ClosedSide, closedPartition, tick } from './tick.js';
import { tickWindows } from './tick-input.js';
import type { Watermarks } from './watermarks.js';

/** What a tick knows of all partitions, wherever they are. */
interface Together {
  readonly popularity: Popularity;
  readonly countedSince: number;
  readonly rounds: Rounds;
}

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
    const { popularity, countedSince } = this.partitions;
    return yield* this.#tick(pane, settled, evaluated, {
      popularity,
      countedSince,
      rounds: ALONE,
    });
  }

  /**
   * Closes a pane of each partition of this process, where others are elsewhere. Where each closes
   * is settled at the first step.
   *
   * @param cutOf how far a partition is read
   * @returns what each partition leaves to the tick of all, by its number
   */
  *closeEach(
    pane: number,
    cutOf: (partition: number) => Cut,
  ): Generator<void, Map<number, PaneFacts>> {
    const { partitions } = this;
    partitions.closedThrough = Math.max(partitions.closedThrough, pane);
    const due: Partition[] = [];
    for (const [number, partition] of this.#inOrder()) {
      if (partition.closedThrough >= pane) continue;
      partition.closedThrough = pane;
      const isEmpty = partition.state.isEmptyThrough(pane);
      partition.newest = { pane, cut: cutOf(number), counts: NO_PANE_COUNTS, isEmpty };
      due.push(partition);
    }
    for (const partition of due) {
      const { counts } = yield* this.#closeIn(partition, pane);
      partition.newest = { ...partition.newest!, counts };
      yield;
    }
    const facts = new Map<number, PaneFacts>();
    for (const [number, { state, share, newest }] of this.#inOrder()) {
      // Under another generation the same pane is said once more.
      const counts = newest?.pane === pane ? newest.counts : NO_PANE_COUNTS;
      facts.set(number, { counts, models: state.models, countedSince: share.since });
    }
    return facts;
  }

  /**
   * The tick of a pane that has closed everywhere.
   *
   * @param facts of all partitions, in the order of their numbers
   * @param popularity counts of all partitions
   */
  *tickTogether(
    pane: number,
    facts: readonly PaneFacts[],
    popularity: Popularity,
    rounds: Rounds,
  ): Generator<void, ClosedPane> {
    const settled = settledTogether(facts.map(({ counts }) => counts));
    const placed = facts.map((own) => placedIn(pane, own));
    const { models } = this.partitions.ids;
    const evaluated = evaluatedOf(pane, placed, settled, models, this.#options);
    this.partitions.together = { popularity, models: evaluated.models };
    const countedSince = Math.min(...facts.map((own) => own.countedSince));
    return yield* this.#tick(pane, settled, evaluated, { popularity, countedSince, rounds });
  }

  /** Brings a pane's events into rows, counts and lists, without a tick. */
  *settle(pane: number): Generator<void, SettledPane> {
    const { partitions } = this;
    const settled: PaneCounts[] = [];
    const due = [...partitions.entries()]
      .map(([, partition]) => partition)
      .filter(({ closedThrough }) => closedThrough < pane);
    partitions.closedThrough = Math.max(partitions.closedThrough, pane);
    for (const partition of due) partition.closedThrough = pane;
    for (const partition of due) {
      const { counts } = yield* this.#closeIn(partition, pane);
      settled.push(counts);
      yield;
    }
    return settledTogether(settled);
  }

  /** Closes a pane of one partition alone, whose tick others have made. */
  *closePartition(number: number, pane: number): Generator<void, PaneContent> {
    const partition = this.partitions.of(number);
    partition.closedThrough = pane;
    return yield* this.#closeIn(partition, pane);
  }

  #inOrder(): [number, Partition][] {
    return [...this.partitions.entries()].sort(([a], [b]) => a - b);
  }

  *#closeIn({ state, share }: Partition, pane: number): Generator<void, PaneContent> {
    const paneEnd = (pane + 1) * this.#options.tickMs;
    const content = yield* state.close(pane);
    share.addInteractions(content.counts, paneEnd);
    share.addExposures(content.counts, paneEnd);
    share.keepModels(content.models);
    share.advance(paneEnd);
    dropPassedPanes(state.closed, pane, this.#options);
    return content;
  }

  #evaluated(pane: number, settled: SettledPane): EvaluatedModels {
    const { ids, placed } = this.partitions;
    return evaluatedOf(pane, placed, settled, ids.models, this.#options);
  }

  *#tick(
    pane: number,
    settled: SettledPane,
    { models, leftOut, listsLeftOut }: EvaluatedModels,
    { popularity, ...together }: Together,
  ): Generator<void, ClosedPane> {
    const { ids, learned } = this.partitions;
    const snapshot = yield* tick({
      windows: tickWindows(pane, this.#options),
      options: this.#options,
      ids,
      models,
      leftOut,
      listing: settled.listing,
      // Sums come to the same bits in whatever order partitions were taken over.
      partitions: this.#inOrder().map(([number, { state }]) =>
        closedPartition(pane, this.#options, closedSide(state, ids.users?.(number))),
      ),
      counted: { known: popularity, observed: popularity },
      ...together,
      learned,
    });
    learned.ticked = pane;
    return { snapshot, ...settled, listsLeftOut };
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
      if (closedThrough < newest) behind = Math.min(behind, newest, oldest);
      oldestOfAll = Math.min(oldestOfAll, oldest);
      hasRows ||= state.closed.isInWindow;
    }
    if (behind !== Number.POSITIVE_INFINITY) return behind;
    return hasRows ? newest + 1 : Math.max(oldestOfAll, newest + 1);
  }
}

function closedSide(state: PartitionState, users: UserTable | undefined): ClosedSide {
  return {
    closed: state.closed,
    users,
    reach: (from, to, items, level) => state.reach(from, to, items, level),
  };
}
