import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Find the package's own folder: the nearest one above this module with a package.json. The result
 * is the same for sources, build output and bundles, although their depths differ.
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
