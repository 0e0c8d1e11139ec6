import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { UnskewError } from '../../errors.js';
import { buffersOf } from '../threads/asked-thread.js';
import { type PackedFile, readPacked } from './used-file.js';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lower the priority of this thread, so that threads that read and serve go first if processors are
 * busy. Only Linux has priorities per thread; elsewhere this would affect the whole process.
 */
function lowerPriority(): void {
  if (process.platform !== 'linux' || getPriority(0) >= PRIORITY_BELOW_NORMAL) return;
  setPriority(0, PRIORITY_BELOW_NORMAL);
}

/** Answer of the thread that reads a propensities file. */
export type ReadFile =
  | {
      readonly kind: 'read';
      readonly file: PackedFile;
    }
  | {
      readonly kind: 'refused';
      readonly message: string;
    };

lowerPriority();
const port = parentPort!;

port.on('message', async (path: string) => {
  const answer = await read(path);
  port.postMessage(answer, buffersOf(answer));
});

async function read(path: string): Promise<ReadFile> {
  try {
    return {
      kind: 'read',
      file: await readPacked(path),
    };
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    return {
      kind: 'refused',
      message: error.message,
    };
  }
}
