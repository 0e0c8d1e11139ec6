/** What stands for a value that is absent, in the paths that Hive and Spark write. */
const ABSENT = '__HIVE_DEFAULT_PARTITION__';

/**
 * Columns that the folders of a path give: `day=2026-01-01` is the column `day`, as text.
 *
 * @example
 * pathColumns('log/type=exposure/day=2026-01-01/a.parquet').get('day'); // '2026-01-01'
 */
export function pathColumns(path: string): ReadonlyMap<string, string> {
  const columns = new Map<string, string>();
  for (const folder of path.split(/[\\/]/).slice(0, -1)) {
    const at = folder.indexOf('=');
    if (at < 1) continue;
    const value = decoded(folder.slice(at + 1));
    if (value !== ABSENT) columns.set(decoded(folder.slice(0, at)), value);
  }
  return columns;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
