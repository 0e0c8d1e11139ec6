import { UnskewError } from '../../errors.js';
import { AskedThread } from '../threads/asked-thread.js';
import type { ReadFile } from './reading-thread.js';
import type { PackedFile } from './used-file.js';

/**
 * Run `readPacked` in a separate thread, since reading and checking a file with millions of numbers
 * takes seconds.
 *
 * @throws UnskewError FILE as `readPropensities`, and if the thread fails, for example without
 * enough memory
 */
export async function readPackedAside(path: string): Promise<PackedFile> {
  const script = new URL('./propensities-thread.js', import.meta.url);
  const thread = new AskedThread<string, ReadFile>(script);
  try {
    const read = await thread.ask(path).catch((cause: Error) => {
      throw new UnskewError('FILE', `${path}: it could not be read: ${cause.message}`, { cause });
    });
    if (read.kind === 'refused') throw new UnskewError('FILE', read.message);
    return read.file;
  } finally {
    await thread.close();
  }
}
