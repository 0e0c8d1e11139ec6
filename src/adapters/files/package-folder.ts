import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The package's own folder: the nearest above this module that has a package.json. So it is the
 * same from the sources, from what is built of them, and from a bundle, which lie at different
 * depths.
 *
 * @throws Error when no folder above has one
 * @example packageFolder().endsWith('src'); // false
 */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error(`no package.json above ${import.meta.url}`);
    folder = above;
  }
  return folder;
}
