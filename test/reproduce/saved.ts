import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Table } from './table.js';

const FILE = new URL('saved.json', import.meta.url);

/** Tables as they came out when they were saved last, by name of the reproduction. */
export type SavedTables = Readonly<Record<string, readonly Table[]>>;

export function savedTables(): SavedTables {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as SavedTables) : {};
}

/** Replaces those of a name. @param order of all names */
export function saveTables(name: string, tables: readonly Table[], order: readonly string[]): void {
  const all = { ...savedTables(), [name]: tables };
  const names = order.filter((each) => all[each] !== undefined);
  const sorted = Object.fromEntries(names.map((each) => [each, all[each]]));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Rows whose number is another than the saved one. */
export function movedRows(name: string, tables: readonly Table[]): string[] {
  const before = (savedTables()[name] ?? []).flatMap(({ rows }) => rows);
  const now = tables.flatMap(({ rows }) => rows);
  if (now.length !== before.length) return [`${now.length} rows, not ${before.length} as saved`];
  return now
    .filter((row, r) => before[r]?.what !== row.what || before[r]?.ours !== row.ours)
    .map(({ what, ours }) => `${what}: ${ours}, not as saved`);
}
