import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ResultFolder } from '../../../src/adapters/files/result-folder.js';
import { resultFile } from '../../../src/adapters/parquet/parquet.js';
import { resultName, resultTable } from '../../../src/outputs/history/result-table.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { pythonProgram } from '../../nightly/python-program.js';
import { blocksOf } from '../../support/examples/documents.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

it('every Python block runs on result tables', async () => {
  const python = join(dirname(pythonProgram('polars==1.35.2', 'pip')), 'python');
  const folder = mkdtempSync(join(tmpdir(), 'unskew-python-'));
  try {
    const snapshot = makeSnapshot();
    const place = new ResultFolder(join(folder, 'results'));
    await place.put(resultName(snapshot.paneEnd), resultFile(resultTable(snapshot), 'test'));
    const blocks = blocksOf(ROOT).filter(({ language }) => language === 'python');
    expect(blocks.length).toBeGreaterThan(0);
    for (const { text } of blocks) {
      const printed = execFileSync(python, ['-c', text], { cwd: folder }).toString();
      expect(printed).toContain('snips');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 300_000);
