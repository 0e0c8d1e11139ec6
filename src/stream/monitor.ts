import type { ExposureColumns, InteractionColumns } from '../events/columns.js';
import type { BinaryReader } from '../state/binary-reader.js';
import type { BinaryWriter } from '../state/binary-writer.js';
import type { Dictionaries, Places } from '../state/dictionaries.js';
import type { Interner } from '../state/interner.js';
import { LATE, POSITIVE } from '../state/open-pane.js';
import { PaneTallies, PartitionState } from '../state/partition.js';
import { Popularity } from '../state/popularity.js';
import type { PopularityShare } from '../state/popularity-share.js';
import { RecentIds } from '../state/recent-ids.js';
import { DriftMonitor } from './drift-monitor.js';
import { type FittedGamma, GammaChoice } from './gamma-choice.js';
import type { MonitorOptions } from './options.js';
import type { Outcomes } from './outcomes.js';
import type { TopicRole } from './ports.js';
import type { Snapshot } from './snapshot.js';
import { tick, type UserTable } from './tick.js';
import { Watermarks } from './watermarks.js';

interface Partition {
  readonly state: PartitionState;
  readonly seen: Readonly<Record<TopicRole, RecentIds>>;
  readonly share: PopularityShare;
  /** The newest pane that closed here or is closing; its events and older ones are late. */
  closedThrough: number;
}

/** What a checkpoint says of a partition beside its columns. Panes and times may be −Infinity. */
export interface PartitionProgress {
  readonly closedThrough: number;
  readonly newest: Readonly<Record<TopicRole, number>>;
  /** The last good fit of γ, over all partitions. */
  readonly gamma: FittedGamma | undefined;
  /** What the detectors of change have learned, over all partitions; as a text. */
  readonly drift?: string | undefined;
}

/** Ids of all partitions: items and models are global, users belong to their partition. */
export interface Ids {
  readonly items: Interner;
  readonly models: Interner;
  /** Ids of a partition's users; only the bootstrap needs them. */
  readonly users?: (partition: number) => UserTable;
}

export interface CapturedPartition {
  readonly progress: PartitionProgress;
  write(to: BinaryWriter, ids: Dictionaries): Generator<void, void>;
}

export interface ClosedPane {
  readonly snapshot: Snapshot;
  /** Positive interactions of the pane that no model had a list for. */
  readonly unranked: number;
}

/** What closed panes were counted into. */
export interface Counted {
  readonly popularity: Popularity;
  /** By name, with their dense numbers. */
  readonly models: readonly { readonly name: string; readonly id: number }[];
  /** By partition. */
  readonly users: ReadonlyMap<number, Pick<PartitionState, 'userCounts' | 'randomizedCounts'>>;
}

/**
 * The stream's state machine, without I/O and without a clock: decoded events go in, closed panes
 * come out as snapshots. `serve` and `replay` drive the same object, so what they compute from the
 * same log is the same.
 *
 * A pane closes when the watermark has passed its end. Panes close one after another and each is
 * followed by its tick, in steps that the caller takes; events of later panes may come between.
 *
 * Partitions that come back from checkpoints may stand at different panes. Those that are behind
 * close theirs without ticks, because the ticks of those panes have been made; when all have come
 * to the newest pane of any, its tick is made once more, and it gives what it gave.
 */
export class Monitor {
  readonly watermarks: Watermarks;
  /** Undefined where nothing is watched for changes. */
  readonly drift: DriftMonitor | undefined;
  readonly #options: MonitorOptions;
  readonly #ids: Ids;
  readonly #partitions = new Map<number, Partition>();
  readonly #tallies = new PaneTallies();
  readonly #popularity: Popularity;
  readonly #gamma: GammaChoice;
  readonly #models = new Set<number>();
  /** The newest pane that closed or is closing in any partition. */
  #closedThrough = Number.NEGATIVE_INFINITY;
  /** That pane was ticked by another process, and not yet by this one. */
  #isTickDue = false;

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
    this.drift = options.drift === undefined ? undefined : new DriftMonitor(options.drift);
    this.#gamma = new GammaChoice(options.gamma.use, options.gamma.default, options.gamma.fit);
  }

  /** The counts of the closed panes, for whoever looks up single items and users. */
  get counted(): Counted {
    return {
      popularity: this.#popularity,
      models: namedModels(this.#models, this.#ids.models),
      users: new Map([...this.#partitions].map(([p, { state }]) => [p, state])),
    };
  }

  /** Takes in decoded interactions of a partition, in log order. */
  acceptInteractions(partition: number, columns: InteractionColumns, outcomes: Outcomes): void {
    if (columns.length === 0) return;
    const { state, seen, closedThrough } = this.#partition(partition);
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
      if (ts < newest - latenessMs || pane <= closedThrough) {
        pane = this.#latePane(newest, closedThrough);
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
    const { state, seen, closedThrough } = this.#partition(partition);
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
      if (ts < newest - latenessMs || pane <= closedThrough) {
        pane = this.#latePane(newest, closedThrough);
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
    if (this.#isTickDue && !this.isCatchingUp) return this.#closedThrough;
    const watermark = flush ? this.watermarks.endOfNewestPane() : this.watermarks.value();
    if (watermark === Number.NEGATIVE_INFINITY) return undefined;
    const next = this.#nextPane();
    return (next + 1) * tickMs <= watermark ? next : undefined;
  }

  /**
   * Closes the pane that `closable` named and ticks. To be run to its end before the next pane is
   * asked for.
   *
   * @returns undefined for a pane whose tick was made before the partition came back
   */
  *close(pane: number): Generator<void, ClosedPane | undefined> {
    const unranked = yield* this.settle(pane);
    if (this.isCatchingUp || pane < this.#closedThrough) return undefined;
    this.#isTickDue = false;
    return { snapshot: yield* this.#watched(yield* this.#tick(pane)), unranked };
  }

  /** Whether partitions that came back have yet to close panes that others have closed. */
  get isCatchingUp(): boolean {
    for (const { closedThrough } of this.#partitions.values()) {
      if (closedThrough < this.#closedThrough) return true;
    }
    return false;
  }

  /** How far a partition has come. */
  progress(partition: number): PartitionProgress {
    const newest = (role: TopicRole) => this.watermarks.newest(role, partition);
    return {
      closedThrough: this.#partition(partition).closedThrough,
      newest: { exposures: newest('exposures'), interactions: newest('interactions') },
      gamma: this.#gamma.lastGood,
      drift: this.drift?.stored(),
    };
  }

  /**
   * A partition as it is now, to be written later: events may come in meanwhile, but no pane may
   * close before the writing has ended.
   */
  capture(partition: number): CapturedPartition {
    const { state, seen, share } = this.#partition(partition);
    const parts = [
      state.capture(),
      seen.exposures.capture(false),
      seen.interactions.capture(false),
    ];
    return {
      progress: this.progress(partition),
      *write(to, ids) {
        for (const part of parts) yield* part(to, ids);
        yield* share.write(to, ids);
      },
    };
  }

  /**
   * Takes a partition in: with what `capture` wrote of it, or else from its beginning, so that
   * panes that other partitions have closed are open for it. To be called before its first event.
   */
  *restore(
    number: number,
    progress: PartitionProgress,
    from?: { readonly reader: BinaryReader; readonly places: Places },
  ): Generator<void, void> {
    const partition = this.#partition(number);
    const { state, seen, share } = partition;
    if (from !== undefined) {
      yield* state.restore(from.reader, from.places);
      yield* seen.exposures.restore(from.reader);
      yield* seen.interactions.restore(from.reader);
      yield* share.read(from.reader, from.places);
      for (const model of state.models()) this.#models.add(model);
    }
    for (const role of ['exposures', 'interactions'] as const) {
      if (progress.newest[role] > this.watermarks.newest(role, number)) {
        this.watermarks.advance(role, number, progress.newest[role]);
      }
    }
    partition.closedThrough = progress.closedThrough;
    if (progress.closedThrough <= this.#closedThrough) return;
    this.#closedThrough = progress.closedThrough;
    this.#gamma.resume(progress.gamma);
    if (progress.drift !== undefined) this.drift?.restore(progress.drift);
    this.#isTickDue = true;
  }

  /**
   * Brings a pane's events into rows, counts and lists, without a tick.
   *
   * @returns positive interactions of the pane that no model had a list for
   */
  *settle(pane: number): Generator<void, number> {
    const { tickMs, windows } = this.#options;
    const paneEnd = (pane + 1) * tickMs;
    const longestMs = Math.max(...windows.map(({ ms }) => ms));
    let unranked = 0;
    const due = [...this.#partitions.values()].filter((p) => p.closedThrough < pane);
    this.#closedThrough = Math.max(this.#closedThrough, pane);
    for (const partition of due) partition.closedThrough = pane;
    for (const { state, share } of due) {
      const counts = yield* state.close(pane);
      unranked += counts.unranked;
      share.addInteractions(counts, paneEnd);
      share.addExposures(counts, paneEnd);
      share.advance(paneEnd);
      for (const model of state.models()) this.#models.add(model);
      state.dropRowsBefore(pane + 1 - longestMs / tickMs);
      yield;
    }
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

  /** With what the detectors of change say of it. */
  *#watched(snapshot: Snapshot): Generator<void, Snapshot> {
    if (this.drift === undefined) return snapshot;
    return yield* this.drift.observe(snapshot, {
      popularity: this.#popularity,
      models: namedModels(this.#models, this.#ids.models),
      items: this.#ids.items,
      rows: [...this.#partitions.values()].flatMap(({ state }) => state.rows),
      tickMs: this.#options.tickMs,
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
    const behind = this.#nextPaneOfThoseBehind();
    if (behind !== undefined) return behind;
    let oldest = Number.POSITIVE_INFINITY;
    let rows = false;
    for (const { state } of this.#partitions.values()) {
      oldest = Math.min(oldest, state.oldestOpenPane);
      rows ||= state.rows.length > 0;
    }
    return rows ? this.#closedThrough + 1 : Math.max(oldest, this.#closedThrough + 1);
  }

  /** Without ticks there is nothing to be seen in a pane without events: they jump over those. */
  #nextPaneOfThoseBehind(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const { state, closedThrough } of this.#partitions.values()) {
      if (closedThrough >= this.#closedThrough) continue;
      next = Math.min(next, this.#closedThrough, state.oldestOpenPane);
    }
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** A late event counts from the pane of its partition's newest event on: a function of the log. */
  #latePane(newest: number, closedThrough: number): number {
    return Math.max(Math.floor(newest / this.#options.tickMs), closedThrough + 1);
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
        share: this.#popularity.share(),
        closedThrough: this.#closedThrough,
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
