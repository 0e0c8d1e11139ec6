import { basename, dirname } from 'node:path';

/** Files that are parts of one table and share a mapping. */
export interface FileGroup {
  /** Pattern that matches the files' names, as a key of `events.files`. */
  readonly name: string;
  readonly paths: readonly string[];
}

/**
 * Matches the part number in the name of a table's file: a UUID of a run, three numbers joined by
 * underscores, or at least 4 digits.
 */
const PART_NUMBER = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=[-_])\d+_\d+_\d+(?=\.)|\d{4,}/gi;

/**
 * Group files that are parts of one table: files in folders such as `day=2026-01-01` of the same
 * parent, or files whose names differ only in the part number.
 *
 * @example
 * groupsOf(['a/day=1/part-0001.csv', 'a/day=2/part-0002.csv'])[0].name; // 'part-*.csv'
 */
export function groupsOf(paths: readonly string[]): readonly FileGroup[] {
  const tables = new Map<string, string[]>();
  for (const path of paths) {
    const key = `${tableFolder(path)}/${partName(path)}`;
    tables.set(key, [...(tables.get(key) ?? []), path]);
  }
  const names = [...tables.keys()].map((key) => basename(key));
  return [...tables].map(([key, own]) => {
    const isAlone = names.filter((name) => name === basename(key)).length === 1;
    const [first = ''] = own;
    if (own.length === 1 && isAlone) {
      return {
        name: first,
        paths: own,
      };
    }
    const folder = basename(dirname(key));
    return {
      name: isAlone ? basename(key) : `${folder}/*${basename(key)}`,
      paths: own,
    };
  });
}

/** Folder of a table: the file's folder, above those such as `day=2026-01-01`. */
function tableFolder(path: string): string {
  const folder = dirname(path);
  return basename(folder).includes('=') ? tableFolder(folder) : folder;
}

function partName(path: string): string {
  return basename(path).replace(PART_NUMBER, '*');
}
