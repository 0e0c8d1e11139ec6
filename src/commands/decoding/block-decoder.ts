import type { LineBlock } from '../../adapters/files/lines/line-blocks.js';
import { LineSplitter } from '../../adapters/files/lines/line-splitter.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { Decoder, type DecoderOptions } from '../../events/decode.js';
import { ACCEPTED, FAULT_REASONS, IGNORED } from '../../events/fault.js';
import { FAULTS_TOLD } from '../files/fault-report.js';
import { type NewIds, ToldIds } from './new-ids.js';

export interface BlockDecoderOptions {
  readonly decoder: DecoderOptions;
  readonly maxEventBytes: number;
  /** What `maxFuture` is judged by, ms. */
  readonly referenceTs: number;
  /** Faulty events beyond this number end the reading. */
  readonly maxFaults: number;
}

/** A faulty event; lines count from 1 at the beginning of the block. */
export interface BlockFault {
  readonly line: number;
  readonly code: number;
  readonly detail: string;
}

/** What became of a block. Ids in the columns are the decoder's own numbers, explained in `new…`. */
export interface DecodedBlock {
  /** The block's own bytes, to be used again. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lines: number;
  readonly interactions: InteractionColumns;
  readonly exposures: ExposureColumns;
  readonly newUsers: NewIds;
  readonly newItems: NewIds;
  readonly newModels: NewIds;
  readonly ignored: number;
  /** Number of faults by code. */
  readonly faultCounts: readonly number[];
  /** The first of them: as many as can be reported, or as are needed to pass `maxFaults`. */
  readonly faults: readonly BlockFault[];
}

/** Decodes blocks of lines by itself: it shares nothing, so that there may be one in each thread. */
export class BlockDecoder {
  readonly #options: BlockDecoderOptions;
  readonly #decoder: Decoder;
  readonly #users: ToldIds;
  readonly #items: ToldIds;
  readonly #models = new ToldIds();
  readonly #faultsTold: number;
  /** Room that the last block needed: the next one is much like it. */
  #rows = 1024;
  #lists = 256;
  #listed = 8192;

  /** @param maxKnownIds users and items that are remembered between blocks */
  constructor(options: BlockDecoderOptions, maxKnownIds?: number) {
    this.#options = options;
    this.#decoder = new Decoder(options.decoder);
    this.#users = new ToldIds(maxKnownIds);
    this.#items = new ToldIds(maxKnownIds);
    const { maxFaults } = options;
    this.#faultsTold = maxFaults === Number.POSITIVE_INFINITY ? FAULTS_TOLD : maxFaults + 1;
  }

  decode({ bytes, length }: LineBlock): DecodedBlock {
    const { maxEventBytes, referenceTs } = this.#options;
    const interactions = new InteractionColumns(this.#rows);
    const exposures = new ExposureColumns(this.#lists, this.#listed);
    const into = { interactions, exposures };
    const tables = {
      users: this.#users.table,
      items: this.#items.table,
      models: this.#models.table,
    };
    const decoder = this.#decoder;
    const faultCounts: number[] = new Array(FAULT_REASONS.length).fill(0);
    const faults: BlockFault[] = [];
    let ignored = 0;
    const splitter = new LineSplitter((line, start, end, number) => {
      const code = decoder.decode(line, start, end, 'mixed', referenceTs, tables, into);
      if (code === ACCEPTED) return;
      if (code === IGNORED) {
        ignored++;
        return;
      }
      faultCounts[code]++;
      if (faults.length >= this.#faultsTold) return;
      faults.push({ line: number, code, detail: decoder.detail });
    }, maxEventBytes);
    splitter.scan(bytes.subarray(0, length), 0);
    splitter.end();
    this.#rows = interactions.ts.length;
    this.#lists = exposures.ts.length;
    this.#listed = exposures.items.length;
    return {
      ...{ bytes, lines: splitter.lines, interactions, exposures },
      newUsers: this.#users.takeNew(),
      newItems: this.#items.takeNew(),
      newModels: this.#models.takeNew(),
      ...{ ignored, faultCounts, faults },
    };
  }
}
