import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The same program as another version of it, in a folder.
 *
 * @returns the path of its script
 */
export async function asVersion(version: string, folder: string): Promise<string> {
  const root = join(folder, version);
  await mkdir(root, { recursive: true });
  const given = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as object;
  await writeFile(join(root, 'package.json'), JSON.stringify({ ...given, version }));
  await cp(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return join(root, 'dist', 'main.js');
}
