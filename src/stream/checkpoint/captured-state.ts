import { ChunkPool } from '../../state/binary/binary-writer.js';
import type { NextOffsets } from '../ports.js';
import type { Ingest } from '../read/ingest.js';
import { runSliced, type Turns } from '../sliced.js';

/** A request to capture the state of a partition. */
export interface CaptureOrder {
  readonly epoch: number;
  /** Time of the checkpoint, wall clock, ms. */
  readonly savedAt: number;
  /** `CapturedState.mark` of the state that is already stored, if any. */
  readonly mark: string | undefined;
}

/** A captured state of a partition. */
export interface CapturedState {
  /** A text that changes whenever the state changes. */
  readonly mark: string;
  /** Next offsets to read after the state. */
  readonly next: NextOffsets;
  /** Bytes of the checkpoint; undefined if the same state is already stored. */
  readonly chunks: readonly Uint8Array[] | undefined;
  /** Release the chunks after use. */
  readonly free?: () => void;
}

/** Longest stretch of work between two turns of the event loop, ms. */
const SLICE_MS = 1;

/**
 * Captures the state of a partition; the result is undefined if that is impossible at the moment.
 */
export interface Capture {
  capture(partition: number, order: CaptureOrder): Promise<CapturedState | undefined>;
}

/**
 * Combine a capture of the reading thread with one of the ticking thread. The two captured states
 * are concatenated; they must be at the same pane.
 */
export function bothCaptured(here: Capture, ticks: Capture): Capture {
  return {
    async capture(partition, order) {
      const lists = await here.capture(partition, order);
      if (lists?.chunks === undefined) return lists;
      const rows = await ticks.capture(partition, {
        ...order,
        mark: undefined,
      });
      if (rows?.chunks !== undefined) {
        return {
          ...lists,
          chunks: [...lists.chunks, ...rows.chunks],
        };
      }
      lists.free?.();
      return undefined;
    },
  };
}

/** Captures the states of the partitions that this thread reads, in slices. */
export class SlicedCapture implements Capture {
  readonly #ingest: Pick<Ingest, 'checkpoints' | 'records'>;
  readonly #turns: Turns;
  readonly #pool = new ChunkPool();

  constructor(ingest: Pick<Ingest, 'checkpoints' | 'records'>, turns: Turns) {
    this.#ingest = ingest;
    this.#turns = turns;
  }

  async capture(
    partition: number,
    { epoch, savedAt, mark: kept }: CaptureOrder,
  ): Promise<CapturedState> {
    const { checkpoints, records } = this.#ingest;
    const mark = checkpoints.mark(partition);
    const next = records.nextOffsets(partition);
    if (mark === kept) {
      return {
        mark,
        next,
        chunks: undefined,
      };
    }
    const writing = checkpoints.capture(partition, epoch, this.#pool, savedAt);
    const chunks = await runSliced(writing, this.#turns, undefined, SLICE_MS);
    return {
      mark,
      next,
      chunks,
      free: () => this.#pool.giveBack(chunks),
    };
  }
}
