import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { storageAt } from '../export/storage.js';
import { buffersOf } from '../threads/buffers.js';
import { standBack } from '../threads/stand-back.js';
import { kindOf } from './settings.js';
import { readLists, type StoredLists } from './stored-lists.js';

/** What came of reading the lists of a name. */
export type LoadedLists =
  | ({ readonly kind: 'lists' } & StoredLists)
  /** `isBad`: they cannot be used, and reading them again would not help. */
  | { readonly kind: 'failed'; readonly isBad: boolean; readonly message: string };

/** A million lists take seconds to read: in a thread of their own nothing else waits for them. */
standBack();
const port = parentPort!;
const config = workerData as Config;

port.on('message', async (name: string) => {
  const answer = await load(name);
  port.postMessage(answer, buffersOf(answer));
});

async function load(name: string): Promise<LoadedLists> {
  try {
    const storage = await storageAt(config.shadow.out!, config.export);
    return { kind: 'lists', ...(await readLists(storage, name, kindOf(config))) };
  } catch (error) {
    // With a cause it is the storage that failed, which may be back soon.
    const isBad = !(error instanceof UnskewError) || error.cause === undefined;
    return { kind: 'failed', isBad, message: (error as Error).message };
  }
}
