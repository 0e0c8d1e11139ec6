import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SHARDS } from '../../nightly/shards.js';

interface Run {
  /** The one file that it runs; all but some where it is undefined. */
  readonly file: string | undefined;
  readonly excluded: readonly string[];
  /** Such as 1/4; undefined for the whole. */
  readonly part: string | undefined;
  /** Such as 1-5: the random schedules that it plays. */
  readonly seeds: string | undefined;
}

const RUNS: readonly Run[] = SHARDS.filter(({ isVitest }) => isVitest).map(({ command }) => {
  const after = (flag: string) => command.filter((_, n) => command[n - 1] === flag);
  return {
    file: command.find((word, n) => word.endsWith('.test.ts') && command[n - 1] !== '--exclude'),
    excluded: after('--exclude'),
    part: after('--shard')[0],
    seeds: command.find((word) => word.startsWith('CHAOS_SEED=')),
  };
});

const FILES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

const runsOf = (test: string) =>
  RUNS.filter(({ file, excluded }) =>
    file === undefined ? !excluded.includes(test) : file === test,
  );

describe('the shards of the nightly run', () => {
  it('run every test file, in a part of all or by itself, once or by its seeds', () => {
    expect(FILES.length).toBeGreaterThan(200);
    for (const file of FILES) {
      const runs = runsOf(file);
      const parts = runs.map(({ part }) => part);
      const all = parts.map((_, n) => `${n + 1}/${parts.length}`);
      const seeds = new Set(runs.map(({ seeds }) => seeds));
      expect(parts, file).toEqual(parts[0] === undefined ? [...seeds].map(() => undefined) : all);
    }
  });

  it('name only files that are there', () => {
    for (const { file, excluded } of RUNS) {
      for (const name of file === undefined ? excluded : [file]) expect(FILES).toContain(name);
    }
  });

  it('are named each by a name of its own, which a run that is resumed knows them by', () => {
    expect(new Set(SHARDS.map(({ name }) => name)).size).toBe(SHARDS.length);
  });
});
