import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withFile } from '../../../src/commands/files/evaluate.js';
import { UnskewError } from '../../../src/errors.js';

const folder = () => mkdtempSync(join(tmpdir(), 'unskew-report-'));
const evaluated = { of: 'one window' };
const contents = async ({ of }: typeof evaluated) => `<!doctype html>\n${of}</html>\n`;

it('withFile writes the whole report and returns the snapshot', async () => {
  const path = join(folder(), 'report.html');
  expect(await withFile(path, contents, async () => evaluated)).toBe(evaluated);
  expect(readFileSync(path, 'utf8')).toBe(await contents(evaluated));
});

it('withFile leaves an earlier report unchanged if the evaluation fails', async () => {
  const own = folder();
  const path = join(own, 'report.html');
  writeFileSync(path, 'earlier');
  const failing = withFile(path, contents, async () => {
    throw new UnskewError('FAULTS', 'too many');
  });
  await expect(failing).rejects.toThrow('too many');
  expect(readdirSync(own)).toEqual(['report.html']);
  expect(readFileSync(path, 'utf8')).toBe('earlier');
});

it('withFile reports an unwritable file before anything is evaluated', async () => {
  const path = join(folder(), 'missing', 'report.html');
  const make = async () => expect.unreachable('nothing should be evaluated');
  await expect(withFile(path, contents, make)).rejects.toThrow(
    `cannot write ${path}: no such file`,
  );
});

it('withFile returns the snapshot if no report is requested', async () => {
  expect(await withFile(undefined, contents, async () => evaluated)).toBe(evaluated);
});
