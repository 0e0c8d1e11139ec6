import type { ExposureColumns, InteractionColumns } from '../events/columns.js';
import type { BinaryReader } from '../state/binary/binary-reader.js';
import type { BinaryWriter } from '../state/binary/binary-writer.js';
import { Popularity } from '../state/counts/popularity.js';
import { PopularityShare } from '../state/counts/popularity-share.js';
import type { Dictionaries, Places } from '../state/ids/dictionaries.js';
import { RecentIds } from '../state/ids/recent-ids.js';
import { UserDepths } from '../state/ids/user-depths.js';
import type { ClosedPanes } from '../state/panes/closed-panes.js';
import { LATE, POSITIVE } from '../state/panes/open-pane.js';
import type { PaneContent } from '../state/panes/pane-content.js';
import { PaneTallies, PartitionState } from '../state/panes/partition.js';
import type { PaneLimits } from '../state/panes/sample-level.js';
import { DriftMonitor } from './drift/drift-monitor.js';
import type { Outcomes } from './ingest/outcomes.js';
import { Watermarks } from './ingest/watermarks.js';
import type { MonitorOptions, SampleLimits } from './options.js';
import type { TopicRole } from './ports.js';
import type { Snapshot } from './snapshot.js';
import { type FittedGamma, GammaChoice } from './tick/gamma-choice.js';
import {
  firstPaneKept,
  type Ids,
  namedModels,
  popularityOptions,
  tickPane,
} from './tick/pane-tick.js';
import { dropLevels, paneLimits } from './tick/sample-limits.js';
import { type SettledPane, settledTogether } from './tick/settled-pane.js';

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

export interface CapturedPartition {
  readonly progress: PartitionProgress;
  write(to: BinaryWriter, ids: Dictionaries): Generator<void, void>;
}

export interface ClosedPane extends SettledPane {
  readonly snapshot: Snapshot;
}

/** What closed panes were counted into. */
export interface Counted {
  readonly popularity: Popularity;
  /** By name, with their dense numbers. */
  readonly models: readonly { readonly name: string; readonly id: number }[];
  /** By partition. */
  readonly users: ReadonlyMap<number, Pick<ClosedPanes, 'userCounts' | 'randomizedCounts'>>;
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
  /** Of one partition's pane. */
  readonly #limits: PaneLimits | undefined;
  readonly #partitions = new Map<number, Partition>();
  readonly #tallies = new PaneTallies();
  readonly #popularity: Popularity;
  readonly #gamma: GammaChoice;
  readonly #models = new Set<number>();
  /** The newest pane that closed or is closing in any partition. */
  #closedThrough = Number.NEGATIVE_INFINITY;
  /** That pane was ticked by another process, and not yet by this one. */
  #isTickDue = false;

  /** @param partitions how many the topics have, whoever reads them: limits are shared among them. */
  constructor(options: MonitorOptions, ids: Ids, partitions = 1) {
    this.#options = options;
    this.#ids = ids;
    this.#limits = options.limits && paneLimits(options.limits, options, partitions);
    this.watermarks = new Watermarks(options.latenessMs, options.tickMs);
    this.#popularity = new Popularity(popularityOptions(options));
    this.drift = options.drift === undefined ? undefined : new DriftMonitor(options.drift);
    this.#gamma = new GammaChoice(options.gamma.use, options.gamma.default, options.gamma.fit);
  }

  /** The counts of the closed panes, for whoever looks up single items and users. */
  get counted(): Counted {
    return {
      popularity: this.#popularity,
      models: namedModels(this.#models, this.#ids.models),
      users: new Map([...this.#partitions].map(([p, { state }]) => [p, state.closed])),
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
      // Of one that there was no room for the number is −1.
      if (columns.model[r] >>> 0 < maxModels) state.addExposure(pane, columns, r, flags);
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
    const settled = yield* this.settle(pane);
    if (this.isCatchingUp || pane < this.#closedThrough) return undefined;
    this.#isTickDue = false;
    return { snapshot: yield* this.#tick(pane), ...settled };
  }

  /** Notes what another worker has learned by ticking all panes, to be kept with the checkpoints. */
  noteLearned({ gamma, drift }: Pick<PartitionProgress, 'gamma' | 'drift'>): void {
    this.#gamma.resume(gamma);
    if (drift !== undefined) this.drift?.restore(drift);
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

  /** Brings a pane's events into rows, counts and lists, without a tick. */
  *settle(pane: number): Generator<void, SettledPane> {
    const settled: SettledPane[] = [];
    const due = [...this.#partitions.values()].filter((p) => p.closedThrough < pane);
    this.#closedThrough = Math.max(this.#closedThrough, pane);
    for (const partition of due) partition.closedThrough = pane;
    for (const partition of due) {
      const { counts } = yield* this.#closeIn(partition, pane);
      settled.push(counts);
      for (const model of partition.state.models()) this.#models.add(model);
      yield;
    }
    return settledTogether(settled);
  }

  /**
   * Closes a pane of one partition alone, where other workers hold the others: what it leaves
   * goes to whoever ticks.
   */
  *closePartition(number: number, pane: number): Generator<void, PaneContent> {
    const partition = this.#partition(number);
    partition.closedThrough = pane;
    return yield* this.#closeIn(partition, pane);
  }

  /** Panes of a partition through this one are closed, though it has nothing in them. */
  passPartition(number: number, pane: number): void {
    this.#partition(number).closedThrough = pane;
  }

  /** The oldest pane of a partition that has events and is open; Infinity without any. */
  oldestOpenPane(number: number): number {
    return this.#partition(number).state.oldestOpenPane;
  }

  /** How much all partitions hold of what limits are for. O(users). */
  get held(): SampleLimits {
    const all = [...this.#partitions.values()].map(({ state }) => state.held);
    const sum = (of: keyof SampleLimits) => all.reduce((total, held) => total + held[of], 0);
    return { rows: sum('rows'), listEntries: sum('listEntries'), users: sum('users') };
  }

  /** Models that ever had a list in a partition. */
  modelsOf(number: number): number[] {
    return this.#partition(number).state.models();
  }

  /** Sets the flags of the users that a partition's state refers to; no pane may close meanwhile. */
  *markUsers(number: number, flags: Uint8Array): Generator<void, void> {
    const partition = this.#partitions.get(number);
    if (partition !== undefined) yield* partition.state.markUsers(flags);
  }

  /** Sets the flags of the items that anything refers to; no pane may close meanwhile. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.#popularity.markItems(flags);
    for (const { state } of [...this.#partitions.values()]) yield* state.markItems(flags);
  }

  *#closeIn({ state, share }: Partition, pane: number): Generator<void, PaneContent> {
    const { tickMs } = this.#options;
    const paneEnd = (pane + 1) * tickMs;
    const content = yield* state.close(pane);
    share.addInteractions(content.counts, paneEnd);
    share.addExposures(content.counts, paneEnd);
    share.advance(paneEnd);
    state.closed.dropRowsBefore(firstPaneKept(pane, this.#options));
    dropLevels(state.closed, pane, this.#options);
    return content;
  }

  #tick(pane: number): Generator<void, Snapshot> {
    return tickPane(pane, this.#options, {
      partitions: [...this.#partitions].map(([partition, { state }]) => ({
        closed: state.closed,
        userCounts: state.closed.userCounts.counts,
        users: this.#ids.users?.(partition),
        reach: (from, to, items, level) => state.reach(from, to, items, level),
      })),
      popularity: this.#popularity,
      ids: this.#ids,
      models: this.#models,
      gamma: this.#gamma,
      drift: this.drift,
    });
  }

  /** Panes follow each other while a window holds rows; over an empty stretch they jump. */
  #nextPane(): number {
    const behind = this.#nextPaneOfThoseBehind();
    if (behind !== undefined) return behind;
    let oldest = Number.POSITIVE_INFINITY;
    let rows = false;
    for (const { state } of this.#partitions.values()) {
      oldest = Math.min(oldest, state.oldestOpenPane);
      rows ||= state.closed.rows.length > 0;
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
      const { tickMs: paneMs, attributionTtlMs, popularity, dedupeTtlMs } = this.#options;
      const { horizonMs } = popularity;
      const users = this.#ids.users?.(number);
      const depths = users && new UserDepths(users);
      const sample = { depths, ...(this.#limits && { limits: this.#limits }) };
      partition = {
        state: new PartitionState(
          { paneMs, attributionTtlMs, horizonMs, ...sample },
          this.#tallies,
        ),
        seen: { exposures: new RecentIds(dedupeTtlMs), interactions: new RecentIds(dedupeTtlMs) },
        share: new PopularityShare(this.#popularity),
        closedThrough: this.#closedThrough,
      };
      this.#partitions.set(number, partition);
    }
    return partition;
  }
}
