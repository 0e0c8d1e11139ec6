import { basename } from 'node:path';
import { lineBlocks } from '../../adapters/files/line-blocks.js';
import { totalBytes } from '../../adapters/files/total-bytes.js';
import { EventTable, isParquet } from '../../adapters/parquet/event-table.js';
import { UnskewError } from '../../errors.js';
import { namedColumns } from '../../events/column-table.js';
import {
  EXPOSURE,
  type ExposureColumns,
  INTERACTION,
  type InteractionColumns,
} from '../../events/columns.js';
import { FIRST_VALUE } from '../../events/dimensions.js';
import type { CompiledMapping } from '../../events/mapping/mapping.js';
import type { SegmentCodes, SegmentTable } from '../../events/segment-table.js';
import { startProgress } from '../../outputs/text/progress.js';
import type { Interner } from '../../state/ids/interner.js';
import type { Outcomes } from '../../stream/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import type { DecodedBlock, EventBlock } from './block-decoder.js';
import type { Decoding } from './decoding-threads.js';
import { FaultReport } from './fault-report.js';
import { IdTranslation } from './new-ids.js';

/** Blocks under way for each lane: one that is decoded, one that waits for it, one that is made. */
const BLOCKS_PER_LANE = 3;
/** A row group is much larger: one more than there are lanes, so that none waits for what is taken. */
const MORE_GROUPS = 1;

/** Where what is read goes, however it is decoded. */
export interface ReadingOptions {
  readonly maxEventBytes: number;
  readonly ids: {
    readonly items: Interner;
    readonly models: Interner;
    readonly segments?: SegmentTable | undefined;
  };
  readonly users: Interner;
  /** Faulty events beyond this number end the reading. */
  readonly maxFaults: number;
  readonly io: CommandIo;
}

export interface BlockReaderOptions extends ReadingOptions {
  readonly decoding: Decoding;
  readonly blockBytes?: number;
  /** Where the fields of a table's events are. */
  readonly mapping?: CompiledMapping | undefined;
}

interface SizedBlock {
  readonly block: EventBlock;
  /** Of the file as it lies on the disk. */
  readonly length: number;
}

/** Takes events that have been decoded, and where it is known the share of all that they end at. */
export type TakeChunk = (
  interactions: InteractionColumns,
  exposures: ExposureColumns,
  share?: number,
) => void;

interface UnderWay {
  readonly lane: number;
  readonly length: number;
  readonly decoded: Promise<DecodedBlock>;
}

interface Lane {
  readonly users: IdTranslation;
  readonly items: IdTranslation;
  readonly models: IdTranslation;
  /** By dimension: the codes here by those of the lane. */
  readonly segments: readonly number[][];
}

/**
 * Reads event files as `EventReader` does, but has blocks of them decoded elsewhere, several at a
 * time. Blocks are taken in the order of the file, so that ids have the same numbers, and faults the
 * same lines, as if there were one decoder.
 */
export class BlockReader {
  readonly #lanes: readonly Lane[];
  readonly faults: FaultReport;
  /** Bytes of blocks that are done with. */
  readonly #free: Uint8Array<ArrayBuffer>[] = [];
  #blocks = 0;

  constructor(private readonly options: BlockReaderOptions) {
    const { decoding, users, ids, maxFaults, io } = options;
    this.#lanes = Array.from({ length: decoding.lanes }, () => ({
      users: new IdTranslation(users),
      items: new IdTranslation(ids.items),
      models: new IdTranslation(ids.models),
      segments: (ids.segments?.dimensions ?? []).map(() =>
        Array.from({ length: FIRST_VALUE }, (_, code) => code),
      ),
    }));
    this.faults = new FaultReport(maxFaults, io);
  }

  /**
   * @param onChunk takes what has been decoded
   * @throws UnskewError FILE if a file cannot be read, FAULTS above `maxFaults`
   */
  async read(paths: readonly string[], outcomes: Outcomes, onChunk: TakeChunk): Promise<void> {
    const total = await totalBytes(paths);
    let taken = 0;
    this.faults.begin();
    for (const path of paths) {
      await this.#readFile(path, outcomes, ({ interactions, exposures }, bytes) => {
        taken += bytes;
        // A compressed file is larger than it looks.
        onChunk(interactions, exposures, Math.min(1, taken / total));
      });
    }
  }

  async #readFile(
    path: string,
    outcomes: Outcomes,
    onBlock: (block: DecodedBlock, bytes: number) => void,
  ): Promise<void> {
    const { decoding, io } = this.options;
    const most = isParquet(path) ? decoding.lanes + MORE_GROUPS : BLOCKS_PER_LANE * decoding.lanes;
    const progress = startProgress(`reading ${basename(path)}`, io);
    const underWay: UnderWay[] = [];
    let lines = 0;
    const takeOldest = async () => {
      const { lane, length, decoded } = underWay.shift()!;
      const block = await decoded;
      if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
      if (block.bytes !== undefined) this.#free.push(block.bytes);
      this.#countFaults(block, path, lines, outcomes);
      this.#translate(block, this.#lanes[lane]);
      lines += block.lines;
      onBlock(block, length);
    };
    const blocks = isParquet(path)
      ? this.#rowGroups(path, progress.update)
      : this.#lineBlocks(path, progress.update);
    const next = () =>
      blocks.next().catch(async (error: unknown) => {
        // What was read before it comes first.
        while (underWay.length > 0) await takeOldest();
        throw error;
      });
    try {
      for (let block = await next(); !block.done; block = await next()) {
        if (underWay.length >= most) await takeOldest();
        underWay.push(this.#decode(block.value));
      }
      while (underWay.length > 0) await takeOldest();
    } finally {
      await blocks.return(undefined);
      progress.stop();
    }
  }

  async *#lineBlocks(
    path: string,
    onProgress: (read: number, total: number) => void,
  ): AsyncGenerator<SizedBlock, undefined> {
    const { maxEventBytes: maxLineBytes, blockBytes } = this.options;
    const options = {
      ...{ maxLineBytes, onProgress },
      allocate: (bytes: number) => this.#allocate(bytes),
      ...(blockBytes === undefined ? {} : { blockBytes }),
    };
    for await (const block of lineBlocks(path, options)) yield { block, length: block.length };
  }

  async *#rowGroups(
    path: string,
    onProgress: (read: number, total: number) => void,
  ): AsyncGenerator<SizedBlock, undefined> {
    const table = await EventTable.open(path, this.options.mapping);
    const { groups } = table;
    await table.close();
    const total = groups.reduce((sum, { bytes }) => sum + bytes, 0);
    let read = 0;
    for (const [group, { bytes: length }] of groups.entries()) {
      yield { block: { path, group }, length };
      read += length;
      onProgress(read, total);
    }
  }

  #decode({ block, length }: SizedBlock): UnderWay {
    const { decoding } = this.options;
    const lane = this.#blocks++ % decoding.lanes;
    const decoded = decoding.decode(lane, block);
    // Reported when its turn comes; until then, or after an earlier failure, nobody waits for it.
    decoded.catch(() => {});
    return { lane, length, decoded };
  }

  #countFaults(block: DecodedBlock, path: string, lines: number, outcomes: Outcomes): void {
    outcomes.ignored += block.ignored;
    for (let code = 0; code < block.faultCounts.length; code++) {
      outcomes.faults[code] += block.faultCounts[code];
    }
    for (const { line, code, detail } of block.faults) {
      this.faults.add(code, `${path}:${lines + line}`, detail);
    }
  }

  #translate(block: DecodedBlock, lane: Lane): void {
    const { interactions, exposures } = block;
    lane.users.learn(block.newUsers);
    lane.items.learn(block.newItems);
    lane.models.learn(block.newModels);
    for (const [names, ids] of namedColumns(INTERACTION, interactions)) {
      lane[names].translate(ids, interactions.length);
    }
    for (const [names, ids] of namedColumns(EXPOSURE, exposures)) {
      lane[names].translate(ids, exposures.length);
    }
    lane.items.translate(exposures.items, exposures.listStart[exposures.length]);
    this.#learnSegments(block, lane);
    translateSegments(interactions.segments, lane);
    translateSegments(exposures.segments, lane);
  }

  #learnSegments({ newSegments }: DecodedBlock, lane: Lane): void {
    const table = this.options.ids.segments;
    for (const [d, codes] of lane.segments.entries()) {
      for (const value of newSegments[d]) codes.push(table!.codeOf(d, value));
    }
  }

  #allocate(bytes: number): Uint8Array<ArrayBuffer> {
    const free = this.#free.pop();
    return free?.length === bytes ? free : new Uint8Array(bytes);
  }
}

function translateSegments({ dimensions, codes }: SegmentCodes, lane: Lane): void {
  for (let n = 0; n < codes.length; n++) codes[n] = lane.segments[n % dimensions][codes[n]];
}
