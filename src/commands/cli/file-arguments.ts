import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { UnskewError } from '../../errors.js';
import { eventPaths } from './event-paths.js';

/** Files of events on a command line. */
export interface EventFlags {
  readonly events?: string[];
  readonly train?: string[];
}

/**
 * Files to read, by their flag or without it.
 *
 * @throws UnskewError USAGE if there are none, or standard input is to be read twice
 */
export function eventFiles(
  files: readonly string[],
  { events = [], train = [] }: EventFlags,
): readonly string[] {
  const all = [...files, ...events];
  if (all.length === 0 && train.length > 1) {
    throw new UnskewError(
      'USAGE',
      `nothing to evaluate, as --train takes all files after it (${train.join(', ')}): put those to evaluate before it, or name them by --events`,
    );
  }
  if (all.length === 0) {
    throw new UnskewError('USAGE', "required option '--events <files...>' not specified");
  }
  // What is piped in is there once.
  if ([...train, ...all].filter((path) => path === '-').length > 1) {
    throw new UnskewError('USAGE', 'standard input (-) can be read once only');
  }
  return eventPaths(all);
}

/**
 * An event file that stands after `--html` would be gone.
 *
 * @throws UnskewError USAGE for the name of an event file, and for any file that is read
 */
export function refuseToReplace(html: string | undefined, read: readonly string[]): void {
  if (html === undefined) return;
  const isRead = read.some((path) => path !== '-' && place(path) === place(html));
  if (isRead || /\.(parquet|(nd)?jsonl?(\.gz)?)$/.test(html)) {
    throw new UnskewError('USAGE', `--html would write its report over the event file ${html}`);
  }
}

/** However the path is written, and whatever links lead there. */
function place(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}
