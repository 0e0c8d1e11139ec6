import { Worker } from 'node:worker_threads';
import { formatDuration } from '../../config/units.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { MakeNight } from '../../export/nights/night-ports.js';
import type { FromNight, NightWork, ToNight } from './night-messages.js';

export interface NightThread {
  /** Runs `runNight`. */
  readonly script: URL;
  /** Called with the operation that the storage failed at. */
  readonly onStorageFailure: (operation: string) => void;
  /** How long the work may take; any time if it is not said. */
  readonly deadlineMs?: number;
  /** How large the thread's heap may be; as large as the process's if it is not said. */
  readonly heapBytes?: number;
}

/** How long a thread that is asked to stop may go on. */
const GRACE_MS = 5000;
const MIB = 1024 * 1024;

/**
 * Does the work of each night in a thread of its own, so that neither reading nor serving waits for
 * it. Work that takes too long, or too much memory, rejects with FIT.
 */
export function nightMaker(config: Config, how: NightThread): MakeNight {
  return (order, { signal, onProgress, mayCommit }) => {
    const work: NightWork = { config, order };
    const { script, onStorageFailure, deadlineMs, heapBytes } = how;
    const thread = new Worker(script, { workerData: work, ...limits(heapBytes) });
    const say = (message: ToNight): void => thread.postMessage(message);
    const stop = (): void => say({ kind: 'stop' });
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const timers: NodeJS.Timeout[] = [];
    return new Promise<{ rows: number }>((resolve, reject) => {
      if (deadlineMs !== undefined) {
        const overdue = () => {
          reject(new UnskewError('FIT', `it took longer than ${formatDuration(deadlineMs)}`));
          stop();
          // One that computes without a pause does not hear it.
          setTimeout(() => void thread.terminate(), GRACE_MS).unref();
        };
        timers.push(setTimeout(overdue, deadlineMs));
      }
      thread.on('error', (error) => reject(outOfMemory(error, heapBytes) ?? error));
      thread.on('exit', (code) => {
        // After a result this changes nothing.
        reject(new Error(`the thread of the night ended with ${code}`));
      });
      thread.on('message', (message: FromNight) => {
        switch (message.kind) {
          case 'progress':
            onProgress(message);
            break;
          case 'storage':
            onStorageFailure(message.operation);
            break;
          case 'ready':
            mayCommit().then(
              () => say({ kind: 'go' }),
              (error: Error) => say({ kind: 'refused', message: error.message }),
            );
            break;
          case 'made':
            resolve({ rows: message.rows });
            break;
          case 'failed':
            reject(failure(message));
        }
      });
    }).finally(() => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  };
}

function limits(heapBytes: number | undefined) {
  if (heapBytes === undefined) return {};
  return { resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / MIB) } };
}

function outOfMemory(error: Error, heapBytes: number | undefined): UnskewError | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY' || heapBytes === undefined) return undefined;
  const cause = { cause: error };
  return new UnskewError('FIT', `it needed a heap of more than ${heapBytes / MIB} MiB`, cause);
}

function failure({ code, message }: Extract<FromNight, { kind: 'failed' }>): Error {
  return code === undefined ? new Error(message) : new UnskewError(code, message);
}
