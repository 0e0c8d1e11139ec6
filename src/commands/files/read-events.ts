import { basename } from 'node:path';
import { isCsv, readCsvEvents } from '../../adapters/files/csv-events.js';
import type { LineTaker } from '../../adapters/files/line-splitter.js';
import { readLines } from '../../adapters/files/lines.js';
import { totalBytes } from '../../adapters/files/total-bytes.js';
import { EventTable, isParquet } from '../../adapters/parquet/event-table.js';
import { UnskewError } from '../../errors.js';
import { ExposureColumns, type IdTable, InteractionColumns } from '../../events/columns.js';
import { Decoder, type DecoderOptions } from '../../events/decode.js';
import type { EventBatch, EventTables } from '../../events/draft.js';
import { ACCEPTED, IGNORED } from '../../events/fault.js';
import { LineScanner } from '../../events/line-scanner.js';
import { RowDecoder } from '../../events/row-decoder.js';
import type { SegmentTable } from '../../events/segment-table.js';
import { startProgress } from '../../outputs/text/progress.js';
import type { Outcomes } from '../../stream/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import { FaultReport } from './fault-report.js';

const CHUNK = 1024;

export interface EventReaderOptions {
  readonly decoder: DecoderOptions;
  readonly maxEventBytes: number;
  readonly ids: {
    readonly items: IdTable;
    readonly models: IdTable;
    readonly segments?: SegmentTable | undefined;
  };
  readonly users: IdTable;
  /** Where the actions of interactions are wanted. */
  readonly actions?: IdTable;
  /** What `maxFuture` is judged by, ms: the wall clock, since a file has no time of its own. */
  readonly referenceTs?: number;
  /** Faulty events beyond this number end the reading. */
  readonly maxFaults: number;
  readonly io: CommandIo;
}

/** Takes events that have been decoded, and the share of all that they end at; 1 if it is not known. */
export type TakeChunk = (
  interactions: InteractionColumns,
  exposures: ExposureColumns,
  share: number,
) => Promise<void> | void;

/** Reads event files in the order given, decoded in chunks; both kinds of events may be mixed. */
export class EventReader {
  /** Undefined where events are asked for what it does not know. */
  readonly #scanner: LineScanner | undefined;
  readonly #columns: EventBatch;
  readonly #decoder: Decoder;
  readonly #rowDecoder: RowDecoder;
  readonly #referenceTs: number;
  readonly #tables: EventTables;
  readonly faults: FaultReport;

  /** @throws UnskewError USAGE if the mapping is wrong */
  constructor(private readonly options: EventReaderOptions) {
    this.#decoder = new Decoder(options.decoder);
    this.#rowDecoder = new RowDecoder(options.decoder);
    const { users, actions, ids } = options;
    this.#tables = { ...ids, users, segments: ids.segments?.values, ...(actions && { actions }) };
    this.faults = new FaultReport(options.maxFaults, options.io);
    this.#referenceTs = options.referenceTs ?? Date.now();
    if (LineScanner.knows(options.decoder)) {
      const { maxFutureMs, actions: worthOf, earning } = options.decoder;
      const { maxEventBytes } = options;
      const latestTs = this.#referenceTs + maxFutureMs;
      this.#scanner = new LineScanner(this.#tables, { maxEventBytes, latestTs, worthOf, earning });
    }
    this.#columns = this.#scanner?.columns ?? {
      interactions: new InteractionColumns(CHUNK),
      exposures: new ExposureColumns(CHUNK),
    };
  }

  /**
   * @param onChunk takes what has been decoded; the columns are used again afterwards
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
      await onChunk(interactions, exposures, share);
      interactions.clear();
      exposures.clear();
      if (this.#generations === known) return;
      known = this.#generations;
      this.#rowDecoder.forgetIds();
      this.#scanner?.forgetIds();
    };
    const { maxEventBytes, io } = this.options;
    this.faults.begin();
    for (const path of paths) {
      const progress = startProgress(`reading ${basename(path)}`, io);
      const onProgress = (read: number, size: number) => {
        progress.update(read, size);
        // A compressed file is larger than it looks.
        if (total > 0) share = Math.min(1, (before + read) / total);
      };
      const afterEvent = () => (this.#isFull ? flush() : undefined);
      try {
        if (isParquet(path)) await this.#readTable(path, outcomes, afterEvent, onProgress);
        else if (isCsv(path)) await this.#readCsv(path, outcomes, afterEvent, onProgress);
        else {
          await readLines(
            path,
            (bytes, start, end, line) => {
              this.#decode(bytes, start, end, `${path}:${line}`, outcomes);
              return afterEvent();
            },
            { maxLineBytes: maxEventBytes, taker: this.#taker(afterEvent), onProgress },
          );
        }
        await flush();
        before += await totalBytes([path]);
      } finally {
        progress.stop();
      }
    }
  }

  async #readTable(
    path: string,
    outcomes: Outcomes,
    afterEvent: () => Promise<void> | undefined,
    onProgress: (read: number, total: number) => void,
  ): Promise<void> {
    const decoder = this.#rowDecoder;
    const table = await EventTable.open(path, decoder.mapping);
    const total = table.groups.reduce((sum, { bytes }) => sum + bytes, 0);
    let read = 0;
    let before = 0;
    try {
      for (const [group, { bytes }] of table.groups.entries()) {
        const rows = await table.read(group);
        decoder.take(rows);
        for (let row = 0; row < rows.length; row++) {
          const code = decoder.decode(row, this.#referenceTs, this.#tables, this.#columns);
          if (code !== ACCEPTED) {
            this.#note(code, `${path}:${before + row + 1}`, decoder.detail, outcomes);
          }
          const pending = afterEvent();
          if (pending !== undefined) await pending;
        }
        before += rows.length;
        read += bytes;
        onProgress(read, total);
      }
    } finally {
      await table.close();
    }
  }

  #readCsv(
    path: string,
    outcomes: Outcomes,
    afterEvent: () => Promise<void> | undefined,
    onProgress: (read: number, total: number) => void,
  ): Promise<void> {
    const decoder = this.#decoder;
    const options = { maxRowBytes: this.options.maxEventBytes, onProgress };
    return readCsvEvents(path, decoder.mapping, options, (event, role, row) => {
      const referenceTs = this.#referenceTs;
      const code = decoder.decodeFields(event, role, referenceTs, this.#tables, this.#columns);
      if (code !== ACCEPTED) this.#note(code, `${path}:${row}`, decoder.detail, outcomes);
      return afterEvent();
    });
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

  /** Another number once a table may have forgotten ids: generations only grow. */
  get #generations(): number {
    const { users, items, models, actions } = this.#tables;
    return [users, items, models, actions].reduce((n, table) => n + (table?.generation ?? 0), 0);
  }

  #decode(bytes: Uint8Array, start: number, end: number, place: string, outcomes: Outcomes): void {
    const code = this.#decoder.decode(
      bytes,
      start,
      end,
      'mixed',
      this.#referenceTs,
      this.#tables,
      this.#columns,
    );
    if (code !== ACCEPTED) this.#note(code, place, this.#decoder.detail, outcomes);
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
