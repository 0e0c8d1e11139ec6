import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Decoder, type DecoderOptions } from '../../events/decode.js';
import { EventReader } from '../read-events.js';
import { BlockReader, type ReadingOptions } from './block-reader.js';
import { decodingThreads } from './decoding-threads.js';

/** Below it threads would take longer to start than to decode. */
const LARGE_BYTES = 8 * 1024 * 1024;
/** With more of them whoever takes the events is what is waited for. */
const MOST_THREADS = 3;

export interface ReaderOptions extends ReadingOptions {
  readonly decoder: DecoderOptions;
}

export interface OpenReader {
  readonly read: BlockReader['read'];
  close(): Promise<void>;
}

/**
 * What reads these event files best: threads that decode them, or, where they are small or there is
 * but one processor, this thread alone. What is read is the same.
 *
 * @throws UnskewError USAGE where the mapping is wrong
 */
export async function openReader(
  paths: readonly string[],
  options: ReaderOptions,
): Promise<OpenReader> {
  const { decoder, maxEventBytes, maxFaults } = options;
  const here = new Decoder(decoder);
  const threads = Math.min(MOST_THREADS, availableParallelism());
  if (threads === 1 || (await totalBytes(paths)) < LARGE_BYTES) {
    const reader = new EventReader({ ...options, decoder: here });
    return {
      read: (files, outcomes, onChunk) => reader.read(files, outcomes, onChunk),
      close: () => Promise.resolve(),
    };
  }
  const referenceTs = Date.now();
  const decoding = decodingThreads(threads, { decoder, maxEventBytes, referenceTs, maxFaults });
  const reader = new BlockReader({ ...options, decoding });
  return {
    read: (files, outcomes, onChunk) => reader.read(files, outcomes, onChunk),
    close: () => decoding.close(),
  };
}

/** A file that cannot be seen has no size here; who reads it says what is wrong with it. */
async function totalBytes(paths: readonly string[]): Promise<number> {
  const sizes = paths.map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
