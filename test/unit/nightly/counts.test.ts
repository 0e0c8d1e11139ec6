import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closing, countsOf } from '../../nightly/counts.js';

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
let report: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-counts-'));
  report = join(folder, 'report.json');
  const support = JSON.stringify(join(ROOT, 'test/support/published-data.ts'));
  writeFileSync(join(folder, 'a.test.ts'), `import { needsData } from ${support};${TESTS}`);
  node(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--root',
    folder,
    '--globals',
    '--reporter=json',
    `--outputFile=${report}`,
  );
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('of the tests that a run skipped', () => {
  it('those that read public data are counted apart from all others', () => {
    expect(countsOf(report)).toEqual({ passed: 1, failed: 1, skipped: 4, withoutData: 2 });
  });

  it('only those are left out, and only if there is no data on purpose', () => {
    const { status, stdout, stderr } = node('--import', 'tsx', 'test/nightly/counts.ts', report);
    expect(stdout).toBe('1 passed, 5 failed, 2 left out\n');
    expect(stderr).toContain('4 tests were skipped, and none may be');
    expect(stderr).toContain('2 tests were left out, as there are no public data sets here');
    expect(status).toBe(1);
  });

  it.each([
    [{ skipped: 0, withoutData: 2 }, 'none', 0, '5 passed, 0 failed, 2 left out'],
    [{ skipped: 1, withoutData: 2 }, 'none', 1, '5 passed, 1 failed, 2 left out'],
    [{ skipped: 0, withoutData: 2 }, undefined, 1, '5 passed, 2 failed'],
    [{ skipped: 1, withoutData: 0 }, undefined, 1, '5 passed, 1 failed'],
    [{ skipped: 0, withoutData: 0 }, undefined, 0, '5 passed, 0 failed'],
  ])('%o with UNSKEW_DATA %s ends with %i', (skipped, data, code, line) => {
    const counts = { passed: 5, failed: 0, ...skipped };
    expect(closing(counts, data)).toMatchObject({ code, line });
  });

  it('nothing that passed is no success', () => {
    expect(closing({ passed: 0, failed: 0, skipped: 0, withoutData: 3 }, 'none').code).toBe(1);
  });
});

function node(...args: string[]) {
  const env = { ...process.env, UNSKEW_DATA: 'none' };
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
}
