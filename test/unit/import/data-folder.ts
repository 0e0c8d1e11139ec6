import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = process.env['UNSKEW_DATA'] ?? resolve(import.meta.dirname, '../../../../shared/data');

/** Folder of a public data set; undefined where it is not there, which CI does not accept. */
export function dataFolder(name: string): string | undefined {
  const folder = join(root, name);
  if (existsSync(folder)) return folder;
  if (process.env['CI']) throw new Error(`${folder} is missing: set UNSKEW_DATA`);
  process.stderr.write(`skipped: ${folder} is missing, set UNSKEW_DATA to the data sets' folder\n`);
  return undefined;
}
