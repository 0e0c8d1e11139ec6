import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from '../threads/asked-thread.js';
import { BlockDecoder, type BlockDecoderOptions, type EventBlock } from './block-decoder.js';
import type { Decoded } from './decoding-threads.js';

/** Decodes blocks of event files one after another, beside the thread that uses them. */
const port = parentPort!;
const decoder = new BlockDecoder(workerData as BlockDecoderOptions);
let before = Promise.resolve();

function answer(decoded: Decoded): void {
  // Handed over and not copied.
  port.postMessage(decoded, buffersOf(decoded));
}

port.on('message', (block: EventBlock) => {
  if (!('group' in block)) {
    // Of one file come blocks of one kind, but of the file before they may still be under way.
    before = before.then(() => answer(decoder.decode(block)));
    return;
  }
  before = before.then(async () => {
    answer(await decoder.decodeTable(block).catch(failureOf));
  });
});

/** A file that cannot be read is the reader's to report; all else ends the thread. */
function failureOf(error: unknown): Decoded {
  const { name, message } = error as Error;
  if (name !== 'UnskewError') throw error;
  return { failure: message };
}
