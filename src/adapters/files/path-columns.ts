import type { EventFields } from '../../events/found.js';
import type { CompiledMapping } from '../../events/mapping/mapping.js';

/** Folder value by which Hive and Spark write null. */
const ABSENT = '__HIVE_DEFAULT_PARTITION__';

/**
 * Partition columns in the folders of a path, as text: `day=2026-01-01` is the column `day`.
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
    if (value !== ABSENT) {
      columns.set(decoded(folder.slice(0, at)), value);
    }
  }
  return columns;
}

/**
 * Values of the partition columns that the table itself does not have. The reader of each column
 * converts its value.
 *
 * @param partitions the columns of `pathColumns`
 * @param names the table's own columns
 */
export function partitionCells(
  partitions: ReadonlyMap<string, string>,
  names: readonly string[],
  readers: ReadonlyMap<string, (cell: unknown) => unknown>,
): Readonly<Record<string, unknown>> {
  const cells: Record<string, unknown> = {};
  for (const [name, text] of partitions) {
    const read = names.includes(name) ? undefined : readers.get(name);
    if (read !== undefined) {
      cells[name] = read(text);
    }
  }
  return cells;
}

/** Copy the columns of an unmapped row that have the name of a dimension into its `segments`. */
export function withSegments(
  event: EventFields,
  dimensions: readonly string[],
  mapping: CompiledMapping | undefined,
): EventFields {
  if (dimensions.length === 0 || mapping !== undefined) return event;
  const own = dimensions.flatMap((name) => {
    const value = event[name];
    return value === undefined || value === null ? [] : [[name, String(value)] as const];
  });
  if (own.length === 0) return event;
  const { segments } = event;
  const stated = typeof segments === 'object' && segments !== null ? segments : {};
  return {
    ...event,
    segments: {
      ...Object.fromEntries(own),
      ...stated,
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
