import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Counts } from './counts.js';

/** Which shards have passed since the last run from the start, and what they counted. */
export type Progress = Readonly<Record<string, Counts>>;

interface Kept {
  /** What passed is of this commit, and says nothing about another. */
  readonly commit: string;
  readonly passed: Progress;
}

const FILE = '.nightly.json';

/** None where other code has passed than there is now. */
export function progressSoFar(): Progress {
  if (!existsSync(FILE)) return {};
  const { commit, passed } = JSON.parse(readFileSync(FILE, 'utf8')) as Partial<Kept>;
  return commit === commitNow() ? (passed ?? {}) : {};
}

export function keepProgress(passed: Progress): void {
  const kept: Kept = { commit: commitNow(), passed };
  writeFileSync(FILE, `${JSON.stringify(kept, undefined, 2)}\n`);
}

/** With what is not committed yet; empty outside a repository. */
function commitNow(): string {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout ?? '';
  return `${git('rev-parse', 'HEAD').trim()}${git('diff', 'HEAD', '--stat').trim()}`;
}
