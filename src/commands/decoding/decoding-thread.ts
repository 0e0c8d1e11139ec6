import { parentPort, workerData } from 'node:worker_threads';
import type { LineBlock } from '../../adapters/files/line-blocks.js';
import { BlockDecoder, type BlockDecoderOptions, type DecodedBlock } from './block-decoder.js';

/** Decodes blocks of event files one after another, beside whoever makes something of them. */
const port = parentPort!;
const decoder = new BlockDecoder(workerData as BlockDecoderOptions);

port.on('message', (block: LineBlock) => {
  const decoded = decoder.decode(block);
  port.postMessage(decoded, buffersOf(decoded));
});

/** What is handed over and not copied. */
function buffersOf(decoded: DecodedBlock): ArrayBuffer[] {
  const { bytes, interactions, exposures, newUsers, newItems, newModels } = decoded;
  const owners = [{ bytes }, interactions, exposures, newUsers, newItems, newModels];
  return owners.flatMap((owner) =>
    Object.values(owner).flatMap((value) =>
      ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : [],
    ),
  );
}
