import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersOf, type SourceFile } from './source-files.js';

/** More files than these are not taken in at a glance. */
const ROOM = 14;
const WORDS = 60;

/** Folders that do not say in two lines what lives there and what does not, or hold too much. */
export function roomFaults(root: string, files: ReadonlyMap<string, SourceFile>): string[] {
  return [...foldersOf(files)].flatMap(([folder, count]) => {
    const faults: string[] = [];
    const readme = join(root, 'src', folder, 'README.md');
    if (count > ROOM) faults.push(`src/${folder} holds ${count} files, more than ${ROOM}`);
    if (!existsSync(readme)) return [...faults, `src/${folder} has no README.md`];
    const lines = readFileSync(readme, 'utf8').trim().split('\n');
    if (lines.length !== 2) faults.push(`src/${folder}/README.md has ${lines.length} lines, not 2`);
    const words = lines.join(' ').split(/\s+/).length;
    if (words > WORDS)
      faults.push(`src/${folder}/README.md has ${words} words, more than ${WORDS}`);
    return faults;
  });
}
