import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLines } from '../../../../src/adapters/files/lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-lines-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Line = [line: number, text: string];

async function linesOf(
  content: string | Uint8Array,
  options: { name?: string; maxLineBytes?: number; slow?: boolean } = {},
): Promise<Line[]> {
  const path = join(folder, options.name ?? 'events.ndjson');
  await writeFile(path, content);
  const lines: Line[] = [];
  await readLines(
    path,
    (bytes, start, end, line) => {
      lines.push([line, Buffer.from(bytes.subarray(start, end)).toString('utf8')]);
      if (options.slow) return new Promise((resolve) => setImmediate(resolve));
    },
    options.maxLineBytes === undefined ? {} : { maxLineBytes: options.maxLineBytes },
  );
  return lines;
}

describe('readLines', () => {
  it('counts blank lines but does not deliver them', async () => {
    expect(await linesOf('a\n\n\r\nb\r\n\nc')).toEqual([
      [1, 'a'],
      [4, 'b'],
      [6, 'c'],
    ]);
  });

  it('delivers a last line without a newline, and nothing after a trailing newline', async () => {
    expect(await linesOf('a\nb')).toHaveLength(2);
    expect(await linesOf('a\nb\n')).toHaveLength(2);
    expect(await linesOf('')).toEqual([]);
  });

  it('gunzips by the ending and by the magic bytes', async () => {
    const gzipped = gzipSync('{"a":1}\n{"b":2}\n');
    const expected = [
      [1, '{"a":1}'],
      [2, '{"b":2}'],
    ];
    expect(await linesOf(gzipped, { name: 'x.ndjson.gz' })).toEqual(expected);
    expect(await linesOf(gzipped, { name: 'misnamed.ndjson' })).toEqual(expected);
  });

  it('reads gzip members one after the other, as `cat a.gz b.gz` makes them', async () => {
    const both = Buffer.concat([gzipSync('a\n'), gzipSync('b\n')]);
    expect((await linesOf(both, { name: 'two.gz' })).map(([, text]) => text)).toEqual(['a', 'b']);
  });

  it('cuts an oversized line to one byte above the limit and goes on with the next', async () => {
    const huge = 'x'.repeat(700_000);
    const lines = await linesOf(`ok\n${huge}\nfine\nabcde\r\n`, { maxLineBytes: 5 });
    expect(lines).toEqual([
      [1, 'ok'],
      [2, 'xxxxxx'],
      [3, 'fine'],
      [4, 'abcde'],
    ]);
  });

  it('splits any text as a plain split does, wherever chunks end', async () => {
    const piece = fc.oneof(
      fc.constantFrom('', 'é', 'x'.repeat(3000), 'y'.repeat(262_143), '{"k":"v"}'),
      fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
    );
    const text = fc.array(fc.tuple(piece, fc.constantFrom('\n', '\r\n')), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (pairs, slow) => {
        const content = pairs.map(([line, newline]) => line + newline).join('');
        const expected = pairs
          .map(([line], index): Line => [index + 1, Buffer.from(line).toString('utf8')])
          .filter(([, line]) => line !== '');
        expect(await linesOf(content, { slow })).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it('waits for the promise of a handler before it delivers the next line', async () => {
    const path = join(folder, 'slow.ndjson');
    await writeFile(path, 'a\nb\nc\nd\n');
    let running = 0;
    let most = 0;
    await readLines(path, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
    });
    expect(most).toBe(1);
  });

  it('rethrows the error of a handler unchanged', async () => {
    const path = join(folder, 'throws.ndjson');
    await writeFile(path, 'a\nb\n');
    const mine = new Error('mine');
    const reading = readLines(path, () => {
      throw mine;
    });
    await expect(reading).rejects.toBe(mine);
  });

  it('reports progress up to the size of the file on the disk', async () => {
    const path = join(folder, 'progress.ndjson.gz');
    await writeFile(path, gzipSync('line\n'.repeat(200_000)));
    const seen: number[] = [];
    let total = 0;
    await readLines(path, () => {}, {
      onProgress: (read, of) => {
        seen.push(read);
        total = of;
      },
    });
    expect(total).toBe((await readFile(path)).length);
    expect(seen.at(-1)).toBe(total);
  });

  it.each([
    ['missing.ndjson', 'no such file'],
    ['.', 'it is a folder'],
  ])('says why it cannot read %s', async (name, meaning) => {
    const path = join(folder, name);
    await expect(readLines(path, () => {})).rejects.toMatchObject({
      code: 'FILE',
      message: `cannot read ${path}: ${meaning}`,
    });
  });

  it('refuses damaged and truncated gzip data', async () => {
    const whole = gzipSync(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251)));
    const truncated = linesOf(whole.subarray(0, whole.length - 12), { name: 'cut.gz' });
    await expect(truncated).rejects.toMatchObject({ code: 'FILE' });
    await expect(linesOf('not gzip', { name: 'plain.gz' })).rejects.toMatchObject({ code: 'FILE' });
  });
});
