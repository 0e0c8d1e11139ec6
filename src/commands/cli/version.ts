import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../adapters/files/package-folder.js';

/** The package's version, from the file that says it to npm too. */
export function packageVersion(): string {
  const file = join(packageFolder(), 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
