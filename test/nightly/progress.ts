import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Counts } from '../support/closing-line.js';

/** How a shard ended. */
export interface Result {
  /** When it started, as ISO 8601. */
  readonly at: string;
  readonly seconds: number;
  readonly counts: Counts;
  readonly ended: 'passed' | 'failed' | 'timed out';
}

/** The last result of each shard on this commit, by the shard's name. */
export type Progress = Readonly<Record<string, Result>>;

interface Kept {
  /** The results are of this commit, and say nothing about another. */
  readonly commit: string;
  readonly results: Progress;
}

const FILE = '.nightly.json';

/** The results so far; none if they are of other code than there is now. */
export function progressSoFar(): Progress {
  if (!existsSync(FILE)) return {};
  const { commit, results } = JSON.parse(readFileSync(FILE, 'utf8')) as Partial<Kept>;
  return commit === commitNow() ? (results ?? {}) : {};
}

export function keepProgress(results: Progress): void {
  const kept: Kept = { commit: commitNow(), results };
  writeFileSync(FILE, `${JSON.stringify(kept, undefined, 2)}\n`);
}

/** With what is not committed yet; empty outside a repository. */
function commitNow(): string {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout ?? '';
  return `${git('rev-parse', 'HEAD').trim()}${git('diff', 'HEAD', '--stat').trim()}`;
}

/** A table of what ran, when and how it ended, one line a shard. */
export function table(names: readonly string[], results: Progress): string[] {
  const width = Math.max(...names.map((name) => name.length));
  const head = `${'shard'.padEnd(width)}  started (UTC)        seconds  passed  failed  ended`;
  const rows = names.map((name) => {
    const result = results[name];
    if (result === undefined) return `${name.padEnd(width)}  not run`;
    const { at, seconds, counts, ended } = result;
    const columns = [
      name.padEnd(width),
      at.slice(0, 19).replace('T', ' '),
      String(seconds).padStart(9),
      String(counts.passed).padStart(6),
      String(counts.failed + counts.skipped).padStart(6),
      ended,
    ];
    return columns.join('  ');
  });
  return [head, ...rows];
}
