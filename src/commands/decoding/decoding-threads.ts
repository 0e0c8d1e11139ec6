import type { LineBlock } from '../../adapters/files/lines/line-blocks.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { AskedThread } from '../threads/asked-thread.js';
import type { BlockDecoderOptions, DecodedBlock } from './block-decoder.js';

/** Decodes blocks; each lane remembers ids by itself and answers in the order it was asked. */
export interface Decoding {
  readonly lanes: number;
  decode(lane: number, block: LineBlock): Promise<DecodedBlock>;
  close(): Promise<void>;
}

/** Starts threads that decode, a lane each. The caller closes them. */
export function decodingThreads(threads: number, options: BlockDecoderOptions): Decoding {
  const script = new URL('./decoding-thread.js', import.meta.url);
  const lanes = Array.from(
    { length: threads },
    () => new AskedThread<LineBlock, DecodedBlock>(script, options),
  );
  return {
    lanes: threads,
    decode: async (lane, block) => revived(await lanes[lane].ask(block, block.bytes)),
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** A message keeps the fields of an object and not its class. */
function revived(decoded: DecodedBlock): DecodedBlock {
  return {
    ...decoded,
    interactions: Object.assign(new InteractionColumns(0), decoded.interactions),
    exposures: Object.assign(new ExposureColumns(0, 0), decoded.exposures),
  };
}
