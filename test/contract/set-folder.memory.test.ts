import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, symlink, utimes } from 'node:fs/promises';
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

describe('a folder that stores sets', () => {
  it('removes leftovers of old runs but keeps those of recent ones', async () => {
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

  it('does not follow links of a file, a set or a manifest', async () => {
    const secret = join(root, 'secret');
    await mkdir(secret, { recursive: true });
    for (const name of ['manifest.json', 'test.csv']) writeFileSync(join(secret, name), 'secret');
    const storage = new SetFolder(fresh());
    const make = async (name: string) => (await storage.create(name)).commit('{}');
    const reading = async (name: string, file: string) => {
      let text = '';
      for await (const part of storage.read(name, file)) text += Buffer.from(part).toString();
      return text;
    };
    await make('one');
    await symlink(join(secret, 'test.csv'), join(storage.place, 'one', 'test.csv'));
    await expect(reading('one', 'test.csv')).rejects.toMatchObject({ code: 'FILE' });
    await symlink(secret, join(storage.place, 'two'));
    await expect(reading('two', 'test.csv')).rejects.toMatchObject({ code: 'FILE' });
    await expect(reading('two', 'manifest.json')).rejects.toMatchObject({ code: 'FILE' });
    await mkdir(join(storage.place, 'three'));
    writeFileSync(join(storage.place, 'three', 'test.csv'), 'own');
    await symlink(join(secret, 'manifest.json'), join(storage.place, 'three', 'manifest.json'));
    await expect(reading('three', 'test.csv')).rejects.toMatchObject({ code: 'FILE' });
    await expect(reading('one', '.')).rejects.toMatchObject({ code: 'FILE' });
    expect(await reading('one', 'manifest.json')).toBe('{}');
  });

  it('may itself be reached through a link', async () => {
    const storage = new SetFolder(fresh());
    await (await storage.create('one')).commit('{}');
    const link = `${storage.place}-link`;
    await symlink(storage.place, link);
    const parts: Uint8Array[] = [];
    for await (const part of new SetFolder(link).read('one', 'manifest.json')) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('{}');
  });

  it('reports a path that cannot be written', async () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    const storage = new SetFolder(join(file, 'sets'));
    await expect(storage.create('one')).rejects.toMatchObject({ code: 'FILE' });
  });
});
