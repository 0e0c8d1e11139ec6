import { UnskewError } from '../../errors.js';
import type { Cell, Table } from './read-table.js';

/** Features of users or items by number. */
export interface FeatureRows {
  readonly names: readonly string[];
  readonly rows: readonly Float64Array[];
}

/** A text with more values is an id or prose, not a category. */
const MOST_CATEGORIES = 100;

/**
 * Columns of numbers as they are, columns of texts as one column of 0 and 1 for each text.
 *
 * @param ids in the order of the rows. @param what they are, in the plural.
 * @throws UnskewError FILE for a column that is the same everywhere, for one of more than 100 texts,
 * and for an id without a row.
 */
export function featureRows(table: Table, ids: readonly string[], what: string): FeatureRows {
  const missing = ids.filter((id) => !table.rows.has(id));
  if (missing.length > 0) {
    const others = missing.length === 1 ? '' : ` and ${missing.length - 1} other ${what}`;
    throw new UnskewError(
      'FILE',
      `${table.path}: there is no row for ${JSON.stringify(missing[0])}${others} of the events`,
    );
  }
  const encoded = table.columns.flatMap((name, column) =>
    encodedColumn(
      table,
      name,
      ids.map((id) => table.rows.get(id)![column]),
    ),
  );
  return {
    names: encoded.map(({ name }) => name),
    rows: ids.map((_, row) => Float64Array.from(encoded, ({ values }) => values[row])),
  };
}

function encodedColumn({ path }: Table, name: string, cells: readonly Cell[]) {
  const distinct = [...new Set(cells.map(String))].sort((a, b) => (a < b ? -1 : 1));
  if (distinct.length === 1) {
    throw new UnskewError(
      'FILE',
      `${path}: ${name} is ${JSON.stringify(distinct[0])} everywhere, which says nothing: leave the column out`,
    );
  }
  if (distinct.every(isNumber)) return [{ name, values: Float64Array.from(cells, Number) }];
  if (distinct.length > MOST_CATEGORIES) {
    throw new UnskewError(
      'FILE',
      `${path}: ${name} has ${distinct.length} different texts, at most ${MOST_CATEGORIES}`,
    );
  }
  return distinct.map((text) => ({
    name: `${name}=${text}`,
    values: Float64Array.from(cells, (cell) => Number(String(cell) === text)),
  }));
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
