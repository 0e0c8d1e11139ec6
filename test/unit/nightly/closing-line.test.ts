import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { table } from '../../nightly/progress.js';
import { added, closingLines, isGreen } from '../../support/closing-line.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TESTS = `
  it('passes', () => {});
  describe('a suite of data', needsData('coat'), () => { it('reads it', () => {}); });
  it('reads some', needsData('ml-latest-small'), () => {});
  it.skip('is skipped', () => {});
  describe.skip('a suite', () => { it('is skipped', () => {}); });
  it.todo('is to be written');
  it('skips itself', ({ skip }) => skip());
  it('fails', () => { throw new Error(); });`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-closing-'));
  const support = JSON.stringify(join(ROOT, 'test/support/published-data.ts'));
  writeFileSync(join(folder, 'a.test.ts'), `import { needsData } from ${support};${TESTS}`);
  writeFileSync(join(folder, 'b.test.ts'), 'this is no code');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Run the tests of the folder. */
function ranBy(...more: string[]) {
  const reporter = join(ROOT, 'test/support/closing-line.ts');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder, '--globals', `--reporter=${reporter}`, ...more];
  const counts = join(folder, 'counts.json');
  const env = { ...process.env, UNSKEW_DATA: 'none', UNSKEW_COUNTS: counts };
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
}

describe('the last lines of a run', () => {
  it('count tests that passed, failed, were skipped or lacked their data', () => {
    const { status, stdout } = ranBy();
    expect(JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8'))).toEqual({
      passed: 1,
      failed: 2,
      skipped: 4,
      withoutData: { coat: 1, 'ml-latest-small': 1 },
    });
    const lines = stdout.trim().split('\n');
    expect(lines.at(-3)).toBe(
      '2 tests did not run for lack of published data sets: coat (1), ml-latest-small (1). ' +
        'Put them in ../shared/data, or set UNSKEW_DATA to the folder that holds them.',
    );
    expect(lines.at(-2)).toBe('4 tests were skipped without a reason, so they failed.');
    expect(lines.at(-1)).toBe('1 passed, 6 failed');
    expect(status).toBe(1);
  }, 60_000);

  it('leave out tests of other names, if some are asked for by name', () => {
    const { status, stdout } = ranBy('-t', 'passes', 'a.test.ts');
    const lines = stdout.trim().split('\n');
    expect(lines).toContain('5 tests have other names and did not run.');
    expect(lines.at(-1)).toBe('1 passed, 0 failed');
    expect(status).toBe(0);
  }, 60_000);

  it('are one line if everything ran', () => {
    const counts = { passed: 5, failed: 0, skipped: 0, withoutData: {} };
    expect(closingLines(counts)).toEqual(['5 passed, 0 failed']);
  });
});

describe('a run', () => {
  it.each([
    [{ passed: 5, failed: 0, skipped: 0, withoutData: { coat: 2 } }, true],
    [{ passed: 5, failed: 1, skipped: 0, withoutData: {} }, false],
    [{ passed: 5, failed: 0, skipped: 1, withoutData: {} }, false],
    [{ passed: 0, failed: 0, skipped: 0, withoutData: { coat: 2 } }, false],
  ])('of %o is green: %s', (counts, expected) => {
    expect(isGreen(counts)).toBe(expected);
  });

  it('of several shards adds up their counts', () => {
    const a = { passed: 1, failed: 2, skipped: 3, withoutData: { coat: 1 } };
    const b = { passed: 10, failed: 20, skipped: 30, withoutData: { coat: 4, other: 5 } };
    expect(added(a, b)).toEqual({
      passed: 11,
      failed: 22,
      skipped: 33,
      withoutData: { coat: 5, other: 5 },
    });
  });

  it('of the night ends with a table of when and how each shard ran', () => {
    const counts = { passed: 12, failed: 1, skipped: 1, withoutData: {} };
    const at = '2026-01-02T03:04:05.678Z';
    const result = { at, seconds: 61, counts, ended: 'failed' } as const;
    expect(table(['core 1/2', 'soak'], { 'core 1/2': result })).toEqual([
      'shard     started (UTC)        seconds  passed  failed  ended',
      'core 1/2  2026-01-02 03:04:05         61      12       2  failed',
      'soak      not run',
    ]);
  });
});
