import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppendedLines } from '../../../src/adapters/files/appended-lines.js';

let folder: string;
let path: string;
let lines: AppendedLines;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-lines-'));
  path = join(folder, 'lines.ndjson');
  lines = new AppendedLines(path);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await lines.close();
  rmSync(folder, { recursive: true });
});

const text = () => readFileSync(path, 'utf8');

it('appended lines replace the unfinished line of an earlier run', async () => {
  writeFileSync(path, 'one\ntwo\nthr');
  await lines.append(['three', 'four']);
  expect(text()).toBe('one\ntwo\nthree\nfour\n');
});

it('lines are written once if a write that failed between them is repeated', async () => {
  await lines.append(['one']);
  // A disk that fills up takes a part of what it is given.
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as { appendFile(text: string): Promise<void> };
  await handle.close();
  const full = vi.spyOn(prototype, 'appendFile').mockImplementationOnce(async (given: string) => {
    appendFileSync(path, given.slice(0, given.indexOf('\n') + 3));
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  await expect(lines.append(['two', 'three'])).rejects.toThrow('no space left on the device');
  expect(full).toHaveBeenCalledOnce();
  expect(text()).toBe('one\ntwo\nth');
  await lines.append(['two', 'three']);
  expect(text()).toBe('one\ntwo\nthree\n');
});

it('lines are written to the start of a file that was emptied in the meantime', async () => {
  await lines.append(['one']);
  writeFileSync(path, '');
  await lines.append(['two']);
  expect(text()).toBe('two\n');
});

it('lines go to a new file if the old one was moved or removed', async () => {
  await lines.append(['one']);
  renameSync(path, `${path}.1`);
  await lines.append(['two']);
  expect(text()).toBe('two\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\n');
  rmSync(path);
  await lines.append(['three']);
  expect(text()).toBe('three\n');
});

it('an error in one line says why the file cannot be opened', async () => {
  lines = new AppendedLines(join(folder, 'away', 'lines.ndjson'));
  await expect(lines.open()).rejects.toThrow(/^cannot write .*away.lines\.ndjson: no such file$/);
  expect(existsSync(join(folder, 'away'))).toBe(false);
});
