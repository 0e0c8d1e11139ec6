import { parentPort, workerData } from 'node:worker_threads';
import pino from 'pino';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { NightOrder, NightProgress } from '../../export/night-ports.js';
import type { LoggedIo } from '../cli/io.js';
import type { FromNight, NightWork, ToNight } from './night-maker.js';

/** Arguments of the work in the thread. */
export interface NightContext {
  readonly config: Config;
  readonly order: NightOrder;
  readonly io: LoggedIo;
  readonly onProgress: (progress: NightProgress) => void;
  readonly onStorageFailure: (operation: string) => void;
  /** Called right before the set is committed; if it rejects, the set is not. */
  readonly mayCommit: () => Promise<void>;
}

/**
 * Entry point of the export thread that `nightMaker` starts: do the work, report the result, and
 * exit.
 *
 * @param work exports the set and returns its number of rows
 */
export async function runNight(work: (context: NightContext) => Promise<number>): Promise<void> {
  const port = parentPort!;
  const { config, order } = workerData as NightWork;
  const stop = new AbortController();
  let answer: ((message: ToNight) => void) | undefined;
  port.on('message', (message: ToNight) => {
    if (message.kind === 'stop') {
      stop.abort();
    } else {
      answer?.(message);
    }
  });
  const tell = (message: FromNight): void => port.postMessage(message);
  const mayCommit = async (): Promise<void> => {
    const answered = new Promise<ToNight>((resolve) => {
      answer = resolve;
    });
    tell({ kind: 'ready' });
    const message = await answered;
    if (message.kind === 'refused') throw new UnskewError('SET', message.message);
  };
  const io: LoggedIo = {
    stdout: () => {},
    stderr: () => {},
    isTerminal: false,
    hasColor: false,
    signal: stop.signal,
    log: pino(
      {
        name: 'unskew',
        level: config.log.level,
      },
      pino.destination({
        dest: 2,
        sync: true,
      }),
    ),
  };
  try {
    const rows = await work({
      config,
      order,
      io,
      mayCommit,
      onProgress: (progress) =>
        tell({
          kind: 'progress',
          ...progress,
        }),
      onStorageFailure: (operation) =>
        tell({
          kind: 'storage',
          operation,
        }),
    });
    tell({
      kind: 'made',
      rows,
    });
  } catch (error) {
    const code = error instanceof UnskewError ? error.code : undefined;
    const message = error instanceof Error ? error.message : String(error);
    tell({
      kind: 'failed',
      code,
      message,
    });
  } finally {
    port.close();
  }
}
