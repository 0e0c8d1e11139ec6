import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EVENT_FILE } from '../../adapters/files/file-form.js';
import { UnskewError } from '../../errors.js';

/**
 * Expand paths to files. A folder stands for all event files in it and below, ordered by name. `*`,
 * `?` and `**` match names, unless a file has exactly that name. Both skip names that begin with a
 * dot or an underscore, which tables use for metadata.
 *
 * @throws UnskewError FILE for a folder without event files, and for a pattern that nothing matches
 */
export function eventPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (path === '-') return [path];
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      return someOf(filesBelow(path), `cannot read ${path}: the folder has no event file`);
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

/**
 * Files below a folder that match a pattern. The parts of the pattern are compared with a file's
 * path from that folder.
 */
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

/** Entries of a folder in the order of their names; empty if it cannot be read. */
function entriesOf(folder: string): Entry[] {
  try {
    return readdirSync(folder)
      .filter((name) => !/^[._]/.test(name))
      .sort()
      .map((name) => ({
        name,
        isFolder: statSync(join(folder, name)).isDirectory(),
      }));
  } catch (error) {
    throw new UnskewError('FILE', `cannot read ${folder}: ${(error as Error).message}`);
  }
}

/** Event files given on the command line. */
export interface EventFlags {
  readonly events?: string[];
  readonly train?: string[];
}

/**
 * Collect the files to read, given with or without their flag.
 *
 * @throws UnskewError USAGE if there are none, or standard input is to be read twice
 */
export function eventFiles(
  files: readonly string[],
  { events = [], train = [] }: EventFlags,
): readonly string[] {
  const all = [...files, ...events];
  if (all.length === 0 && train.length > 1) {
    throw new UnskewError(
      'USAGE',
      `nothing to evaluate: --train takes all files after it (${train.join(', ')}). Put the files to evaluate before it, or name them with --events`,
    );
  }
  if (all.length === 0) {
    throw new UnskewError('USAGE', "required option '--events <files...>' not specified");
  }
  // Standard input can be read only once.
  if ([...train, ...all].filter((path) => path === '-').length > 1) {
    throw new UnskewError('USAGE', 'standard input (-) can be read only once: name it once');
  }
  return eventPaths(all);
}

/**
 * Reject values of `--html` and `--out` that would overwrite an event file.
 *
 * @throws UnskewError USAGE if the path is a file that is read, if the path of `--html` has the
 * name of an event file, or if the path of `--out` does not have the name of a Parquet or CSV file
 */
export function refuseToReplace(
  {
    html,
    out,
  }: {
    readonly html?: string | undefined;
    readonly out?: string | undefined;
  },
  read: readonly string[],
): void {
  if (out !== undefined && !/\.(parquet|csv(\.gz)?)$/.test(out)) {
    throw new UnskewError('USAGE', `--out ${out}: the name must end in .parquet, .csv or .csv.gz`);
  }
  for (const [flag, path] of Object.entries({ html, out })) {
    if (path === undefined) continue;
    const isRead = read.some((each) => each !== '-' && place(each) === place(path));
    if (isRead || (flag === 'html' && EVENT_FILE.test(path))) {
      const what = flag === 'html' ? 'report' : 'table';
      throw new UnskewError(
        'USAGE',
        `--${flag} would write its ${what} over the event file ${path}`,
      );
    }
  }
}

/** Absolute path of a file, with links resolved if it exists. */
function place(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}
