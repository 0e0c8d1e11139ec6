import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Counts } from './counts.js';

/** Which shards have passed since the last run from the start, and what they counted. */
export type Progress = Readonly<Record<string, Counts>>;

const FILE = '.nightly.json';

export function progressSoFar(): Progress {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Progress) : {};
}

export function keepProgress(progress: Progress): void {
  writeFileSync(FILE, `${JSON.stringify(progress, undefined, 2)}\n`);
}
