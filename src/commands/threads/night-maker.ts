import { Worker } from 'node:worker_threads';
import type { Config } from '../../config.js';
import { type ErrorCode, UnskewError } from '../../errors.js';
import type { MakeNight, NightOrder, NightProgress } from '../../export/night-ports.js';

export interface NightThread {
  /** Script of the thread; it calls `runNight`. */
  readonly script: URL;
  /** Called with the name of each failed storage operation. */
  readonly onStorageFailure: (operation: string) => void;
}

/**
 * Create a function that exports each nightly test set in a thread, so that neither reading nor
 * serving waits for it.
 */
export function nightMaker(config: Config, { script, onStorageFailure }: NightThread): MakeNight {
  return (order, { signal, onProgress, mayCommit }) => {
    const work: NightWork = { config, order };
    const thread = new Worker(script, { workerData: work });
    const say = (message: ToNight): void => thread.postMessage(message);
    const stop = (): void => say({ kind: 'stop' });
    if (signal.aborted) {
      stop();
    }
    signal.addEventListener('abort', stop, { once: true });
    return new Promise<{ rows: number }>((resolve, reject) => {
      thread.on('error', reject);
      thread.on('exit', (code) => {
        // Has no effect if the result has already arrived.
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
              (error: Error) =>
                say({
                  kind: 'refused',
                  message: error.message,
                }),
            );
            break;
          case 'made':
            resolve({ rows: message.rows });
            break;
          case 'failed':
            reject(failure(message));
        }
      });
    }).finally(() => signal.removeEventListener('abort', stop));
  };
}

function failure({ code, message }: Extract<FromNight, { kind: 'failed' }>): Error {
  return code === undefined ? new Error(message) : new UnskewError(code, message);
}

/** Work that the thread gets at its start: the configuration, and which set to export. */
export interface NightWork {
  readonly config: Config;
  readonly order: NightOrder;
}

/** Messages from the thread to its maker. */
export type FromNight =
  | ({ readonly kind: 'progress' } & NightProgress)
  | { readonly kind: 'ready' }
  /** An operation of the storage failed. */
  | {
      readonly kind: 'storage';
      readonly operation: string;
    }
  | {
      readonly kind: 'made';
      readonly rows: number;
    }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode | undefined;
      readonly message: string;
    };

/**
 * Messages to the thread. `go` and `refused` are the answers to `ready`, which asks whether the set
 * may be committed.
 */
export type ToNight =
  | { readonly kind: 'go' }
  | {
      readonly kind: 'refused';
      readonly message: string;
    }
  | { readonly kind: 'stop' };
