import type { DecoderOptions } from '../../events/decode.js';
import { compileMapping } from '../../events/mapping/mapping.js';
import { BlockReader, type ReadingOptions } from './block-reader.js';
import { decodingThreads } from './decoding-threads.js';
import type { FaultReport } from './fault-report.js';
import { EventReader } from './read-events.js';

export interface ReaderOptions extends ReadingOptions {
  readonly decoder: DecoderOptions;
}

export interface OpenReader {
  readonly read: BlockReader['read'];
  /** Of the files that were read last. */
  readonly faults: Pick<FaultReport, 'first'>;
  close(): Promise<void>;
}

/**
 * Reads event files, decoded by `threads` threads; with one, this thread decodes them. What is read
 * is the same. The caller closes it.
 *
 * @throws UnskewError USAGE if the mapping is wrong
 */
export function openReader(threads: number, options: ReaderOptions): OpenReader {
  const { decoder, maxEventBytes, maxFaults } = options;
  const mapping = decoder.mapping && compileMapping(decoder.mapping);
  if (threads === 1) {
    return opened(new EventReader(options), () => Promise.resolve());
  }
  const referenceTs = Date.now();
  const decoding = decodingThreads(threads, { decoder, maxEventBytes, referenceTs, maxFaults });
  return opened(new BlockReader({ ...options, decoding, mapping }), () => decoding.close());
}

function opened(reader: EventReader | BlockReader, close: OpenReader['close']): OpenReader {
  return { read: (...asked) => reader.read(...asked), faults: reader.faults, close };
}
