import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskMeta } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** Of UNSKEW_DATA: there are no data sets here, and tests of them are left out on purpose. */
export const NO_DATA = 'none';

/**
 * Folder of a published data set, under UNSKEW_DATA or `../shared/data`; undefined, said in one
 * line, where it is missing. Under CI it must not be, unless UNSKEW_DATA is `none`.
 */
export function publishedData(name: string): string | undefined {
  if (process.env['UNSKEW_DATA'] === NO_DATA) {
    process.stderr.write(
      `left out: what needs the data of ${name}, as UNSKEW_DATA is ${NO_DATA}\n`,
    );
    return undefined;
  }
  const folder = resolve(process.env['UNSKEW_DATA'] ?? resolve(REPOSITORY, '../shared/data'), name);
  if (existsSync(folder)) return folder;
  if (process.env['CI']) throw new Error(`${folder} is missing; set UNSKEW_DATA`);
  process.stderr.write(`skipped: no data at ${folder}; set UNSKEW_DATA\n`);
  return undefined;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Name of the published data set that the test reads. */
    needsData?: string;
  }
}

/**
 * Options of a test or suite that reads a published data set: it is skipped where that is missing,
 * and the report says why. Any other skipped test makes a run fail (test/nightly/counts.ts). The body
 * of a skipped suite is still run for the names of its tests, so files are read in its tests or hooks.
 */
export function needsData(name: string): { readonly skip: boolean; readonly meta: TaskMeta } {
  return { skip: publishedData(name) === undefined, meta: { needsData: name } };
}
