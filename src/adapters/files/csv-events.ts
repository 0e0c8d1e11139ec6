import { pipeline } from 'node:stream';
import { CsvError, Parser } from 'csv-parse';
import { UnskewError } from '../../errors.js';
import { cellReaders, type NoteReading } from '../../events/cells.js';
import type { EventFields } from '../../events/found.js';
import type { CompiledMapping } from '../../events/mapping/mapping.js';
import type { EventRole } from '../../events/parse.js';
import { tablePlan } from '../../events/table-rows.js';
import { type FileChunks, openChunks } from './file-chunks.js';
import { unfitColumns } from './needs-mapping.js';
import { partitionCells, pathColumns, withSegments } from './path-columns.js';

export interface ReadCsvOptions {
  /** A longer row ends the reading. */
  readonly maxRowBytes: number;
  /** Of a table without a first row of names. */
  readonly columns?: readonly string[] | undefined;
  /** Bytes read of the file as it lies on the disk, and its size. */
  readonly onProgress?: ((readBytes: number, totalBytes: number) => void) | undefined;
}

/** What of the rows of a table is read, as what. */
export interface RowReading {
  readonly mapping: CompiledMapping | undefined;
  readonly dimensions?: readonly string[] | undefined;
  readonly note?: NoteReading;
}

/** A row as an event of JSON that a mapping still has to read; rows count from 1, the names' row included. */
export type TakeRow = (event: EventFields, role: EventRole, row: number) => Promise<void> | void;

/**
 * Reads a file of values between commas, semicolons, tabs or bars (RFC 4180), a row of names first, as
 * events: cells of the columns that fields come from, by what these hold. An empty cell is absent.
 *
 * @throws UnskewError FILE in one line for what is no such table, or has no column for a field
 */
export async function readCsvEvents(
  path: string,
  reading: RowReading,
  options: ReadCsvOptions,
  take: TakeRow,
): Promise<void> {
  const { mapping, dimensions = [] } = reading;
  const partitions = pathColumns(path);
  await readCsv(
    path,
    {
      ...options,
      columns: mapping?.columns,
    },
    (names, delimiter) => {
      const hasDecimalCommas = delimiter === ';';
      const readers = cellReaders({
        ...reading,
        areUntyped: true,
        hasDecimalCommas,
      });
      const plan = tablePlan(
        {
          columns: new Set(names),
          partitions,
        },
        mapping,
      );
      if (typeof plan === 'string') {
        const known = names.slice(0, NAMED_COLUMNS).join(', ').slice(0, 300);
        throw unfitColumns(path, `${plan}; its columns are ${known}`, mapping !== undefined);
      }
      const columns = names.flatMap((name, at) => {
        const read = readers.get(name);
        return read === undefined
          ? []
          : [
              {
                at,
                name,
                read,
              },
            ];
      });
      const valueAt = columns.find(({ name }) => isValue(name, mapping))?.name;
      const ofPath = partitionCells(partitions, names, readers);
      return (cells, row) => {
        const event: Record<string, unknown> = { ...ofPath };
        for (const { at, name, read } of columns) {
          const text = cells[at];
          if (text !== '') {
            event[name] = readCell(read, text, path, row);
          } else if (name === valueAt) {
            event[name] = null;
          }
        }
        return take(withSegments(event, dimensions, mapping), plan.role, row);
      };
    },
  );
}

/** @throws UnskewError FILE for what nothing can be made of */
function readCell(
  read: (cell: unknown) => unknown,
  text: string,
  path: string,
  row: number,
): unknown {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refused(path, `row ${row}: ${error.message}`);
  }
}

/** Whether a column is that of `value`: there an empty cell is a value that is missing. */
function isValue(name: string, mapping: CompiledMapping | undefined): boolean {
  if (mapping === undefined) return name === 'value';
  const fields = mapping.fields.interaction ?? [];
  return fields.some(({ field, pointers }) => field === 'value' && pointers[0]?.[0] === name);
}

/** Columns that are named where one is missing. */
const NAMED_COLUMNS = 12;

type TakeCells = (cells: readonly string[], row: number) => Promise<void> | boolean | void;

/**
 * Reads the rows of a file whose cells are all text.
 *
 * @param begin takes the names, and what stands between cells, and gives what takes the cells of each row; `false` ends the reading
 * @throws UnskewError FILE in one line
 */
export async function readCsv(
  path: string,
  { maxRowBytes, onProgress, columns }: ReadCsvOptions,
  begin: (names: readonly string[], delimiter: string) => TakeCells,
): Promise<void> {
  const chunks = await openChunks(path);
  const first = await chunks.next().catch(async (error: unknown) => {
    await chunks.close();
    throw error;
  });
  const stated = statedDelimiter(first);
  const delimiter = stated ?? delimiterOf(path, first);
  const parser = new Parser({
    bom: true,
    delimiter,
    escape: escapeOf(first, delimiter),
    // Tables with tabs have quotes that mean nothing.
    relax_quotes: delimiter === '\t',
    // Space around a cell is none of it; within quotes it is.
    trim: delimiter !== '\t',
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: maxRowBytes,
  });
  let row = 0;
  let width = 0;
  let takeCells = columns && begin(columns, delimiter);
  width = columns?.length ?? 0;
  // What goes wrong comes out of the iteration over the rows.
  pipeline(bytesOf(path, first, chunks, onProgress), parser, () => {});
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      row++;
      const isOfExcel = row === 1 && stated !== undefined;
      if (isOfExcel || (cells.length === 1 && cells[0] === '')) continue;
      if (takeCells === undefined) {
        width = cells.length;
        takeCells = begin(soundNames(path, cells), delimiter);
        continue;
      }
      if (cells.length !== width) {
        throw refused(path, `row ${row} has ${cells.length} cells, expected ${width}`);
      }
      const answer = takeCells(cells, row);
      if (answer === false) break;
      if (typeof answer === 'object') {
        await answer;
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, records = row } = error as CsvError & { readonly records?: number };
    throw refused(path, `row ${records + 1}: ${faults(maxRowBytes)[code] ?? error.message}`);
  } finally {
    parser.destroy();
    await chunks.close();
  }
  if (takeCells === undefined) throw refused(path, 'it is empty');
}

const DELIMITERS = [',', ';', '\t', '|', '::'] as const;

/** What the line before the names says that stands between cells, `sep=;`, as Excel reads and writes it. */
function statedDelimiter(first: Uint8Array | undefined): string | undefined {
  const text = new TextDecoder().decode(first?.subarray(0, LONGEST_STATED));
  return /^"?sep=([,;|\t])"?\r?\n/.exec(text)?.[1];
}

const LONGEST_STATED = 16;

/** What stands between the names of the first row, most often. */
function delimiterOf(path: string, first: Uint8Array | undefined): string {
  if (/\.(tsv|tab)(\.(gz|zst))?$/i.test(path)) return '\t';
  const text = new TextDecoder().decode(first?.subarray(0, MOST_NAMES_BYTES));
  const [line = ''] = text.replace(/"[^"]*"/g, '').split('\n', 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

/**
 * The sign before a quote that belongs to a cell: a quote, or a backslash, as Spark, Hadoop and MySQL
 * write it. Where quotes are doubled nothing but the end of a cell comes after a backslash and a quote.
 */
function escapeOf(first: Uint8Array | undefined, delimiter: string): string {
  const text = new TextDecoder().decode(first);
  // Space may stand between the end of a cell and the next sign.
  const isOfBackslash = [...text.matchAll(/\\" *(?=[^ "\r\n])/g)].some(
    ({ index, 0: found }) => !text.startsWith(delimiter, index + found.length),
  );
  return isOfBackslash ? '\\' : '"';
}

/** Of the first row, enough to see what stands between its cells. */
const MOST_NAMES_BYTES = 65_536;

const faults = (maxRowBytes: number): Readonly<Record<string, string>> => ({
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE:
    'something follows a closing quote; write a quote within a cell twice (Spark: option("escape", "\\""))',
  INVALID_OPENING_QUOTE: 'a quote stands within a cell that does not begin with one',
  CSV_MAX_RECORD_SIZE: `it is longer than ${maxRowBytes} bytes`,
});

/** RecBole has the type of a column behind its name. */
const TYPED_NAME = /:(token|float)(_seq)?$/;
/** A number or an instant, as stand in cells; short numbers may be names. */
const LIKE_A_VALUE = /^\s*[-+]?(?=.*(\d{5}|\d[.:-]\d))\d[\d.,:;/TZ +-]*$/;

/** @throws UnskewError FILE if the first row holds values, or a name twice */
function soundNames(path: string, given: readonly string[]): readonly string[] {
  const names = given.every((name) => TYPED_NAME.test(name))
    ? given.map((name) => name.replace(TYPED_NAME, ''))
    : given;
  const value = names.find((name) => LIKE_A_VALUE.test(name));
  if (value !== undefined) {
    throw refused(
      path,
      `its first row holds values (${value.trim()}), not names: put a row of names before it, or name them in the mapping (columns: [user, item, …])`,
    );
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw refused(path, `its column ${JSON.stringify(twice)} is there twice`);
  }
  return names;
}

/** @throws UnskewError FILE for what is no UTF-8 */
async function* bytesOf(
  path: string,
  first: Uint8Array | undefined,
  chunks: FileChunks,
  onProgress: ReadCsvOptions['onProgress'],
): AsyncGenerator<Uint8Array, void> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let at = 0;
  const check = (chunk?: Uint8Array) => {
    try {
      utf8.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw refused(
        path,
        `behind byte ${at} it is no well-formed UTF-8: convert it, as by iconv -f WINDOWS-1252 -t UTF-8`,
      );
    }
  };
  for (let chunk = first; chunk !== undefined; chunk = await chunks.next()) {
    onProgress?.(chunks.bytesRead(), chunks.totalBytes);
    check(chunk);
    at += chunk.length;
    // The parser keeps what of it ends no row.
    yield Uint8Array.from(chunk);
  }
  check();
}

function refused(path: string, why: string): UnskewError {
  return new UnskewError('FILE', `cannot read ${path}: ${why}`);
}
