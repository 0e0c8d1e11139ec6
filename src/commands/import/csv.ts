import { readCsv } from '../../adapters/files/csv-events.js';
import { UnskewError } from '../../errors.js';

/** One row of a published table, with access by column name. Errors name the row. */
export class CsvRow<Column extends string> {
  constructor(
    private readonly path: string,
    private readonly row: number,
    private readonly fields: readonly string[],
    private readonly index: ReadonlyMap<Column, number>,
  ) {}

  /** Get a text field. @throws UnskewError FILE if the field is empty */
  text(column: Column): string {
    const text = this.fields[this.index.get(column) as number];
    if (text === '') {
      this.refuse(`${column} is empty`);
    }
    return text;
  }

  /** Get a number field. @throws UnskewError FILE if the field is not a number within the bounds */
  number(column: Column, least: number, most: number): number {
    const text = this.text(column);
    const value = Number(text);
    // Number('  ') is 0.
    if (text.trim() === '' || !(value >= least && value <= most)) {
      this.refuse(
        `${column} is ${JSON.stringify(text)}, expected a number from ${least} to ${most}`,
      );
    }
    return value;
  }

  refuse(what: string): never {
    throw new UnskewError('FILE', `${this.path}:${this.row}: ${what}`);
  }
}

/** Maximum length of a row, bytes. */
const MOST_ROW_BYTES = 1 << 20;

/**
 * Read a published table.
 *
 * @param columns the columns to read; others are ignored
 * @throws UnskewError FILE if the file cannot be read, a column is missing, or the number of fields
 * differs between rows
 */
export async function readPublished<Column extends string>(
  path: string,
  columns: readonly Column[],
  onRow: (row: CsvRow<Column>) => void,
): Promise<void> {
  await readCsv(path, { maxRowBytes: MOST_ROW_BYTES }, (names) => {
    const index = new Map(columns.map((column) => [column, names.indexOf(column)]));
    const missing = columns.find((column) => index.get(column) === -1);
    if (missing !== undefined) {
      const why = `there is no column ${missing}; give the file as it is published`;
      throw new UnskewError('FILE', `${path}:1: ${why}`);
    }
    return { take: (cells, row) => onRow(new CsvRow(path, row, cells, index)) };
  });
}
