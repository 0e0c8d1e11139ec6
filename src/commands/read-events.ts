import { basename } from 'node:path';
import { readLines } from '../adapters/files/lines.js';
import { UnskewError } from '../errors.js';
import { ExposureColumns, InteractionColumns } from '../events/columns.js';
import type { Decoder } from '../events/decode.js';
import { ACCEPTED, FAULT_REASONS, IGNORED } from '../events/fault.js';
import type { Interner } from '../state/interner.js';
import type { Outcomes } from '../stream/outcomes.js';
import type { Ids } from '../stream/pane-tick.js';
import type { CommandIo } from './io.js';
import { startProgress } from './output/progress.js';

const CHUNK = 1024;
/** Faults told one by one; the rest is told by number. */
const FAULTS_TOLD = 5;

export interface EventReaderOptions {
  readonly decoder: Decoder;
  readonly maxEventBytes: number;
  readonly ids: Ids;
  readonly users: Interner;
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
  /** The wall clock, ms: what `maxFuture` is judged by, since a file has no time of its own. */
  readonly #now = Date.now();
  #faults = 0;

  constructor(options: EventReaderOptions) {
    this.#options = options;
  }

  /**
   * @param onChunk takes what has been decoded; the columns are used again afterwards
   * @throws UnskewError FILE where a file cannot be read, FAULTS above `maxFaults`
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
    const { decoder, ids, users, maxFaults, io } = this.#options;
    const tables = { users, items: ids.items, models: ids.models };
    const code = decoder.decode(bytes, start, end, 'mixed', this.#now, tables, this.#columns);
    if (code === ACCEPTED) return;
    if (code === IGNORED) {
      outcomes.ignored++;
      return;
    }
    outcomes.faults[code]++;
    this.#faults++;
    if (this.#faults <= FAULTS_TOLD) {
      io.stderr(`${place}: ${FAULT_REASONS[code]}: ${decoder.detail}\n`);
    }
    if (this.#faults > maxFaults) {
      throw new UnskewError(
        'FAULTS',
        `more than ${maxFaults} faulty events (--max-faults); the last is ${place}: ${decoder.detail}`,
      );
    }
  }
}
