import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileCheckpointStore } from '../../src/adapters/files/checkpoint-store.js';
import { FileMarkStore } from '../../src/adapters/files/mark-store.js';
import { MemoryMarkStore } from '../../src/adapters/memory/mark-store.js';
import { markStoreContract } from './mark-store.js';

function aFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-marks-'));
  return { folder, close: async () => rmSync(folder, { recursive: true }) };
}

markStoreContract('memory', async () => {
  const cell = { marks: [] };
  return { open: () => new MemoryMarkStore(cell), close: async () => {} };
});

markStoreContract('a folder', async () => {
  const { folder, close } = aFolder();
  // It is made with the first mark.
  return { open: () => new FileMarkStore(join(folder, 'state')), close };
});

it('a damaged file of marks is named in the error and accepts no mark', async () => {
  const { folder, close } = aFolder();
  const store = new FileMarkStore(folder);
  for (const text of [
    '{"schema":"unskew/marks@1","mar',
    '{"schema":"unskew/marks@9","marks":[]}',
  ]) {
    writeFileSync(join(folder, 'marks.json'), text);
    await expect(store.all()).rejects.toMatchObject({
      code: 'STATE',
      message: expect.stringMatching(
        /marks\.json is not a file of marks of this version: remove it$/,
      ),
    });
    const mark = { id: 'a', time: 1, kind: 'note', text: 'x' } as const;
    await expect(store.add(mark)).rejects.toMatchObject({ code: 'STATE' });
  }
  writeFileSync(join(folder, 'marks.json'), '{"schema":"unskew/marks@1","marks":[]}');
  await store.add({ id: 'a', time: 1, kind: 'note', text: 'x' });
  expect(await store.all()).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['marks.json']);
  // Checkpoints in the same folder take no notice of it.
  expect(await new FileCheckpointStore(folder).partitions()).toEqual([]);
  await close();
});
