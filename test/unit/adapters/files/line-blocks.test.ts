import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lineBlocks } from '../../../../src/adapters/files/line-blocks.js';
import { LineSplitter } from '../../../../src/adapters/files/line-splitter.js';
import { readLines } from '../../../../src/adapters/files/lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-blocks-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Line = [line: number, text: string];
const text = (bytes: Uint8Array, start: number, end: number) =>
  Buffer.from(bytes.subarray(start, end)).toString('latin1');

async function linesOfBlocks(path: string, maxLineBytes: number, blockBytes: number) {
  const lines: Line[] = [];
  let before = 0;
  for await (const { bytes, length } of lineBlocks(path, { maxLineBytes, blockBytes })) {
    const splitter = new LineSplitter((line, start, end, number) => {
      lines.push([before + number, text(line, start, end)]);
    }, maxLineBytes);
    splitter.scan(bytes.subarray(0, length), 0);
    splitter.end();
    before += splitter.lines;
  }
  return lines;
}

async function linesOf(path: string, maxLineBytes: number): Promise<Line[]> {
  const lines: Line[] = [];
  const take = (bytes: Uint8Array, start: number, end: number, line: number) => {
    lines.push([line, text(bytes, start, end)]);
  };
  await readLines(path, take, { maxLineBytes });
  return lines;
}

describe('lineBlocks', () => {
  const content = fc
    .array(fc.constantFrom('a', 'bc', '\n', '\n', '\r\n', 'x'.repeat(9)), { maxLength: 60 })
    .map((pieces) => Buffer.from(pieces.join('')));

  it('gives block by block the lines that the file has, the cut ones among them', async () => {
    const sizes = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(content, sizes, sizes, fc.boolean(), async (bytes, max, block, gzipped) => {
        const path = join(folder, gzipped ? 'events.gz' : 'events');
        await writeFile(path, gzipped ? gzipSync(bytes) : bytes);
        expect(await linesOfBlocks(path, max, block)).toEqual(await linesOf(path, max));
      }),
    );
  });

  it('makes no block larger than it was asked for, or than the longest line', async () => {
    const path = join(folder, 'long');
    await writeFile(path, `${'x'.repeat(5000)}\n${'y\n'.repeat(5000)}`);
    for await (const { bytes } of lineBlocks(path, { maxLineBytes: 100, blockBytes: 256 })) {
      expect(bytes.length).toBe(256);
    }
  });

  it('says in one line that a file is not there, or that its gzip data end too early', async () => {
    const options = { maxLineBytes: 100 };
    const absent = lineBlocks(join(folder, 'absent'), options).next();
    await expect(absent).rejects.toThrow(/^cannot read .*absent: no such file$/);
    const path = join(folder, 'cut.gz');
    await writeFile(path, gzipSync('abc\n'.repeat(1000)).subarray(0, 30));
    const cut = lineBlocks(path, options).next();
    await expect(cut).rejects.toThrow(/^cannot read .*cut\.gz: the gzip data ends too early$/);
  });
});
