import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SetStorage } from '../../src/export/ports.js';

export interface SetStorageHarness {
  /** Storage with nothing in it. */
  storage(): Promise<SetStorage>;
  /** Everything that lies in the storage, complete or not. */
  contents(storage: SetStorage): Promise<string[]>;
}

const utf8 = new TextEncoder();

async function fill(storage: SetStorage, name: string, files: Record<string, string>) {
  const draft = await storage.create(name);
  const written = [];
  for (const [file, text] of Object.entries(files)) {
    const open = await draft.file(file);
    await open.write(utf8.encode(text));
    written.push(await open.close());
  }
  return { draft, written };
}

async function text(storage: SetStorage, name: string, file: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of storage.read(name, file)) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** What every place for sets does. */
export function setStorageContract(name: string, harness: SetStorageHarness): void {
  describe(`sets in ${name}`, () => {
    it('are read back unchanged, and report the size and hash of each file', async () => {
      const storage = await harness.storage();
      const files = { 'test.csv': 'a,b\n1,2\n', 'report.html': '<p>é</p>' };
      const { draft, written } = await fill(storage, 'one', files);
      await draft.commit('{"is":"manifest"}\n');
      expect(await text(storage, 'one', 'manifest.json')).toBe('{"is":"manifest"}\n');
      for (const [file, content] of Object.entries(files)) {
        expect(await text(storage, 'one', file)).toBe(content);
        expect(written).toContainEqual({
          name: file,
          bytes: Buffer.byteLength(content),
          sha256: createHash('sha256').update(content).digest('hex'),
        });
      }
    });

    it('keep a file that is written in many parts intact', async () => {
      const storage = await harness.storage();
      const draft = await storage.create('large');
      const file = await draft.file('test.csv');
      const hash = createHash('sha256');
      for (let part = 0; part < 40; part++) {
        const bytes = new Uint8Array(500_000).fill(part);
        hash.update(bytes);
        await file.write(bytes);
      }
      const { bytes, sha256 } = await file.close();
      await draft.commit('{}');
      expect({ bytes, sha256 }).toEqual({ bytes: 20_000_000, sha256: hash.digest('hex') });
      const found = createHash('sha256');
      for await (const part of storage.read('large', 'test.csv')) found.update(part);
      expect(found.digest('hex')).toBe(sha256);
    });

    it('are listed in order, and only once they are complete', async () => {
      const storage = await harness.storage();
      expect(await storage.list()).toEqual([]);
      const second = await fill(storage, '2026-01-02', { 'test.csv': 'x' });
      const first = await fill(storage, '2026-01-01', { 'test.csv': 'x' });
      expect(await storage.list()).toEqual([]);
      await second.draft.commit('{}');
      expect(await storage.list()).toEqual(['2026-01-02']);
      await first.draft.commit('{}');
      expect(await storage.list()).toEqual(['2026-01-01', '2026-01-02']);
    });

    it('cannot be read before they are complete', async () => {
      const storage = await harness.storage();
      await fill(storage, 'one', { 'test.csv': 'x' });
      for (const file of ['test.csv', 'manifest.json']) {
        await expect(text(storage, 'one', file)).rejects.toMatchObject({ code: 'FILE' });
      }
    });

    it('leave nothing behind when they are aborted', async () => {
      const storage = await harness.storage();
      const { draft } = await fill(storage, 'one', { 'test.csv': 'x' });
      await (await draft.file('open.csv')).write(utf8.encode('y'));
      await draft.abort();
      expect(await harness.contents(storage)).toEqual([]);
      const { draft: next } = await fill(storage, 'one', { 'test.csv': 'z' });
      await next.commit('{}');
      expect(await text(storage, 'one', 'test.csv')).toBe('z');
    });

    it('cannot be replaced once they are complete', async () => {
      const storage = await harness.storage();
      const { draft } = await fill(storage, 'one', { 'test.csv': 'x' });
      await draft.commit('{}');
      await expect(storage.create('one')).rejects.toMatchObject({ code: 'SET' });
      expect(await text(storage, 'one', 'test.csv')).toBe('x');
    });

    it('are removed completely, and removing a missing set is not an error', async () => {
      const storage = await harness.storage();
      const { draft } = await fill(storage, 'one', { 'test.csv': 'x' });
      await draft.commit('{}');
      const other = await fill(storage, 'one-more', { 'test.csv': 'x' });
      await other.draft.commit('{}');
      await storage.remove('one');
      await storage.remove('never');
      expect(await storage.list()).toEqual(['one-more']);
      expect((await harness.contents(storage)).every((path) => path.includes('one-more'))).toBe(
        true,
      );
    });

    it('name a missing file in the error', async () => {
      const storage = await harness.storage();
      const { draft } = await fill(storage, 'one', { 'test.csv': 'x' });
      await draft.commit('{}');
      await expect(text(storage, 'one', 'other.csv')).rejects.toThrow(/other\.csv/);
    });
  });
}
