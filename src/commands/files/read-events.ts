import { basename } from 'node:path';
import { readLines } from '../../adapters/files/lines/lines.js';
import { UnskewError } from '../../errors.js';
import { ExposureColumns, type IdTable, InteractionColumns } from '../../events/columns.js';
import type { Decoder } from '../../events/decode.js';
import type { EventTables } from '../../events/decoding/draft.js';
import { ACCEPTED, IGNORED } from '../../events/fault.js';
import type { Outcomes } from '../../stream/ingest/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import { startProgress } from '../output/progress.js';
import { FaultReport } from './fault-report.js';

const CHUNK = 1024;

export interface EventReaderOptions {
  readonly decoder: Decoder;
  readonly maxEventBytes: number;
  readonly ids: { readonly items: IdTable; readonly models: IdTable };
  readonly users: IdTable;
  /** Where the actions of interactions are wanted. */
  readonly actions?: IdTable;
  /** What `maxFuture` is judged by, ms: the wall clock, since a file has no time of its own. */
  readonly referenceTs?: number;
  /** Faulty events beyond this number end the reading. */
  readonly maxFaults: number;
  readonly io: CommandIo;
}

/** Reads event files in the order given, decoded in chunks; both kinds of events may be mixed. */
export class EventReader {
  readonly #options: EventReaderOptions;
  readonly #columns = {
    interactions: new InteractionColumns(CHUNK),
    exposures: new ExposureColumns(CHUNK),
  };
  readonly #referenceTs: number;
  readonly #tables: EventTables;
  readonly faults: FaultReport;

  constructor(options: EventReaderOptions) {
    this.#options = options;
    const { users, actions } = options;
    const { items, models } = options.ids;
    this.#tables = { users, items, models, ...(actions === undefined ? {} : { actions }) };
    this.faults = new FaultReport(options.maxFaults, options.io);
    this.#referenceTs = options.referenceTs ?? Date.now();
  }

  /**
   * @param onChunk takes what has been decoded; the columns are used again afterwards
   * @throws UnskewError FILE if a file cannot be read, FAULTS above `maxFaults`
   */
  async read(
    paths: readonly string[],
    outcomes: Outcomes,
    onChunk: (interactions: InteractionColumns, exposures: ExposureColumns) => Promise<void> | void,
  ): Promise<void> {
    const { interactions, exposures } = this.#columns;
    const flush = async () => {
      await onChunk(interactions, exposures);
      interactions.clear();
      exposures.clear();
    };
    const { maxEventBytes, io } = this.#options;
    this.faults.begin();
    for (const path of paths) {
      const progress = startProgress(`reading ${basename(path)}`, io);
      try {
        await readLines(
          path,
          (bytes, start, end, line) => {
            if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
            this.#decode(bytes, start, end, `${path}:${line}`, outcomes);
            return interactions.length + exposures.length < CHUNK ? undefined : flush();
          },
          { maxLineBytes: maxEventBytes, onProgress: progress.update },
        );
        await flush();
      } finally {
        progress.stop();
      }
    }
  }

  #decode(bytes: Uint8Array, start: number, end: number, place: string, outcomes: Outcomes): void {
    const { decoder } = this.#options;
    const code = decoder.decode(
      bytes,
      start,
      end,
      'mixed',
      this.#referenceTs,
      this.#tables,
      this.#columns,
    );
    if (code === ACCEPTED) return;
    if (code === IGNORED) {
      outcomes.ignored++;
      return;
    }
    outcomes.faults[code]++;
    this.faults.add(code, place, decoder.detail);
  }
}
