import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SetFolder } from '../../src/adapters/files/set-folder.js';
import { setStorageContract } from './set-storage.js';

const root = mkdtempSync(join(tmpdir(), 'unskew-sets-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const fresh = () => join(root, `${folders++}`, 'sets');

setStorageContract('a folder', {
  storage: async () => new SetFolder(fresh()),
  contents: async ({ place }) => readdir(place).catch(() => []),
});

describe('a folder of sets', () => {
  it('is rid of what a run left long ago, and not of what another one is at', async () => {
    const storage = new SetFolder(fresh());
    const [old, recent] = ['.partial-old', '.partial-recent'].map((name) =>
      join(storage.place, 'one', name),
    );
    for (const path of [old, recent]) await mkdir(path, { recursive: true });
    await utimes(old, new Date(0), new Date(0));
    const draft = await storage.create('one');
    await draft.commit('{}');
    expect((await readdir(join(storage.place, 'one'))).sort()).toEqual([
      '.partial-recent',
      'manifest.json',
    ]);
  });

  it('says where it cannot be written', async () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    const storage = new SetFolder(join(file, 'sets'));
    await expect(storage.create('one')).rejects.toMatchObject({ code: 'FILE' });
  });
});
