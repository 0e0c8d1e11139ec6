import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SHARDS, SWEEPS, TURNS } from '../../nightly/shards.js';

interface Run {
  /** The files that it runs; all but some where there are none. */
  readonly files: readonly string[];
  readonly excluded: readonly string[];
  /** Such as 1/4; undefined for the whole. */
  readonly part: string | undefined;
  /** Such as 1-5: the random schedules that it plays. */
  readonly seeds: string | undefined;
}

const RUNS: readonly Run[] = SHARDS.filter(({ isVitest }) => isVitest).map(({ command }) => {
  const after = (flag: string) => command.filter((_, n) => command[n - 1] === flag);
  return {
    files: command.filter((word, n) => word.endsWith('.test.ts') && command[n - 1] !== '--exclude'),
    excluded: after('--exclude'),
    part: after('--shard')[0],
    seeds: command.find((word) => word.startsWith('CHAOS_SEED=')),
  };
});

const FILES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

const runsOf = (test: string) =>
  RUNS.filter(({ files, excluded }) =>
    files.length === 0 ? !excluded.includes(test) : files.includes(test),
  );

describe('the shards of the nightly run', () => {
  it('run every test file once, or once for each range of seeds', () => {
    expect(FILES.length).toBeGreaterThan(200);
    for (const file of FILES.filter((name) => !SWEEPS.includes(name))) {
      const runs = runsOf(file);
      const parts = runs.map(({ part }) => part);
      const all = parts.map((_, n) => `${n + 1}/${parts.length}`);
      const seeds = new Set(runs.map(({ seeds }) => seeds));
      expect(parts, file).toEqual(parts[0] === undefined ? [...seeds].map(() => undefined) : all);
    }
  });

  it('name only files that exist', () => {
    for (const { files, excluded } of RUNS) {
      for (const name of [...files, ...excluded]) expect(FILES).toContain(name);
    }
  });

  it('run a share of the sweeps', () => {
    const tonight = SWEEPS.filter((name) => runsOf(name).length === 1);
    expect(Math.abs(tonight.length - SWEEPS.length / TURNS)).toBeLessThan(1);
    expect(SWEEPS.every((name) => runsOf(name).length <= 1)).toBe(true);
  });

  it('have unique names', () => {
    expect(new Set(SHARDS.map(({ name }) => name)).size).toBe(SHARDS.length);
  });
});
