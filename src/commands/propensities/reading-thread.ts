import { parentPort } from 'node:worker_threads';
import { UnskewError } from '../../errors.js';
import { buffersOf } from '../threads/buffers.js';
import { lowerPriority } from '../threads/lower-priority.js';
import { type PackedFile, readPacked } from './used-file.js';

/** What came of reading a file. */
export type ReadFile =
  | { readonly kind: 'read'; readonly file: PackedFile }
  | { readonly kind: 'refused'; readonly message: string };

lowerPriority();
const port = parentPort!;

port.on('message', async (path: string) => {
  const answer = await read(path);
  port.postMessage(answer, buffersOf(answer));
});

async function read(path: string): Promise<ReadFile> {
  try {
    return { kind: 'read', file: await readPacked(path) };
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    return { kind: 'refused', message: error.message };
  }
}
