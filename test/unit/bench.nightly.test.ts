import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { environment } from '../support/program.js';

const RUN = fileURLToPath(new URL('../bench/run.ts', import.meta.url));

// The tests are bundled and the benches are not: what loads here may not load there.
it('npm run bench lists its benches if the requested one is unknown', async () => {
  const { NODE_OPTIONS: _, ...env } = environment();
  const asked = ['--import', 'tsx', RUN, 'nothing'];
  const ended = await promisify(execFile)(process.execPath, asked, { env }).catch((error) => error);
  expect(ended.stderr).toMatch(/^no bench nothing; there are decode, .*workers\n$/);
  expect(ended.code).toBe(2);
});
