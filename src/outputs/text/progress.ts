import { statSync } from 'node:fs';
import cliProgress from 'cli-progress';

/** Progress display of long work: a bar on a terminal, nothing elsewhere. */
export interface Progress {
  update(done: number, total: number): void;
  /** Remove the bar, so that the next output starts on an empty line. */
  stop(): void;
}

/** Progress display over several files that are read one after another. */
export interface FileProgress {
  update(path: string, readBytes: number, totalBytes: number): void;
  stop(): void;
}

interface Watcher {
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * Start a progress display. @param label name of the work, e.g. `simulating` @param stream where to
 * draw the bar; standard error by default
 */
export function startProgress(
  label: string,
  { isTerminal }: Watcher,
  stream: NodeJS.WritableStream = process.stderr,
): Progress {
  if (!isTerminal) {
    return {
      update: () => {},
      stop: () => {},
    };
  }
  const bar = new cliProgress.SingleBar(
    {
      format: `${label} {bar} {percentage} %, {eta_formatted} left`,
      barsize: 32,
      hideCursor: true,
      clearOnComplete: true,
      stream,
    },
    cliProgress.Presets.shades_classic,
  );
  let started = false;
  return {
    update(done, total) {
      if (!started) {
        bar.start(total, done);
      } else {
        bar.setTotal(total);
        bar.update(done);
      }
      started = true;
    },
    stop() {
      if (started) {
        bar.stop();
      }
    },
  };
}

/** Start a progress display with one bar over the bytes of all files. */
export function fileProgress(
  watcher: Watcher,
  paths: readonly string[],
  stream?: NodeJS.WritableStream,
): FileProgress {
  const progress = startProgress('reading', watcher, stream);
  const sizes = watcher.isTerminal ? new Map(paths.map((path) => [path, sizeOf(path)])) : new Map();
  const read = new Map<string, number>();
  const sum = (counts: Map<string, number>): number =>
    [...counts.values()].reduce((total, count) => total + count, 0);
  return {
    update(path, readBytes, totalBytes) {
      read.set(path, readBytes);
      sizes.set(path, totalBytes);
      progress.update(sum(read), sum(sizes));
    },
    stop: progress.stop,
  };
}

/** Size of a file, bytes. 0 if it does not exist, since reading it reports that. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
