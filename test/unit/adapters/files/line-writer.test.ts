import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLineWriter } from '../../../../src/adapters/files/line-writer.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-writer-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a line writer', () => {
  it('writes its lines in order, each with a newline', async () => {
    const writer = await openLineWriter(join(folder, 'out.ndjson'));
    const lines = Array.from({ length: 50_000 }, (_, i) => `{"n":${i},"é":"ü"}`);
    for (const line of lines) await writer.write(line);
    await writer.close();
    expect(await readFile(join(folder, 'out.ndjson'), 'utf8')).toBe(`${lines.join('\n')}\n`);
  });

  it('compresses if the name ends in .gz', async () => {
    const path = join(folder, 'out.ndjson.gz');
    const writer = await openLineWriter(path);
    await writer.write('a');
    await writer.write('b');
    await writer.close();
    expect(gunzipSync(await readFile(path)).toString()).toBe('a\nb\n');
  });

  it('creates an empty file if no line is written', async () => {
    const path = join(folder, 'empty.ndjson');
    await (await openLineWriter(path)).close();
    expect(await readFile(path, 'utf8')).toBe('');
  });

  it('shows the file under its name only when it is complete', async () => {
    const path = join(folder, 'out.ndjson');
    const writer = await openLineWriter(path);
    for (let i = 0; i < 50_000; i++) await writer.write('a line');
    expect(await readdir(folder)).not.toContain('out.ndjson');
    await writer.close();
    expect(await readdir(folder)).toEqual(['out.ndjson']);
  });

  it('leaves no file behind when it is aborted', async () => {
    const writer = await openLineWriter(join(folder, 'out.ndjson'));
    for (let i = 0; i < 20_000; i++) await writer.write('a line');
    await writer.abort();
    expect(await readdir(folder)).toEqual([]);
  });

  it('returns a promise while the disk is behind', async () => {
    const writer = await openLineWriter(join(folder, 'out.ndjson'));
    let waits = 0;
    for (let i = 0; i < 20_000; i++) {
      const pending = writer.write('x'.repeat(100));
      if (pending) waits++;
      await pending;
    }
    await writer.close();
    expect(waits).toBeGreaterThan(0);
  });

  it('says at once that the folder is missing', async () => {
    const path = join(folder, 'no', 'out.ndjson');
    await expect(openLineWriter(path)).rejects.toMatchObject({
      code: 'FILE',
      message: `cannot write ${path}: no such file`,
    });
  });

  it('rejects a path that is a folder, and leaves no file behind', async () => {
    const path = join(folder, 'taken');
    await mkdir(path);
    const writer = await openLineWriter(path);
    await writer.write('a');
    await expect(writer.close()).rejects.toMatchObject({ code: 'FILE' });
    expect(await readdir(folder)).toEqual(['taken']);
  });
});
