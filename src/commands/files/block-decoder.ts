import type { LineBlock } from '../../adapters/files/line-blocks.js';
import { LineSplitter } from '../../adapters/files/line-splitter.js';
import { EventTable } from '../../adapters/parquet/event-table.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { Decoder, type DecoderOptions } from '../../events/decode.js';
import { ACCEPTED, FAULT_REASONS, IGNORED } from '../../events/fault.js';
import { RowDecoder } from '../../events/row-decoder.js';
import { SegmentValues } from '../../events/segment-table.js';
import { FAULTS_TOLD } from './fault-report.js';
import { type NewIds, ToldIds } from './new-ids.js';

export interface BlockDecoderOptions {
  readonly decoder: DecoderOptions;
  readonly maxEventBytes: number;
  /** What `maxFuture` is judged by, ms. */
  readonly referenceTs: number;
  /** Faulty events beyond this number end the reading. */
  readonly maxFaults: number;
}

/** A row group of a Parquet file. */
export interface TableBlock {
  readonly path: string;
  readonly group: number;
}

export type EventBlock = LineBlock | TableBlock;

/** A faulty event; lines, or rows, count from 1 at the beginning of the block. */
export interface BlockFault {
  readonly line: number;
  readonly code: number;
  readonly detail: string;
}

/** What became of a block. Ids in the columns are the decoder's own numbers, explained in `new…`. */
export interface DecodedBlock {
  /** The block's own bytes, to be used again; those of a table are read by the decoder. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Lines, or rows. */
  readonly lines: number;
  readonly interactions: InteractionColumns;
  readonly exposures: ExposureColumns;
  readonly newUsers: NewIds;
  readonly newItems: NewIds;
  readonly newModels: NewIds;
  /** By dimension, the values that were not known to the decoder before, in the order of their codes. */
  readonly newSegments: readonly (readonly string[])[];
  readonly ignored: number;
  /** Number of faults by code. */
  readonly faultCounts: readonly number[];
  /** The first of them: as many as can be reported, or as are needed to pass `maxFaults`. */
  readonly faults: readonly BlockFault[];
}

/** Decodes blocks of lines by itself: it shares nothing, so that there may be one in each thread. */
export class BlockDecoder {
  readonly #decoder: Decoder;
  readonly #rowDecoder: RowDecoder;
  #table: { readonly path: string; readonly table: EventTable } | undefined;
  readonly #users: ToldIds;
  readonly #items: ToldIds;
  readonly #models = new ToldIds();
  readonly #segments: readonly SegmentValues[];
  readonly #segmentsTold: number[];
  readonly #faultsTold: number;
  /** Room that the last block needed: the next one is much like it. */
  #rows = 1024;
  #lists = 256;
  #listed = 8192;

  /** @param maxKnownIds users and items that are remembered between blocks */
  constructor(
    private readonly options: BlockDecoderOptions,
    maxKnownIds?: number,
  ) {
    this.#decoder = new Decoder(options.decoder);
    this.#rowDecoder = new RowDecoder(options.decoder);
    this.#segments = (options.decoder.segments ?? []).map(() => new SegmentValues());
    this.#segmentsTold = this.#segments.map(({ names }) => names.length);
    this.#users = new ToldIds(maxKnownIds);
    this.#items = new ToldIds(maxKnownIds);
    const { maxFaults } = options;
    this.#faultsTold = maxFaults === Number.POSITIVE_INFINITY ? FAULTS_TOLD : maxFaults + 1;
  }

  decode({ bytes, length }: LineBlock): DecodedBlock {
    const { maxEventBytes, referenceTs } = this.options;
    const decoder = this.#decoder;
    const { tables, into, note, done } = this.#begin();
    const splitter = new LineSplitter((line, start, end, number) => {
      note(decoder.decode(line, start, end, 'mixed', referenceTs, tables, into), number, decoder);
    }, maxEventBytes);
    splitter.scan(bytes.subarray(0, length), 0);
    splitter.end();
    return { bytes, ...done(splitter.lines) };
  }

  /** @throws UnskewError FILE if the row group cannot be read */
  async decodeTable({ path, group }: TableBlock): Promise<DecodedBlock> {
    const { referenceTs } = this.options;
    const decoder = this.#rowDecoder;
    const rows = await (await this.#tableAt(path)).read(group);
    decoder.take(rows);
    const { tables, into, note, done } = this.#begin();
    for (let row = 0; row < rows.length; row++) {
      note(decoder.decode(row, referenceTs, tables, into), row + 1, decoder);
    }
    return done(rows.length);
  }

  async close(): Promise<void> {
    const open = this.#table;
    this.#table = undefined;
    await open?.table.close();
  }

  /** The file stays open until another is wanted. */
  async #tableAt(path: string): Promise<EventTable> {
    if (this.#table?.path !== path) {
      await this.close();
      this.#table = { path, table: await EventTable.open(path, this.#rowDecoder.mapping) };
    }
    return this.#table.table;
  }

  #takeNewSegments(): string[][] {
    return this.#segments.map(({ names }, d) => {
      const told = names.slice(this.#segmentsTold[d]);
      this.#segmentsTold[d] = names.length;
      return told;
    });
  }

  #begin() {
    const interactions = new InteractionColumns(this.#rows);
    const exposures = new ExposureColumns(this.#lists, this.#listed);
    const tables = {
      users: this.#users.table,
      items: this.#items.table,
      models: this.#models.table,
      segments: this.#segments,
    };
    const faultCounts: number[] = new Array(FAULT_REASONS.length).fill(0);
    const faults: BlockFault[] = [];
    let ignored = 0;
    const note = (code: number, line: number, { detail }: { readonly detail: string }) => {
      if (code === ACCEPTED) return;
      if (code === IGNORED) {
        ignored++;
        return;
      }
      faultCounts[code]++;
      if (faults.length < this.#faultsTold) faults.push({ line, code, detail });
    };
    const done = (lines: number): DecodedBlock => {
      this.#rows = interactions.ts.length;
      this.#lists = exposures.ts.length;
      this.#listed = exposures.items.length;
      return {
        ...{ lines, interactions, exposures },
        newUsers: this.#users.takeNew(),
        newItems: this.#items.takeNew(),
        newModels: this.#models.takeNew(),
        newSegments: this.#takeNewSegments(),
        ...{ ignored, faultCounts, faults },
      };
    };
    return { tables, into: { interactions, exposures }, note, done };
  }
}
