import { availableParallelism } from 'node:os';
import { totalBytes } from '../../adapters/files/total-bytes.js';

/** Below it threads would take longer to start than to work. */
const LARGE_BYTES = 8 * 1024 * 1024;
/** With more of them, they would wait for the thread that takes what they make. */
const MOST_THREADS = 3;

/** How many threads files are worth: 1 where they are small or there is but one processor. */
export async function threadsFor(paths: readonly string[]): Promise<number> {
  const threads = Math.min(MOST_THREADS, availableParallelism());
  return threads === 1 || (await totalBytes(paths)) < LARGE_BYTES ? 1 : threads;
}
