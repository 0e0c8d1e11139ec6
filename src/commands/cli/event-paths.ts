import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';

const EVENT_FILE = /\.(parquet|(nd)?jsonl?(\.gz)?)$/i;

/**
 * The files that paths stand for: a folder for all event files in it and below, in the order of
 * their names; `*`, `?` and `**` for what they match, where no file has the very name. Names that
 * begin with a dot or an underscore are left out of both, as tables have their notes there.
 *
 * @throws UnskewError FILE for a folder without event files, and for a pattern that nothing matches
 */
export function eventPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (path === '-') return [path];
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      return someOf(filesBelow(path), `cannot read ${path}: no event file is in this folder`);
    }
    if (found !== undefined || !/[*?]/.test(path)) return [path];
    return someOf(matching(path), `cannot read ${path}: no file matches`);
  });
}

function someOf(files: string[], otherwise: string): string[] {
  if (files.length === 0) throw new UnskewError('FILE', otherwise);
  return files;
}

function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFolder) return filesBelow(path);
    return EVENT_FILE.test(entry.name) ? [path] : [];
  });
}

function matching(pattern: string): string[] {
  const isAbsolute = pattern.startsWith('/');
  const parts = pattern.split('/').filter((part) => part !== '');
  return found(isAbsolute ? '/' : '', parts);
}

/** Files below a folder whose further path fits the parts of a pattern. */
function found(folder: string, [part, ...rest]: readonly string[]): string[] {
  if (part === '**') {
    const below = entriesOf(folder || '.').filter(({ isFolder }) => isFolder);
    const deeper = below.flatMap(({ name }) => found(join(folder, name), ['**', ...rest]));
    return [...found(folder, rest.length === 0 ? ['*'] : rest), ...deeper];
  }
  const isLast = rest.length === 0;
  if (!/[*?]/.test(part)) {
    const path = join(folder, part);
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry === undefined || entry.isDirectory() === isLast) return [];
    return isLast ? [path] : found(path, rest);
  }
  const expression = new RegExp(
    `^${part
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );
  return entriesOf(folder || '.')
    .filter(({ name, isFolder }) => expression.test(name) && isFolder !== isLast)
    .flatMap(({ name }) => (isLast ? [join(folder, name)] : found(join(folder, name), rest)));
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** What is in a folder, by name; nothing where it cannot be seen. */
function entriesOf(folder: string): Entry[] {
  try {
    return readdirSync(folder)
      .filter((name) => !/^[._]/.test(name))
      .sort()
      .map((name) => ({ name, isFolder: statSync(join(folder, name)).isDirectory() }));
  } catch (error) {
    throw new UnskewError('FILE', `cannot read ${folder}: ${(error as Error).message}`);
  }
}
