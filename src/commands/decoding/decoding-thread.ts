import { parentPort, workerData } from 'node:worker_threads';
import type { LineBlock } from '../../adapters/files/lines/line-blocks.js';
import { buffersOf } from '../threads/buffers.js';
import { BlockDecoder, type BlockDecoderOptions } from './block-decoder.js';

/** Decodes blocks of event files one after another, beside the thread that uses them. */
const port = parentPort!;
const decoder = new BlockDecoder(workerData as BlockDecoderOptions);

port.on('message', (block: LineBlock) => {
  const decoded = decoder.decode(block);
  // Handed over and not copied.
  port.postMessage(decoded, buffersOf(decoded));
});
