import { ITEM_REPORTS, LOOKUPS, type Lookups } from '../features/lookups.js';
import type { CapturedState, CaptureOrder } from './checkpoint/captured-state.js';
import type { SettingChange } from './checkpoint/changed-settings.js';
import { openCheckpoint, placeOf } from './checkpoint/checkpoint.js';
import { PartitionCheckpoints } from './checkpoint/partition-checkpoints.js';
import { type IdKind, IdTables, idLimits, type Swept } from './id-tables.js';
import type { MonitorOptions, SampleLimits } from './options.js';
import { NO_PANES, type PanesPlace } from './panes/fold.js';
import { Monitor } from './panes/monitor.js';
import { type PaneRecord, readPaneRecord } from './panes/pane-record.js';
import type { ShownReach } from './panes/shown-reach.js';
import type { PanesPosition, TopicRole } from './ports.js';
import { ReadRecords } from './read/read-records.js';
import { runAtOnce } from './sliced.js';
import { type ItemReport, Lookup, type UserReport } from './tick/lookup.js';
import { type Ticked, Ticker } from './ticker.js';

/** Options of running ticks. */
export interface TickHostOptions {
  readonly monitor: MonitorOptions;
  readonly topics: Readonly<Record<TopicRole, string>>;
  /** Reads a monotonic clock, ms. */
  readonly now: () => number;
}

/** Result of one step of the ticks. */
export interface Stepped {
  readonly done: Ticked;
  /** Duration of the step, s. */
  readonly seconds: number;
  /** Number of records not processed yet, by partition. */
  readonly waiting: ReadonlyMap<number, number>;
  /** Number of known ids by kind. */
  readonly knownIds: Readonly<Record<IdKind, number>>;
  /** Current numbers of rows, list entries and users that memory limits apply to. */
  readonly held: Omit<SampleLimits, 'requests'>;
  readonly swept: readonly Swept[];
}

/** A record of a partition that waits to be ticked. */
interface Noted extends PaneRecord {
  /**
   * Position in the panes topic after the record; undefined if this process closed the pane itself.
   */
  readonly position: PanesPosition | undefined;
}

const NO_ACCOUNTS = {
  exposures: {},
  interactions: {},
};

/**
 * Runs ticks over the panes of all partitions, and stores the rows, counts and learned state of the
 * partitions. Its input and output are plain data, so it can run in its own thread.
 */
export class TickHost {
  readonly #options: TickHostOptions;
  #ids!: IdTables;
  #monitor!: Monitor;
  #records!: ReadRecords;
  #checkpoints!: PartitionCheckpoints;
  #ticker!: Ticker;
  #lookup!: Lookup;
  /** Records not processed yet, by partition. */
  readonly #noted = new Map<number, Noted[]>();
  /** Position in the panes topic after the processed records, by partition. */
  readonly #places = new Map<number, PanesPlace>();

  constructor(options: TickHostOptions) {
    this.#options = options;
    this.begin();
  }

  /** Drop all partitions and their state. */
  begin(): void {
    const { monitor, topics } = this.#options;
    this.#noted.clear();
    this.#places.clear();
    this.#ids = new IdTables(idLimits(monitor));
    this.#monitor = new Monitor(monitor, this.#ids);
    this.#records = new ReadRecords();
    this.#ticker = new Ticker(this.#monitor, this.#ids);
    const { partitions } = this.#monitor;
    this.#checkpoints = new PartitionCheckpoints(partitions, this.#ids, this.#records, topics, 1);
    this.#checkpoints.holds = 'rows';
    this.#checkpoints.panes = (partition) => this.#places.get(partition);
    const { items, byPartition } = this.#ids;
    this.#lookup = new Lookup(partitions, items, byPartition, monitor, partitions.learned.rows);
  }

  /**
   * Add a partition to the ticks.
   *
   * @param kept checkpoint of the partition; undefined means that it starts from its beginning
   * @returns settings that have changed since the checkpoint
   */
  restore(partition: number, kept: Uint8Array | undefined): readonly SettingChange[] {
    const opened = kept && runAtOnce(openCheckpoint(kept));
    const changes = runAtOnce(this.#checkpoints.restore(partition, opened));
    this.#monitor.partitions.keepClosed(partition);
    const place = placeOf(opened?.head) ?? { known: NO_PANES };
    this.#places.set(partition, place);
    this.#noted.set(partition, []);
    this.#ticker.follow(partition, place.known.through);
    return changes;
  }

  /**
   * Treat the panes through this one as ticked already, for example because a seed covers their
   * counts.
   */
  passThrough(pane: number): void {
    const { partitions } = this.#monitor;
    partitions.closedThrough = Math.max(partitions.closedThrough, pane);
  }

  /** Add the record of a partition's next pane. */
  add(partition: number, bytes: Uint8Array, position?: PanesPosition): void {
    const record: Noted = {
      ...readPaneRecord(bytes),
      position,
    };
    for (const role of ['exposures', 'interactions'] as const) {
      if (Number.isFinite(record.newest[role])) {
        this.#monitor.watermarks.advance(role, partition, record.newest[role]);
      }
    }
    this.#noted.get(partition)!.push(record);
    this.#ticker.add(partition, record);
  }

  /**
   * Note how many users the lists of a partition reached in the windows that end with its newest
   * closed pane.
   */
  addReach(partition: number, reach: ShownReach): void {
    this.#monitor.noteReach(partition, reach);
  }

  /** Take the next step that the added records allow. */
  step(): Stepped {
    const start = this.#options.now();
    const done = runAtOnce(this.#ticker.next());
    const seconds = (this.#options.now() - start) / 1000;
    const waiting = this.#settlePlaces();
    const swept = done.kind === 'wait' ? [] : this.#sweep();
    const { partitions } = this.#monitor;
    return {
      done,
      seconds,
      waiting,
      knownIds: this.#ids.known,
      held: partitions.held,
      swept,
    };
  }

  /**
   * Capture the state of a partition for a checkpoint. The result has no content if the state
   * equals the last one saved. Undefined if the partitions are at different panes.
   */
  capture(
    partition: number,
    { epoch, savedAt, mark: kept }: CaptureOrder,
  ): CapturedState | undefined {
    if (this.#monitor.partitions.isCatchingUp) return undefined;
    const mark = this.#checkpoints.mark(partition);
    const next = this.#records.nextOffsets(partition);
    if (mark === kept) {
      return {
        mark,
        next,
        chunks: undefined,
      };
    }
    const chunks = runAtOnce(this.#checkpoints.capture(partition, epoch, undefined, savedAt));
    return {
      mark,
      next,
      chunks: chunks.map((chunk) => chunk.slice()),
    };
  }

  /** Report on an item, see `Lookup`; undefined if the item is in no closed pane. */
  item(name: string, window: string, gamma: number): (ItemReport & object) | undefined {
    const found = this.#lookup.item(name, gamma);
    if (found === undefined) return undefined;
    const reports = ITEM_REPORTS.map((report) => report(this.#lookup, window, name));
    return Object.assign({ ...found }, ...reports);
  }

  user(id: string): UserReport | undefined {
    return this.#lookup.user(id);
  }

  /** Answer a lookup that a feature defines. */
  look<Name extends keyof Lookups>(
    name: Name,
    question: Parameters<Lookups[Name]>[1],
  ): ReturnType<Lookups[Name]> {
    const answer = LOOKUPS[name] as (lookup: Lookup, question: unknown) => unknown;
    return answer(this.#lookup, question) as ReturnType<Lookups[Name]>;
  }

  /**
   * Move the position of each partition past its processed records.
   *
   * @returns number of records not processed yet, by partition
   */
  #settlePlaces(): ReadonlyMap<number, number> {
    const waiting = new Map<number, number>();
    for (const [partition, noted] of this.#noted) {
      const left = this.#ticker.waiting(partition);
      waiting.set(partition, left);
      const last = noted.splice(0, noted.length - left).at(-1);
      if (last === undefined) continue;
      const { through, to, position } = last;
      this.#places.set(partition, {
        known: { through, to },
        position,
      });
      const { exposures, interactions } = to;
      this.#records.resume(partition, { exposures, interactions }, NO_ACCOUNTS);
    }
    return waiting;
  }

  #sweep(): Swept[] {
    const { partitions } = this.#monitor;
    const at = (partitions.closedThrough + 1) * this.#options.monitor.tickMs;
    const done: Swept[] = [];
    for (;;) {
      const sweep = this.#ids.dueSweep(at, partitions);
      if (sweep === undefined) return done;
      const start = this.#options.now();
      const forgotten = runAtOnce(sweep.run());
      done.push({
        kind: sweep.kind,
        forgotten,
        seconds: (this.#options.now() - start) / 1000,
      });
    }
  }
}
