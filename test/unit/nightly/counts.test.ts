import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-counts-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('tests that were skipped', () => {
  it('fail a run', () => {
    expect(closed({ passed: 5, failed: 0, skipped: 2 }, '')).toEqual({
      status: 1,
      line: '5 passed, 2 failed',
    });
  });

  it('are counted and tolerated where there are no public data sets on purpose', () => {
    expect(closed({ passed: 5, failed: 0, skipped: 2 }, 'none')).toEqual({
      status: 0,
      line: '5 passed, 0 failed, 2 skipped',
    });
    expect(closed({ passed: 5, failed: 1, skipped: 2 }, 'none').status).toBe(1);
  });
});

/** What the closing program says of a report, and how it ends. */
function closed(
  { passed, failed, skipped }: Readonly<Record<'passed' | 'failed' | 'skipped', number>>,
  data: string,
) {
  const report = join(folder, 'report.json');
  const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped };
  writeFileSync(report, JSON.stringify({ ...counts, numTodoTests: 0, testResults: [] }));
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'test/nightly/counts.ts', report],
    { encoding: 'utf8', env: { ...process.env, UNSKEW_DATA: data } },
  );
  return { status, line: stdout.trim().split('\n').at(-1) };
}
