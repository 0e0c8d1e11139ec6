import { readLines } from '../../adapters/files/lines.js';
import { UnskewError } from '../../errors.js';

/** One row of a table by column name; knows where it stands, for errors. */
export class CsvRow<Column extends string> {
  constructor(
    private readonly path: string,
    private readonly line: number,
    private readonly fields: readonly string[],
    private readonly index: ReadonlyMap<Column, number>,
  ) {}

  /** @throws UnskewError FILE if the field is empty */
  text(column: Column): string {
    const text = this.fields[this.index.get(column) as number];
    if (text === '') this.refuse(`${column} is empty`);
    return text;
  }

  /** @throws UnskewError FILE if the field is not a number within the bounds */
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
    throw new UnskewError('FILE', `${this.path}:${this.line}: ${what}`);
  }
}

/**
 * Reads a comma-separated table without quoting, its first line the names of the columns.
 *
 * @param columns those that are wanted; others are passed over
 * @throws UnskewError FILE if the file cannot be read, a column is missing, or a row has another
 *   number of fields than the first line
 */
export async function readCsv<Column extends string>(
  path: string,
  columns: readonly Column[],
  onRow: (row: CsvRow<Column>) => void,
): Promise<void> {
  let width = 0;
  const index = new Map<Column, number>();
  await readLines(path, (bytes, start, end, line) => {
    const fields = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
      .toString('utf8')
      .split(',');
    if (width > 0) {
      const row = new CsvRow(path, line, fields, index);
      if (fields.length !== width) row.refuse(`${fields.length} fields, expected ${width}`);
      onRow(row);
      return;
    }
    width = fields.length;
    for (const column of columns) {
      const at = fields.indexOf(column);
      if (at < 0)
        throw new UnskewError(
          'FILE',
          `${path}:${line}: there is no column ${column}; give the file as it is published`,
        );
      index.set(column, at);
    }
  });
  if (width === 0) throw new UnskewError('FILE', `${path}: the file is empty`);
}
