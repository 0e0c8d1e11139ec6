import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskMeta } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** The value of UNSKEW_DATA that says: pretend that there are no data sets here. */
const NO_DATA = 'none';

/**
 * Folder of a published data set, under UNSKEW_DATA or `../shared/data`; undefined if it is missing.
 * A folder that UNSKEW_DATA names must hold the data set, so that a typing error is noticed.
 */
export function publishedData(name: string): string | undefined {
  const named = process.env['UNSKEW_DATA'];
  if (named === NO_DATA) return undefined;
  const folder = resolve(named ?? resolve(REPOSITORY, '../shared/data'), name);
  if (existsSync(folder)) return folder;
  if (named !== undefined) throw new Error(`UNSKEW_DATA is ${named}, but ${folder} is missing`);
  return undefined;
}

/** One line that says what does not run for lack of a published data set. */
export function missingData(what: string, name: string): string {
  return `${what} did not run: it needs the data set ${name}; set UNSKEW_DATA\n`;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Name of the published data set that the test reads. */
    needsData?: string;
  }
}

/**
 * Options of a test or suite that reads a published data set. It is skipped if that is missing, and
 * the last lines of the run say so. Any other skipped test makes a run fail (closing-line.ts). The
 * body of a skipped suite still runs, so files are read in its tests or hooks.
 */
export function needsData(name: string): { readonly skip: boolean; readonly meta: TaskMeta } {
  return { skip: publishedData(name) === undefined, meta: { needsData: name } };
}
