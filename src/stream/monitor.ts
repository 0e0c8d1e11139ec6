import type { ExposureColumns, InteractionColumns } from '../events/columns.js';
import type { Interner } from '../state/interner.js';
import { LATE, POSITIVE } from '../state/open-pane.js';
import { PaneTallies, PartitionState } from '../state/partition.js';
import { Popularity } from '../state/popularity.js';
import { RecentIds } from '../state/recent-ids.js';
import { GammaChoice } from './gamma-choice.js';
import type { MonitorOptions } from './options.js';
import type { Outcomes } from './outcomes.js';
import type { TopicRole } from './ports.js';
import type { Snapshot } from './snapshot.js';
import { tick, type UserTable } from './tick.js';
import { Watermarks } from './watermarks.js';

interface Partition {
  readonly state: PartitionState;
  readonly seen: Readonly<Record<TopicRole, RecentIds>>;
}

/** Ids of all partitions: items and models are global, users belong to their partition. */
export interface Ids {
  readonly items: Interner;
  readonly models: Interner;
  /** Ids of a partition's users; only the bootstrap needs them. */
  readonly users?: (partition: number) => UserTable;
}

export interface ClosedPane {
  readonly snapshot: Snapshot;
  /** Positive interactions of the pane that no model had a list for. */
  readonly unranked: number;
}

/**
 * The stream's state machine, without I/O and without a clock: decoded events go in, closed panes
 * come out as snapshots. `serve` and `replay` drive the same object, so what they compute from the
 * same log is the same.
 *
 * A pane closes when the watermark has passed its end. Panes close one after another and each is
 * followed by its tick, in steps that the caller takes; events of later panes may come between.
 */
export class Monitor {
  readonly watermarks: Watermarks;
  readonly #options: MonitorOptions;
  readonly #ids: Ids;
  readonly #partitions = new Map<number, Partition>();
  readonly #tallies = new PaneTallies();
  readonly #popularity: Popularity;
  readonly #gamma: GammaChoice;
  readonly #models = new Set<number>();
  /** The newest pane that closed or is closing; its events and older ones are late. */
  #closedThrough = Number.NEGATIVE_INFINITY;

  constructor(options: MonitorOptions, ids: Ids) {
    this.#options = options;
    this.#ids = ids;
    this.watermarks = new Watermarks(options.latenessMs, options.tickMs);
    this.#popularity = new Popularity({
      paneMs: options.tickMs,
      horizonMs: options.popularity.horizonMs,
      gammaPeriodMs: options.gamma.periodMs,
      windowsMs: options.windows.map(({ ms }) => ms),
      of: options.popularity.of,
    });
    this.#gamma = new GammaChoice(options.gamma.use, options.gamma.default, options.gamma.fit);
  }

  /** Takes in decoded interactions of a partition, in log order. */
  acceptInteractions(partition: number, columns: InteractionColumns, outcomes: Outcomes): void {
    if (columns.length === 0) return;
    const { state, seen } = this.#partition(partition);
    const ids = seen.interactions;
    const minValue = this.#options.positiveMinValue;
    const { tickMs, latenessMs } = this.#options;
    let newest = this.watermarks.newest('interactions', partition);
    ids.warm(columns.idHigh, columns.idLow, columns.length);
    for (let r = 0; r < columns.length; r++) {
      const ts = columns.ts[r];
      if (ids.add(columns.idHigh[r], columns.idLow[r], ts) >= 0) {
        outcomes.duplicate++;
        continue;
      }
      let flags = columns.flags[r];
      if (columns.value[r] >= minValue) flags |= POSITIVE;
      let pane = Math.floor(ts / tickMs);
      if (ts < newest - latenessMs || pane <= this.#closedThrough) {
        pane = this.#latePane(newest);
        flags |= LATE;
        outcomes.late++;
      } else {
        outcomes.accepted++;
      }
      if (ts > newest) newest = ts;
      state.addInteraction(pane, columns, r, flags);
    }
    this.#advance('interactions', partition, newest, ids);
  }

  /** Takes in decoded exposures of a partition, in log order. */
  acceptExposures(partition: number, columns: ExposureColumns, outcomes: Outcomes): void {
    if (columns.length === 0) return;
    const { state, seen } = this.#partition(partition);
    const ids = seen.exposures;
    const { tickMs, latenessMs, maxModels } = this.#options;
    let newest = this.watermarks.newest('exposures', partition);
    ids.warm(columns.idHigh, columns.idLow, columns.length);
    for (let r = 0; r < columns.length; r++) {
      const ts = columns.ts[r];
      if (ids.add(columns.idHigh[r], columns.idLow[r], ts) >= 0) {
        outcomes.duplicate++;
        continue;
      }
      let flags = columns.flags[r];
      let pane = Math.floor(ts / tickMs);
      if (ts < newest - latenessMs || pane <= this.#closedThrough) {
        pane = this.#latePane(newest);
        flags |= LATE;
        outcomes.late++;
      } else {
        outcomes.accepted++;
      }
      if (ts > newest) newest = ts;
      if (columns.model[r] < maxModels) state.addExposure(pane, columns, r, flags);
      else outcomes.modelOverCap++;
    }
    this.#advance('exposures', partition, newest, ids);
  }

  /** The pane that can close now, if any. `flush` closes up to the newest event's. */
  closable(flush = false): number | undefined {
    const { tickMs } = this.#options;
    const watermark = flush ? this.watermarks.endOfNewestPane() : this.watermarks.value();
    if (watermark === Number.NEGATIVE_INFINITY) return undefined;
    const next = this.#nextPane();
    return (next + 1) * tickMs <= watermark ? next : undefined;
  }

  /**
   * Closes the pane that `closable` named and ticks. To be run to its end before the next pane is
   * asked for.
   */
  *close(pane: number): Generator<void, ClosedPane> {
    const unranked = yield* this.settle(pane);
    return { snapshot: yield* this.#tick(pane), unranked };
  }

  /**
   * Brings a pane's events into rows, counts and lists, without a tick.
   *
   * @returns positive interactions of the pane that no model had a list for
   */
  *settle(pane: number): Generator<void, number> {
    const { tickMs, windows } = this.#options;
    const paneEnd = (pane + 1) * tickMs;
    this.#closedThrough = pane;
    const longestMs = Math.max(...windows.map(({ ms }) => ms));
    let unranked = 0;
    for (const { state } of this.#partitions.values()) {
      const counts = yield* state.close(pane);
      unranked += counts.unranked;
      this.#popularity.addInteractions(counts, paneEnd);
      this.#popularity.addExposures(counts, paneEnd);
      for (const model of state.models()) this.#models.add(model);
      state.dropRowsBefore(pane + 1 - longestMs / tickMs);
      yield;
    }
    this.#popularity.advance(paneEnd);
    return unranked;
  }

  *#tick(pane: number): Generator<void, Snapshot> {
    const { tickMs, windows } = this.#options;
    const paneEnd = (pane + 1) * tickMs;
    return yield* tick({
      paneEnd,
      windows: windows.map(({ name, ms }) => ({
        name,
        ms,
        from: paneEnd - ms,
        to: paneEnd,
        firstPane: pane + 1 - ms / tickMs,
        lastPane: pane,
      })),
      partitions: [...this.#partitions].map(([partition, { state }]) => ({
        state,
        userCounts: state.userCounts.counts,
        users: this.#ids.users?.(partition),
      })),
      known: this.#popularity,
      observed: this.#popularity,
      lagged: this.#lagged(),
      items: this.#ids.items,
      models: namedModels(this.#models, this.#ids.models),
      catalogueSize: this.#options.catalogueSize ?? this.#popularity.catalogueSize,
      baseline: this.#options.baseline,
      attributionTtlMs: this.#options.attributionTtlMs,
      gamma: this.#gamma,
      gammaPeriodMs: this.#options.gamma.periodMs,
      estimates: this.#options.estimates,
    });
  }

  /** Popularity from before the period whose exposures γ is fitted to. */
  #lagged(): Float64Array {
    const whole = this.#popularity.popularity().counts;
    const period = this.#popularity.popularity(this.#options.gamma.periodMs).counts;
    const lagged = new Float64Array(this.#ids.items.size);
    for (let i = 0; i < Math.min(lagged.length, whole.length); i++) {
      lagged[i] = whole[i] - (i < period.length ? period[i] : 0);
    }
    return lagged;
  }

  /** Panes follow each other while a window holds rows; over an empty stretch they jump. */
  #nextPane(): number {
    let oldest = Number.POSITIVE_INFINITY;
    let rows = false;
    for (const { state } of this.#partitions.values()) {
      oldest = Math.min(oldest, state.oldestOpenPane);
      rows ||= state.rows.length > 0;
    }
    return rows ? this.#closedThrough + 1 : Math.max(oldest, this.#closedThrough + 1);
  }

  /** A late event counts from the pane of its partition's newest event on: a function of the log. */
  #latePane(newest: number): number {
    return Math.max(Math.floor(newest / this.#options.tickMs), this.#closedThrough + 1);
  }

  #advance(role: TopicRole, partition: number, newest: number, ids: RecentIds): void {
    this.watermarks.advance(role, partition, newest);
    ids.expire(newest - this.#options.latenessMs - this.#options.dedupeTtlMs);
  }

  #partition(number: number): Partition {
    let partition = this.#partitions.get(number);
    if (partition === undefined) {
      const { tickMs, attributionTtlMs, popularity, dedupeTtlMs } = this.#options;
      partition = {
        state: new PartitionState(
          { paneMs: tickMs, attributionTtlMs, horizonMs: popularity.horizonMs },
          this.#tallies,
        ),
        seen: { exposures: new RecentIds(dedupeTtlMs), interactions: new RecentIds(dedupeTtlMs) },
      };
      this.#partitions.set(number, partition);
    }
    return partition;
  }
}

/** Models by name in code-point order, so that nothing depends on who was seen first. */
export function namedModels(
  ids: Iterable<number>,
  names: Interner,
): { name: string; id: number }[] {
  return [...ids].sort((a, b) => names.compare(a, b)).map((id) => ({ name: names.text(id), id }));
}
