import { Worker } from 'node:worker_threads';
import type { Config } from '../../config.js';
import { type ErrorCode, UnskewError } from '../../errors.js';
import type { MakeNight, NightOrder, NightProgress } from '../../export/night-ports.js';

export interface NightThread {
  /** Script of the thread, which calls `runNight`. */
  readonly script: URL;
  /** Called with the failed operation of the storage. */
  readonly onStorageFailure: (operation: string) => void;
}

/** Make each nightly set in a separate thread, so that neither reading nor serving waits for it. */
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
        // After a result, this has no effect.
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

/** Input of a run in the thread. */
export interface NightWork {
  readonly config: Config;
  readonly order: NightOrder;
}

/** Messages from the thread. */
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

/** Messages to the thread; `go` and `refused` answer `ready`. */
export type ToNight =
  | { readonly kind: 'go' }
  | {
      readonly kind: 'refused';
      readonly message: string;
    }
  | { readonly kind: 'stop' };
