import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withReport } from '../../../src/commands/files/evaluate.js';
import { UnskewError } from '../../../src/errors.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

const folder = () => mkdtempSync(join(tmpdir(), 'unskew-report-'));
const evaluated = { snapshot: makeSnapshot(), answers: [] };

it('writes the whole report and hands the snapshot on', async () => {
  const path = join(folder(), 'report.html');
  expect(await withReport(path, new Outcomes(), async () => evaluated)).toBe(evaluated);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^<!doctype html>\n/);
  expect(text).toMatch(/<\/html>\n$/);
});

it('leaves an earlier report as it was, and nothing beside it, where the evaluation fails', async () => {
  const own = folder();
  const path = join(own, 'report.html');
  writeFileSync(path, 'earlier');
  const failing = withReport(path, new Outcomes(), async () => {
    throw new UnskewError('FAULTS', 'too many');
  });
  await expect(failing).rejects.toThrow('too many');
  expect(readdirSync(own)).toEqual(['report.html']);
  expect(readFileSync(path, 'utf8')).toBe('earlier');
});

it('says that the file cannot be written before anything is evaluated', async () => {
  const path = join(folder(), 'missing', 'report.html');
  const make = async () => expect.unreachable('nothing should be evaluated');
  await expect(withReport(path, new Outcomes(), make)).rejects.toThrow(
    `cannot write ${path}: no such file`,
  );
});

it('writes nothing where no report is asked for', async () => {
  expect(await withReport(undefined, new Outcomes(), async () => evaluated)).toBe(evaluated);
});
