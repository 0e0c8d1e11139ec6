import { UnskewError } from '../../errors.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { SegmentCodes } from '../../events/segment-table.js';
import { AskedThread } from '../threads/asked-thread.js';
import type { BlockDecoderOptions, DecodedBlock, EventBlock } from './block-decoder.js';

/** What a thread answers: a block, or why its file cannot be read. */
export type Decoded = DecodedBlock | { readonly failure: string };

/** Decodes blocks; each lane remembers ids by itself and answers in the order it was asked. */
export interface Decoding {
  readonly lanes: number;
  decode(lane: number, block: EventBlock): Promise<DecodedBlock>;
  close(): Promise<void>;
}

/** Starts threads that decode, a lane each. The caller closes them. */
export function decodingThreads(threads: number, options: BlockDecoderOptions): Decoding {
  const script = new URL('./decoding-thread.js', import.meta.url);
  const lanes = Array.from(
    { length: threads },
    () => new AskedThread<EventBlock, Decoded>(script, options),
  );
  return {
    lanes: threads,
    async decode(lane, block) {
      const handedOver = 'bytes' in block ? block.bytes : undefined;
      const decoded = await lanes[lane].ask(block, handedOver);
      if ('failure' in decoded) throw new UnskewError('FILE', decoded.failure);
      return revived(decoded);
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** A message keeps the fields of an object and not its class. */
function revived(decoded: DecodedBlock): DecodedBlock {
  const interactions = Object.assign(new InteractionColumns(0), decoded.interactions);
  const exposures = Object.assign(new ExposureColumns(0, 0), decoded.exposures);
  for (const each of [interactions, exposures]) each.segments = SegmentCodes.revived(each.segments);
  return { ...decoded, interactions, exposures };
}
