import { CsvFault, CsvRows } from '../../adapters/files/csv-rows.js';
import { readLines } from '../../adapters/files/lines.js';
import { UnskewError } from '../../errors.js';

/** Features of users or items as numbers: names of the columns, and one row per user or item. */
export interface FeatureRows {
  readonly names: readonly string[];
  readonly rows: readonly Float64Array[];
}

/** Most distinct texts in a column of categories; a column with more contains ids or prose. */
const MOST_CATEGORIES = 100;

/**
 * Build features from a table: columns of numbers are unchanged, and a column of texts becomes one
 * column of 0 and 1 per text (one-hot).
 *
 * @param ids ids of users or items, in the order of the rows to build
 * @param what plural noun for the ids, for messages
 * @throws UnskewError FILE for a column with a single value, for one with more than 100 texts, and
 * for an id without a row.
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
      `${path}: ${name} is ${JSON.stringify(distinct[0])} in every row, so it predicts nothing: remove this column`,
    );
  }
  if (distinct.every(isNumber)) {
    return [
      {
        name,
        values: Float64Array.from(cells, Number),
      },
    ];
  }
  if (distinct.length > MOST_CATEGORIES) {
    throw new UnskewError(
      'FILE',
      `${path}: ${name} has ${distinct.length} different texts, more than the ${MOST_CATEGORIES} allowed`,
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

/** Cell of a table of features: a number, or the name of a category. */
export type Cell = number | string;

/** Table of features of users or items, as read from a file. */
export interface Table {
  readonly path: string;
  readonly columns: readonly string[];
  /** Cells by id, in the order of the columns. */
  readonly rows: ReadonlyMap<string, readonly Cell[]>;
}

/**
 * Read a table of users or items: CSV with a line of names and the id in the first column; or
 * NDJSON (`.ndjson`, `.jsonl`, each also with `.gz`) with one object per line that has an `id`.
 *
 * @throws UnskewError FILE, with the line, for an unreadable line, an empty cell, a repeated id,
 * and a row without a column that other rows have.
 */
export async function readTable(path: string): Promise<Table> {
  const isJson = /\.(ndjson|jsonl)(\.gz)?$/.test(path);
  let columns: readonly string[] | undefined;
  const rows = new Map<string, readonly Cell[]>();
  await readLines(path, (bytes, start, end, line) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
    if (text.trim() === '') return;
    const refuse = (what: string): never => {
      throw new UnskewError('FILE', `${path}:${line}: ${what}`);
    };
    const fields = isJson ? undefined : csvRow(text.replace(/^\uFEFF/, ''), refuse);
    if (fields !== undefined && columns === undefined) {
      columns = fields.slice(1);
      return;
    }
    const object = fields === undefined ? jsonRow(text, refuse) : undefined;
    columns ??= Object.keys(object!).filter((name) => name !== 'id');
    const [id, cells] =
      fields === undefined
        ? jsonCells(object!, columns, refuse)
        : csvCells(fields, columns, refuse);
    if (rows.has(id)) {
      refuse(`${JSON.stringify(id)} is there twice`);
    }
    rows.set(id, cells);
  });
  if (columns === undefined || rows.size === 0) {
    throw new UnskewError('FILE', `${path}: the table is empty`);
  }
  if (columns.length === 0) {
    throw new UnskewError('FILE', `${path}: the table has no column other than the id`);
  }
  return {
    path,
    columns,
    rows,
  };
}

type Refuse = (what: string) => never;

function csvRow(text: string, refuse: Refuse): string[] {
  return csvFields(text) ?? refuse('a quoted field has no closing quote');
}

function csvCells(fields: string[], columns: readonly string[], refuse: Refuse) {
  if (fields.length !== columns.length + 1) {
    refuse(`${fields.length} fields, expected ${columns.length + 1}`);
  }
  const [id, ...rest] = fields;
  if (id === '') {
    refuse('the id is empty');
  }
  rest.forEach((field, column) => {
    if (field === '') {
      refuse(`${columns[column]} is empty`);
    }
  });
  return [id, rest] as const;
}

function jsonRow(text: string, refuse: Refuse): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('not JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  return refuse('not an object');
}

function jsonCells(
  row: Readonly<Record<string, unknown>>,
  columns: readonly string[],
  refuse: Refuse,
) {
  const { id } = row;
  if (typeof id !== 'string' || id === '') return refuse('id is missing or not a string');
  const extra = Object.keys(row).find((name) => name !== 'id' && !columns.includes(name));
  if (extra !== undefined) return refuse(`the first line has no ${extra}`);
  const cells = columns.map((name): Cell => {
    const cell = row[name];
    if (typeof cell === 'boolean') return Number(cell);
    if (typeof cell === 'number' || (typeof cell === 'string' && cell !== '')) return cell;
    return refuse(`${name} is missing, expected a number, a text, true or false`);
  });
  return [id, cells] as const;
}

/**
 * Split one line of a comma-separated table. A field in double quotes may contain commas, and two
 * quotes for one.
 *
 * @returns undefined if a quote is not closed, or something follows it.
 */
export function csvFields(line: string): string[] | undefined {
  try {
    const rows = new CsvRows({
      delimiter: ',',
      escape: '"',
    });
    rows.next(Buffer.from(line), 0, true);
    return rows.cells;
  } catch (error) {
    if (error instanceof CsvFault) return undefined;
    throw error;
  }
}
