import { basename } from 'node:path';
import type { LineTaker } from '../../adapters/files/line-splitter.js';
import { totalBytes } from '../../adapters/files/total-bytes.js';
import { UnskewError } from '../../errors.js';
import { ExposureColumns, type IdTable, InteractionColumns } from '../../events/columns.js';
import type { DecoderOptions } from '../../events/decode.js';
import type { EventBatch, EventTables } from '../../events/draft.js';
import { ACCEPTED, IGNORED } from '../../events/fault.js';
import { LineScanner } from '../../events/line-scanner.js';
import type { SegmentTable } from '../../events/segment-table.js';
import { startProgress } from '../../outputs/text/progress.js';
import type { Outcomes } from '../../stream/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import { FaultReport } from './fault-report.js';
import { type EventSink, FileEvents } from './file-events.js';
import { KindWatch } from './kind-watch.js';
import type { RowListOptions } from './row-lists.js';

const CHUNK = 1024;

export interface EventReaderOptions {
  readonly decoder: DecoderOptions;
  readonly maxEventBytes: number;
  /** How rows with one item each form lists. */
  readonly lists?: RowListOptions | undefined;
  readonly ids: {
    readonly items: IdTable;
    readonly models: IdTable;
    readonly segments?: SegmentTable | undefined;
  };
  readonly users: IdTable;
  /** Table of actions, if needed. */
  readonly actions?: IdTable;
  /** Events more than `maxFuture` after this time are invalid, ms; the wall clock by default. */
  readonly referenceTs?: number;
  /** Number of invalid events above which reading stops. */
  readonly maxFaults: number;
  readonly io: CommandIo;
}

/** Receives decoded events, and the fraction of the input read so far; 1 if that is unknown. */
export type TakeChunk = (
  interactions: InteractionColumns,
  exposures: ExposureColumns,
  share: number,
) => Promise<void> | void;

/**
 * Reads event files in the given order and decodes them in chunks; both kinds of events may be
 * mixed.
 */
export class EventReader {
  /**
   * Fast path for lines of unmapped events; undefined if the fast path does not support the
   * options.
   */
  readonly #scanner: LineScanner | undefined;
  readonly #columns: EventBatch;
  readonly #files: FileEvents;
  readonly #referenceTs: number;
  readonly #tables: EventTables;
  readonly faults: FaultReport;
  /** Checks that lists and interactions belong together. */
  readonly watch = new KindWatch();

  /** @throws UnskewError USAGE if the mapping is wrong */
  constructor(private readonly options: EventReaderOptions) {
    const { users, actions, ids, decoder, maxEventBytes, lists } = options;
    this.#files = new FileEvents({
      decoder,
      maxEventBytes,
      lists,
    });
    this.#tables = {
      ...ids,
      users,
      segments: ids.segments?.values,
      ...(actions && { actions }),
    };
    this.faults = new FaultReport(options.maxFaults, options.io);
    this.#referenceTs = options.referenceTs ?? Date.now();
    if (LineScanner.knows(options.decoder)) {
      const { maxFutureMs, actions: worthOf, earning } = options.decoder;
      const latestTs = this.#referenceTs + maxFutureMs;
      this.#scanner = new LineScanner(this.#tables, {
        maxEventBytes,
        latestTs,
        worthOf,
        earning,
      });
    }
    this.#columns = this.#scanner?.columns ?? {
      interactions: new InteractionColumns(CHUNK),
      exposures: new ExposureColumns(CHUNK),
    };
  }

  /**
   * Read files in their order.
   *
   * @param onChunk receives decoded events; their columns are reused afterwards
   * @throws UnskewError FILE if a file cannot be read, FAULTS above `maxFaults`
   */
  async read(paths: readonly string[], outcomes: Outcomes, onChunk: TakeChunk): Promise<void> {
    const { interactions, exposures } = this.#columns;
    const total = await totalBytes(paths);
    let before = 0;
    let share = 1;
    let known = this.#generations;
    const flush = async () => {
      if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
      this.watch.take(interactions, exposures);
      await onChunk(interactions, exposures, share);
      interactions.clear();
      exposures.clear();
      if (this.#generations === known) return;
      known = this.#generations;
      this.#files.forgetIds();
      this.#scanner?.forgetIds();
    };
    const { io } = this.options;
    this.faults.begin();
    let progress: ReturnType<typeof startProgress> | undefined;
    const afterEvent = () => (this.#isFull ? flush() : undefined);
    const taker = this.#taker(afterEvent);
    const sink: EventSink = {
      tables: this.#tables,
      columns: this.#columns,
      referenceTs: this.#referenceTs,
      taker,
      rowTaker: (form) => (this.#scanner?.ofRows(form) ? taker : undefined),
      take: (code, place, { detail }) => {
        if (code !== ACCEPTED) {
          this.#note(code, place(), detail, outcomes);
        }
        return afterEvent();
      },
      takeList: (code, { detail }) => {
        if (code !== ACCEPTED) {
          this.#note(code, 'a list of rows', detail, outcomes);
        }
        return afterEvent();
      },
      onProgress: (_, read, size) => {
        progress?.update(read, size);
        // If no size is known, as for standard input, the share stays 1.
        if (total > 0) {
          share = Math.min(1, (before + read) / total);
        }
      },
    };
    for (const path of paths) {
      progress = startProgress(`reading ${basename(path)}`, io);
      this.#scanner?.ofLines();
      try {
        if (!this.#files.hasRowsOfLists(path)) {
          await this.#files.flush(sink);
        }
        await this.#files.read(path, sink);
        await flush();
        before += await totalBytes([path]);
      } finally {
        progress.stop();
      }
    }
    if (this.#files.hasLists) {
      await this.#files.flush(sink);
      await flush();
    }
    const read = this.#files.readings();
    for (const [reading, count] of Object.entries(read)) {
      outcomes.readings.set(reading, count);
    }
  }

  get #isFull(): boolean {
    const { interactions, exposures } = this.#columns;
    return this.#scanner?.isFull ?? interactions.length + exposures.length >= CHUNK;
  }

  #taker(afterEvents: () => Promise<void> | undefined): LineTaker | undefined {
    const scanner = this.#scanner;
    if (scanner === undefined) return undefined;
    const taker = {
      lines: 0,
      pending: undefined as Promise<void> | undefined,
      load: (chunk: Uint8Array) => scanner.load(chunk),
      take(start: number): number {
        const at = scanner.take(start);
        taker.lines = scanner.lines;
        taker.pending = afterEvents();
        return at;
      },
    };
    return taker;
  }

  /** Sum of the generations of all tables. It changes when a table may have removed ids. */
  get #generations(): number {
    const { users, items, models, actions } = this.#tables;
    return [users, items, models, actions].reduce((n, table) => n + (table?.generation ?? 0), 0);
  }

  #note(code: number, place: string, detail: string, outcomes: Outcomes): void {
    if (code === IGNORED) {
      outcomes.ignored++;
      return;
    }
    outcomes.faults[code]++;
    this.faults.add(code, place, detail);
  }
}
